import Head from "next/head";
import Link from "next/link";
import { useEffect, useState } from "react";

// Layout has the links between the pages, and tells the document that effects run.
export function Layout({ title, children }) {
  useEffect(() => {
    document.documentElement.dataset.hydrated = "true";
  }, []);
  return (
    <>
      <Head>
        <title>{title}</title>
      </Head>
      <nav>
        <Link href="/" prefetch={false}>Home</Link> <Link href="/contacts" prefetch={false}>Contacts</Link> <Link href="/constant" prefetch={false}>Constant</Link>
      </nav>
      <main>{children}</main>
    </>
  );
}

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
