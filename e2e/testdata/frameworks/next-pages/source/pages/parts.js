import { Layout, Phone } from "../layout";

export { getServerSideProps } from "../shop";

// One number for the eye, two texts in the data.
export default function Parts({ phone, digits, area, local, neighbour }) {
  return (
    <Layout title="Parts">
      <h1>Parts {phone}</h1>
      <p className="parts">{area} <b>{local}</b></p>
      <Phone phone={phone} digits={digits} />
      <p className="neighbour">{neighbour}</p>
    </Layout>
  );
}
