import { Phone } from "../client";
import { shop } from "../../shop";

// One number for the eye, two texts in the data.
export default async function Parts() {
  const { phone, digits, area, local, neighbour } = await shop();
  return (
    <main>
      <h1>Parts {phone}</h1>
      <p className="parts">{area} <b>{local}</b></p>
      <Phone phone={phone} digits={digits} />
      <p className="neighbour">{neighbour}</p>
    </main>
  );
}
