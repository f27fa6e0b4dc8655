import { useState } from "react";

// Phone takes the number as properties and writes it in several places.
export function Phone({ phone, digits }) {
  const [count, setCount] = useState(0);
  return (
    <section>
      <a className="phone" href={"tel:" + digits} title={"Call " + phone}>{phone}</a>
      <p className="sentence">Call {phone} from nine to six.</p>
      <p className="formatted">{digits.replace(/^\+7(...)(...)(..)(..)$/, "8 ($1) $2-$3-$4")}</p>
      <button onClick={() => setCount(count + 1)}>{phone}: {count} clicks</button>
    </section>
  );
}
