// @ts-check
/**
 * Caches the page for visits without a connection: all files of one version at once, in a cache named by their hash. Large
 * files that few people need are cached only when the page reports that it has loaded one, and by the next version again.
 */

const worker = /** @type {any} */ (self);
const PREFIX = `german-whist ${worker.registration.scope} `; // several copies of the page may share an origin
const CACHE = `${PREFIX}VERSION_OF_THE_FILES`;
const FILES = /** @type {string[]} */ ([]);
const LATER = /** @type {string[]} */ ([]);

/** @param {string} name a file to cache */
async function keep(name) {
  const { body, headers, ok } = await fetch(new Request(name, { cache: "no-cache" }));
  if (!ok) throw new Error(`${name} cannot be loaded`);
  const cache = await caches.open(CACHE);
  await cache.put(name, new Response(body, { headers })); // copied, because browsers refuse to open a redirected response
}

worker.addEventListener("install", (/** @type {any} */ event) => {
  const ofOld = LATER.map(async (name) => ((await caches.match(name)) === undefined ? undefined : keep(name)));
  event.waitUntil(Promise.all([...FILES.map(keep), ...ofOld]));
});

worker.addEventListener("message", (/** @type {any} */ event) => {
  if (!LATER.includes(event.data)) return;
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.match(event.data))
      .then((kept) => (kept === undefined ? keep(event.data) : undefined)),
  );
});

// A new version is activated when no tab shows the old one any more, so no page mixes files of two versions.
worker.addEventListener("activate", (/** @type {any} */ event) => {
  const old = (/** @type {string} */ name) => name.startsWith(PREFIX) && name !== CACHE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
      .then(() => worker.clients.claim()),
  );
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(worker.registration.scope)) return;
  const isPage = event.request.mode === "navigate" && /\/(index\.html)?$/.test(new URL(event.request.url).pathname);
  const wanted = isPage ? "./" : event.request; // cached under one address, to which some hosts redirect the other
  event.respondWith(
    caches
      .open(CACHE)
      .then((cache) => cache.match(wanted, { ignoreSearch: true }))
      .then((found) => found ?? fetch(event.request)),
  );
});
