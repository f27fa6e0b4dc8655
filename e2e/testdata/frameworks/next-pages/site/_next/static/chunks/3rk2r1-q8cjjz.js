__turbopack_load_page_chunks__("/", [
  "static/chunks/0_13at5xqgd1q.js",
  "static/chunks/turbopack-2u1d16houkiyo.js"
])
