// Bundles the page of the explorer: node build.mjs [FOLDER]. The default folder is that of the package.
import { build } from "esbuild";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../python/pantala/explorer/page");
const shared = { bundle: true, minify: true, logLevel: "warning", charset: "utf8", legalComments: "none" };
await build({
  ...shared,
  entryPoints: [join(here, "src/main.ts")],
  outfile: join(out, "app.js"),
  format: "iife",
  target: ["chrome100", "firefox113", "safari16.4"],
});
await build({ ...shared, entryPoints: [join(here, "src/page.css")], outfile: join(out, "page.css") });
