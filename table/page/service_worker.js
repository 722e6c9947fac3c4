// @ts-check
/**
 * Keeps the page for when there is no connection: all files of one version at once, under its hash. Large files that few
 * people need come later, when the page says that it has loaded one; the next version takes those that were kept.
 */

const CACHE = "german-whist VERSION_OF_THE_FILES";
const FILES = /** @type {string[]} */ ([]);
const LATER = /** @type {string[]} */ ([]);

const worker = /** @type {any} */ (self);

/** @param {string} name of a file to keep */
async function keep(name) {
  const { body, headers, ok } = await fetch(new Request(name, { cache: "no-cache" }));
  if (!ok) throw new Error(`${name} cannot be loaded`);
  const cache = await caches.open(CACHE);
  await cache.put(name, new Response(body, { headers })); // a new answer: browsers refuse to open one that was redirected
}

worker.addEventListener("install", (/** @type {any} */ event) => {
  const ofOld = LATER.map(async (name) => ((await caches.match(name)) === undefined ? undefined : keep(name)));
  event.waitUntil(Promise.all([...FILES.map(keep), ...ofOld]));
});

worker.addEventListener("message", (/** @type {any} */ event) => {
  if (!LATER.includes(event.data)) return;
  event.waitUntil(caches.open(CACHE).then((cache) => cache.match(event.data)).then((kept) => (kept === undefined ? keep(event.data) : undefined)));
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
