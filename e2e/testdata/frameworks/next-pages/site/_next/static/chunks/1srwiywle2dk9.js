__turbopack_load_page_chunks__("/parts", [
  "static/chunks/04-tezfrggbzr.js",
  "static/chunks/turbopack-2u1d16houkiyo.js"
])
