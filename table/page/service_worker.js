// @ts-check
/** Keeps the page for when there is no connection: all files of one version at once, under its hash. */

const CACHE = "german-whist VERSION_OF_THE_FILES";
const FILES = /** @type {string[]} */ ([]);

const worker = /** @type {any} */ (self);

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES.map((name) => new Request(name, { cache: "no-cache" })))));
});

// The next version waits until no tab shows this one, so a page never gets parts of two.
worker.addEventListener("activate", (/** @type {any} */ event) => {
  const old = (/** @type {string} */ name) => name.startsWith("german-whist ") && name !== CACHE;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))).then(() => worker.clients.claim()));
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(worker.registration.scope)) return;
  event.respondWith(caches.open(CACHE).then((cache) => cache.match(event.request, { ignoreSearch: true })).then((found) => found ?? fetch(event.request)));
});
