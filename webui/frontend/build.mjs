// Builds the browser bundles into ../static/dist, or (--tests) the unit tests into build/test.
import { cpSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "../static/dist");
const common = { absWorkingDir: here, bundle: true, target: "es2022", logLevel: "info", legalComments: "none" };

// Modules share chunks; the 3D stage is imported late and so lands in a chunk of its own.
const modules = {
  ...common,
  entryPoints: {
    app: "src/app.ts",
    fleet: "src/fleet.ts",
    machine: "src/machine.ts",
    start: "src/start.ts",
    styleguide: "src/styleguide.ts",
  },
  outdir: dist,
  format: "esm",
  splitting: true,
  chunkNames: "[name]-[hash]",
  minify: true,
  metafile: true,
};

// Runs before the first paint, so that a remembered theme does not flash: classic, blocking, tiny.
const theme = { ...common, entryPoints: { theme: "src/theme.ts" }, outdir: dist, format: "iife", minify: true };
const styles = { ...common, entryPoints: { app: "styles/app.css" }, outdir: dist, minify: true };

async function buildTests() {
  const outdir = join(here, "build/test");
  rmSync(outdir, { recursive: true, force: true });
  const names = (await readdir(join(here, "test"))).filter((name) => name.endsWith(".test.ts"));
  await esbuild.build({
    ...common,
    entryPoints: names.map((name) => `test/${name}`),
    outdir,
    format: "esm",
    platform: "node",
    packages: "external",
    sourcemap: "inline",
    logLevel: "warning",
  });
}

if (process.argv.includes("--tests")) {
  await buildTests();
} else if (process.argv.includes("--watch")) {
  for (const options of [modules, theme, styles]) await (await esbuild.context(options)).watch();
} else {
  rmSync(dist, { recursive: true, force: true });
  await Promise.all([modules, theme, styles].map((options) => esbuild.build(options)));
  cpSync(join(here, "assets"), dist, { recursive: true });
}
