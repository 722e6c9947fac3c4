// @ts-check
// Loaded by itself, so that the worker is on its way before the page's scripts are there.
/** @type {any} */ (globalThis).tableWorker = new Worker("worker.js", { type: "module" });
