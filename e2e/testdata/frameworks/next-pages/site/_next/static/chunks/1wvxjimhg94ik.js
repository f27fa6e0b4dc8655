__turbopack_load_page_chunks__("/contacts", [
  "static/chunks/0fw-z6tecbsyy.js",
  "static/chunks/turbopack-2u1d16houkiyo.js"
])
