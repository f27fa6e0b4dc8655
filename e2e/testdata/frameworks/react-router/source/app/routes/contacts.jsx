import { Phone } from "../phone";
import { shop } from "../shop.server";

export const loader = shop;

export default function Contacts({ loaderData: { phone, digits, neighbour, html } }) {
  return (
    <>
      <h1>Contacts {phone}</h1>
      <Phone phone={phone} digits={digits} />
      <p className="html" dangerouslySetInnerHTML={{ __html: html }} />
      <p className="neighbour">{neighbour}</p>
    </>
  );
}
