/** Load the page's kernels in Node. */

import { readFileSync } from "node:fs";

import { setKernels } from "../../table/page/engine/kernels.js";

for (const name of ["rules", "bots"]) {
  setKernels(name, new WebAssembly.Module(readFileSync(new URL(`../../table/page/${name}.wasm`, import.meta.url))));
}
