import { Phone } from "./client";
import { shop } from "../shop";

export default async function Home() {
  const { phone, digits, neighbour, offices, story } = await shop();
  return (
    <main>
      <h1>Lamps {phone}</h1>
      <Phone phone={phone} digits={digits} />
      <ul>{offices.map((office) => <li key={office.city}>{office.city}: {office.phone}</li>)}</ul>
      <p className="story">{story}</p>
      <p className="neighbour">{neighbour}</p>
    </main>
  );
}
