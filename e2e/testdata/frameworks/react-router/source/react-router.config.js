export default { ssr: true, routeDiscovery: { mode: "initial" } };
