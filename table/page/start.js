// @ts-check
// A script of its own, so that the worker loads while the page's modules are still on their way.
/** @type {any} */ (globalThis).pageWorker = new Worker("worker.js", { type: "module" });
