export default { kit: { version: { name: "build" } } };
