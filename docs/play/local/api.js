// @ts-check
/**
 * The module of the page that talks to the server, where there is none: a worker takes its place, which plays, saves
 * and thinks. Its names and answers are those of `web/static/js/api.js`, so the rest of the page is the same.
 */

import { alertUser } from "../static/js/notices.js";

/** @typedef {import("../static/js/types.js").Session} Session */
/** @typedef {{id: number, answer: any} | {id: number, error: {code: string, message: string, session: Session | null}} | {notice: string}} Message */

/** An answer that is an error. */
export class ApiError extends Error {
  /**
   * @param {string} code of the web API
   * @param {string} message
   * @param {Session | null} session the session as it is now, in a conflict
   */
  constructor(code, message, session = null) {
    super(message);
    this.code = code;
    this.session = session;
  }
}

/** What the page says when an answer takes long. */
export const WAITING = "Thinking …";

/** What the page says of a link to a deal. */
export const SHARED_LINK = "The link has the whole deal in it: whoever opens it sees the deal on this page. The text can be opened with “Open a recording”, here or in German Whist on a computer.";

/** @type {Worker} */
const worker = /** @type {any} */ (globalThis).tableWorker ?? new Worker("local/worker.js", { type: "module" }); // the former is of `start.js`

// The page has asked for it before the worker was there (`index.html`).
fetch("local/catalogue.json").then((answer) => (answer.ok ? answer.text() : null)).catch(() => null).then((catalogue) => worker.postMessage({ catalogue }));

/** @type {Map<number, {resolve: (answer: any) => void, reject: (error: Error) => void}>} */
const waiting = new Map();
let count = 0;

worker.addEventListener("message", (/** @type {MessageEvent<Message>} */ { data }) => {
  if ("notice" in data) {
    alertUser(data.notice);
    return;
  }
  const asked = waiting.get(data.id);
  waiting.delete(data.id);
  if ("error" in data) asked?.reject(new ApiError(data.error.code, data.error.message, data.error.session));
  else asked?.resolve(data.answer);
});

worker.addEventListener("error", (event) => {
  for (const { reject } of waiting.values()) reject(new ApiError("server_error", `The page has failed: ${event.message ?? "it cannot load its parts"}.`));
  waiting.clear();
});

/**
 * @param {string} name of a function in `handlers.js`
 * @param {...any} given its arguments
 * @returns {Promise<any>}
 */
function request(name, ...given) {
  count += 1;
  const id = count;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, name, given });
  });
}

export const api = /** @satisfies {typeof import("../static/js/api.js").api} */ ({
  /** @returns {Promise<import("../static/js/types.js").Catalog>} */
  catalog: () => request("catalog"),
  /** @returns {Promise<import("../static/js/types.js").Sessions>} */
  sessions: () => request("listSessions"),
  /** @param {Partial<import("../static/js/types.js").CreateBody>} choices @returns {Promise<Session>} */
  create: (choices) => request("create", choices),
  /** @param {string} id @returns {Promise<Session>} */
  session: (id) => request("show", id),
  /** @param {string} id @returns {Promise<import("../static/js/types.js").Nothing>} */
  deleteSession: (id) => request("remove", id),
  /** @param {Session} session @param {string} action @returns {Promise<Session>} */
  act: ({ id, version }, action) => request("act", id, version, action),
  /** @param {Session} session @returns {Promise<Session>} */
  hint: ({ id, version }) => request("hint", id, version),
  /** @param {Session} session @param {string[]} cards @returns {Promise<Session>} */
  recall: ({ id, version }, cards) => request("recall", id, version, cards),
  /** @param {Session} session @returns {Promise<Session>} */
  takeBack: ({ id, version }) => request("takeBack", id, version),
  /** @param {Session} session @returns {Promise<Session>} */
  next: ({ id, version }) => request("nextDeal", id, version),
  /** @param {string} id @param {number} deal @returns {Promise<import("../static/js/types.js").Review>} */
  review: (id, deal) => request("review", id, deal),
  /** @param {string} id @param {number | null} deal @returns {Promise<import("../static/js/types.js").Recording>} */
  recording: (id, deal) => request("recording", id, deal),
  /** @param {string} id @param {number} deal @param {number} move @param {string} action @returns {Promise<Session>} */
  tryAction: (id, deal, move, action) => request("tryAction", id, deal, move, action),
  /** @param {string} id @param {number} deal @returns {Promise<Session>} */
  swap: (id, deal) => request("swap", id, deal),
  /** @param {string} id @param {number} deal @param {number | null} [move] @returns {Promise<import("../static/js/types.js").Watch>} */
  watch: (id, deal, move = null) => request("watch", id, deal, move),
  /** @param {string} recording @returns {Promise<Session>} */
  open: (recording) => request("openRecordings", recording),
  /** @returns {Promise<Session>} */
  lesson: () => request("lesson"),
  /** @returns {Promise<import("../static/js/types.js").Statistics>} */
  statistics: () => request("statistics"),
  /** @returns {Promise<string>} address of a file with everything that has been counted */
  statisticsFile: async () => URL.createObjectURL(new Blob([await request("exportStatistics")], { type: "application/json" })),
  /** @returns {Promise<import("../static/js/types.js").Nothing>} */
  deleteStatistics: () => request("clearStatistics"),
});

// Later visits need no connection. The first card comes first.
const AFTER = 2000; // milliseconds
window.addEventListener("load", () => setTimeout(() => {
  navigator.serviceWorker?.register("service_worker.js").catch(() => {}); // a private window may forbid it
}, AFTER));
