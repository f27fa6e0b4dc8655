import { Constant } from "../client";

export default function Page() {
  return (
    <main>
      <h1>Constant</h1>
      <Constant />
    </main>
  );
}
