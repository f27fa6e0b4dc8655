import { Layout, Phone } from "../layout";

export { getServerSideProps } from "../shop";

export default function Home({ phone, digits, neighbour, offices, html }) {
  return (
    <Layout title="Lamps">
      <h1>Lamps {phone}</h1>
      <Phone phone={phone} digits={digits} />
      <ul>{offices.map((office) => <li key={office.city}>{office.city}: {office.phone}</li>)}</ul>
      <p className="html" dangerouslySetInnerHTML={{ __html: html }} />
      <p className="neighbour">{neighbour}</p>
    </Layout>
  );
}
