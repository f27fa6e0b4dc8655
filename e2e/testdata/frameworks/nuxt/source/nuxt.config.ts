export default defineNuxtConfig({
  compatibilityDate: "2026-01-01",
  telemetry: false,
  buildId: "build",
  // One page is rendered on each request, the other one ahead: its data is in a file of its own.
  routeRules: { "/contacts": { prerender: true } },
  // Vue then says of each mismatch where it is, as in development.
  vite: { define: { __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "true" } },
});
