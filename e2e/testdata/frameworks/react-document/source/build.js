import { build } from "esbuild";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createElement } from "react";
import { renderToString } from "react-dom/server";

const site = process.argv[2];
const data = {
  phone: "+7 (495) 123-45-67",
  digits: "+74951234567",
  neighbour: "74951234568",
  offices: [
    { city: "Moscow", phone: "8 495 123-45-67" },
    { city: "Workshop", phone: "+7 (495) 123-45-68" },
  ],
  html: "<b>Line</b>: +7 (495) 123-45-67 &amp; more",
};
const common = { bundle: true, format: "esm", jsx: "automatic" };
await build({ ...common, entryPoints: ["page.jsx"], outfile: "page.server.js", packages: "external" });
const { Document } = await import("./page.server.js");
await rm("page.server.js");
await mkdir(site + "/_next/data/build", { recursive: true });
for (const [page, name] of [["/", "index"], ["/contacts", "contacts"], ["/constant", "constant"]]) {
  await writeFile(`${site}/${name}.html`, "<!DOCTYPE html>" + renderToString(createElement(Document, { page, data })));
  await writeFile(`${site}/_next/data/build/${name}.json`, JSON.stringify({ pageProps: data }));
}
// React's build for development tells of each mismatch; minified it stays small.
await build({
  ...common,
  entryPoints: ["client.jsx"],
  outfile: site + "/_next/static/client.js",
  define: { "process.env.NODE_ENV": '"development"' },
  minify: true,
  legalComments: "inline",
});
