__turbopack_load_page_chunks__("/constant", [
  "static/chunks/04sjti-xi1k0i.js",
  "static/chunks/turbopack-2u1d16houkiyo.js"
])
