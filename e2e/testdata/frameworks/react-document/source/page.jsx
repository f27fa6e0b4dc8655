import { useEffect, useState } from "react";

// Document is a whole page, from html to the last script. It takes the number as properties, so that no number of it is in the bundle.
export function Document({ page, data, go }) {
  const Page = { "/": Home, "/contacts": Contacts, "/constant": Constant }[page];
  useEffect(() => {
    document.documentElement.dataset.hydrated = "true";
  }, []);
  const link = (path, name) => <a href={path} onClick={(event) => (event.preventDefault(), go(path))}>{name}</a>;
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>{page}</title>
        <script type="module" async src="/_next/static/client.js" />
        <meta name="description" content={"Lamps by phone: " + data.phone} />
      </head>
      <body>
        <div id="__next">
          <nav>
            {link("/", "Home")} {link("/contacts", "Contacts")} {link("/constant", "Constant")}
          </nav>
          <Page {...data} />
        </div>
        <script id="__NEXT_DATA__" type="application/json" dangerouslySetInnerHTML={{ __html: JSON.stringify({ props: { pageProps: data }, page }).replaceAll("<", "\\u003c") }} suppressHydrationWarning />
      </body>
    </html>
  );
}

function Home({ phone, digits, neighbour, offices, html }) {
  return (
    <main>
      <h1>Lamps {phone}</h1>
      <Phone phone={phone} digits={digits} />
      <ul>{offices.map((office) => <li key={office.city}>{office.city}: {office.phone}</li>)}</ul>
      <p className="html" dangerouslySetInnerHTML={{ __html: html }} />
      <p className="neighbour">{neighbour}</p>
    </main>
  );
}

function Contacts({ phone, digits, neighbour }) {
  return (
    <main>
      <h1>Contacts {phone}</h1>
      <Phone phone={phone} digits={digits} />
      <p className="neighbour">{neighbour}</p>
    </main>
  );
}

// Constant has a number in the bundle.
function Constant() {
  const [count, setCount] = useState(0);
  return (
    <main>
      <h1>Constant</h1>
      <p className="phone">+7 (495) 123-45-67</p>
      <button onClick={() => setCount(count + 1)}>{count} clicks</button>
    </main>
  );
}

function Phone({ phone, digits }) {
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
