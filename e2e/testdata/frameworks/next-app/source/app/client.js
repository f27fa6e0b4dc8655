"use client";
import { useEffect, useState } from "react";

// Hydrated tells the document that effects run.
export function Hydrated() {
  useEffect(() => {
    document.documentElement.dataset.hydrated = "true";
  }, []);
  return null;
}

// Phone takes the number as properties and writes it in several places.
export function Phone({ phone, digits }) {
  const [count, setCount] = useState(0);
  return (
    <section>
      <a className="phone" href={"tel:" + digits} title={"Call " + phone}>{phone}</a>
      <p className="sentence">Call {phone} from nine to six.</p>
      <button onClick={() => setCount(count + 1)}>{phone}: {count} clicks</button>
    </section>
  );
}

// Constant has a number in the bundle.
export function Constant() {
  const [count, setCount] = useState(0);
  return (
    <section>
      <p className="phone">+7 (495) 123-45-67</p>
      <button onClick={() => setCount(count + 1)}>{count} clicks</button>
    </section>
  );
}
