import { Phone } from "../client";
import { shop } from "../../shop";

export default async function Contacts() {
  const { phone, digits, neighbour, story } = await shop();
  return (
    <main>
      <h1>Contacts {phone}</h1>
      <Phone phone={phone} digits={digits} />
      <p className="story">{story}</p>
      <p className="neighbour">{neighbour}</p>
    </main>
  );
}
