__turbopack_load_page_chunks__("/_app", [
  "static/chunks/0n79uke9i50vv.js",
  "static/chunks/43inewpzrlcrs.js",
  "static/chunks/1dd2xyz1z4t9z.js",
  "static/chunks/turbopack-2u1d16houkiyo.js"
])
