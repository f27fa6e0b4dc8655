import { useState } from "react";

// A number that is in the bundle.
export default function Constant() {
  const [count, setCount] = useState(0);
  return (
    <>
      <h1>Constant</h1>
      <p className="phone">+7 (495) 123-45-67</p>
      <button onClick={() => setCount(count + 1)}>{count} clicks</button>
    </>
  );
}
