// @ts-check
// A script of its own, so that the worker loads while the page's modules are still on their way.
const pageWorker = /** @type {any} */ (new Worker("worker.js", { type: "module" }));
pageWorker.addEventListener("error", (/** @type {ErrorEvent} */ { message }) => {
  pageWorker.failed = !message; // it could not be loaded
});
/** @type {any} */ (globalThis).pageWorker = pageWorker;
