import { Phone } from "../phone";
import { shop } from "../shop.server";

export const loader = shop;

export default function Home({ loaderData: { phone, digits, neighbour, offices, html } }) {
  return (
    <>
      <h1>Lamps {phone}</h1>
      <Phone phone={phone} digits={digits} />
      <ul>{offices.map((office) => <li key={office.city}>{office.city}: {office.phone}</li>)}</ul>
      <p className="html" dangerouslySetInnerHTML={{ __html: html }} />
      <p className="neighbour">{neighbour}</p>
    </>
  );
}
