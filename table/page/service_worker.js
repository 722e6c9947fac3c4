// @ts-check
/** Keeps the page for when there is no connection: all files of one version at once, under its hash. */

const CACHE = "german-whist VERSION_OF_THE_FILES";
const FILES = /** @type {string[]} */ ([]);

const worker = /** @type {any} */ (self);

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => Promise.all(FILES.map(async (name) => {
    const { body, headers, ok } = await fetch(new Request(name, { cache: "no-cache" }));
    if (!ok) throw new Error(`${name} cannot be loaded`);
    await cache.put(name, new Response(body, { headers })); // a new answer: browsers refuse to open one that was redirected
  }))));
});

// The next version waits until no tab shows this one, so a page never gets parts of two.
worker.addEventListener("activate", (/** @type {any} */ event) => {
  const old = (/** @type {string} */ name) => name.startsWith("german-whist ") && name !== CACHE;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))).then(() => worker.clients.claim()));
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(worker.registration.scope)) return;
  const isPage = event.request.mode === "navigate" && /\/(index\.html)?$/.test(new URL(event.request.url).pathname);
  const wanted = isPage ? "./" : event.request; // the page has one address, whatever a host makes of it
  event.respondWith(caches.open(CACHE).then((cache) => cache.match(wanted, { ignoreSearch: true })).then((found) => found ?? fetch(event.request)));
});
