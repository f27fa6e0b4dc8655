const lamps = "Our lamps are made by hand. ".repeat(40);

// What the pages show. It is read on the server only: no number of it is in the client's bundle.
export async function shop() {
  return {
    phone: "+7 (495) 123-45-67",
    digits: "+74951234567",
    neighbour: "74951234568",
    offices: [
      { city: "Moscow", phone: "8 495 123-45-67" },
      { city: "Workshop", phone: "+7 (495) 123-45-68" },
    ],
    // React sends texts this long as rows of their own, with their length in bytes before them and nothing around.
    story: lamps + "Call +7 (495) 123-45-67 to hear more.",
    edges: "8 495 123-45-67. " + lamps + "Call +7 (495) 123-45-67",
    area: "+7 (495)",
    local: "123-45-67",
  };
}
