__turbopack_load_page_chunks__("/_error", [
  "static/chunks/306euk3hkl2h4.js",
  "static/chunks/turbopack-2u1d16houkiyo.js"
])
