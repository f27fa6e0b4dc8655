import { Phone } from "../client";
import { shop } from "../../shop";

// A long text that begins and ends with the number.
export default async function Edges() {
  const { phone, digits, edges, neighbour } = await shop();
  return (
    <main>
      <h1>Edges {phone}</h1>
      <p className="story">{edges}</p>
      <Phone phone={phone} digits={digits} />
      <p className="neighbour">{neighbour}</p>
    </main>
  );
}
