import { Phone } from "../phone";
import { shop } from "../shop.server";

export const loader = shop;

// One number for the eye, two texts in the data.
export default function Parts({ loaderData: { phone, digits, area, local, neighbour } }) {
  return (
    <>
      <h1>Parts {phone}</h1>
      <p className="parts">{area} <b>{local}</b></p>
      <Phone phone={phone} digits={digits} />
      <p className="neighbour">{neighbour}</p>
    </>
  );
}
