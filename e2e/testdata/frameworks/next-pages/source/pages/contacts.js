import { Layout, Phone } from "../layout";

export { getServerSideProps } from "../shop";

export default function Contacts({ phone, digits, neighbour, html }) {
  return (
    <Layout title="Contacts">
      <h1>Contacts {phone}</h1>
      <Phone phone={phone} digits={digits} />
      <p className="html" dangerouslySetInnerHTML={{ __html: html }} />
      <p className="neighbour">{neighbour}</p>
    </Layout>
  );
}
