// What the pages show. It is read on the server only: no number of it is in the client's bundle.
export const shop = () => ({
  phone: "+7 (495) 123-45-67",
  digits: "+74951234567",
  neighbour: "74951234568",
  offices: [
    { city: "Moscow", phone: "8 495 123-45-67" },
    { city: "Workshop", phone: "+7 (495) 123-45-68" },
  ],
  html: "<b>Line</b>: +7 (495) 123-45-67 &amp; more",
  area: "+7 (495)",
  local: "123-45-67",
});
