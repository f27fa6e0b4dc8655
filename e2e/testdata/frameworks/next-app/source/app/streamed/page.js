import { Suspense } from "react";
import { Phone } from "../client";
import { shop } from "../../shop";

// A page that comes in two parts, with a list so long that its data come in several rows.
export default async function Streamed() {
  const { phone, digits, neighbour } = await shop();
  return (
    <main>
      <h1>Streamed {phone}</h1>
      <Phone phone={phone} digits={digits} />
      <Suspense fallback={<p>One moment: {phone}</p>}>
        <Offices />
      </Suspense>
      <p className="neighbour">{neighbour}</p>
    </main>
  );
}

async function Offices() {
  await new Promise((resolve) => setTimeout(resolve, 50));
  const { phone } = await shop();
  return <ol>{Array.from({ length: 100 }, (_, i) => <li key={i}>Office {i}: {phone}</li>)}</ol>;
}
