self.__BUILD_MANIFEST = {
  "/": [
    "static/chunks/3rk2r1-q8cjjz.js"
  ],
  "/_error": [
    "static/chunks/2ubjc99ud1z26.js"
  ],
  "/constant": [
    "static/chunks/37rpgt9-dlsyf.js"
  ],
  "/contacts": [
    "static/chunks/1wvxjimhg94ik.js"
  ],
  "/parts": [
    "static/chunks/1srwiywle2dk9.js"
  ],
  "__rewrites": {
    "afterFiles": [],
    "beforeFiles": [],
    "fallback": []
  },
  "sortedPages": [
    "/",
    "/_app",
    "/_error",
    "/constant",
    "/contacts",
    "/parts"
  ]
};self.__TURBOPACK_PAGE_BOOTSTRAP = {"/constant":{"otherChunks":["static/chunks/04sjti-xi1k0i.js"],"runtimeModuleIds":[783,5518]},"/contacts":{"otherChunks":["static/chunks/0fw-z6tecbsyy.js"],"runtimeModuleIds":[783,6777]},"/":{"otherChunks":["static/chunks/0_13at5xqgd1q.js"],"runtimeModuleIds":[783,1899]},"/parts":{"otherChunks":["static/chunks/04-tezfrggbzr.js"],"runtimeModuleIds":[783,5266]},"/_app":{"otherChunks":["static/chunks/0n79uke9i50vv.js","static/chunks/43inewpzrlcrs.js","static/chunks/1dd2xyz1z4t9z.js"],"runtimeModuleIds":[783,984]},"/_error":{"otherChunks":["static/chunks/306euk3hkl2h4.js"],"runtimeModuleIds":[783,184]}};self.__TURBOPACK_CHUNK_LOADING_GLOBAL = "TURBOPACK";self.__BUILD_MANIFEST_CB && self.__BUILD_MANIFEST_CB()