// @ts-check
/** Requests to the server; addresses are relative, so the token in the page's address goes with them. */

/** An answer other than 200 and 201. */
export class ApiError extends Error {
  /**
   * @param {string} code of the web API; "unreachable" if there was no answer
   * @param {string} message
   * @param {import("./types.js").Session | null} session the session as it is now, in a conflict
   */
  constructor(code, message, session = null) {
    super(message);
    this.code = code;
    this.session = session;
  }
}

/**
 * @param {string} method
 * @param {string} address below `api/`
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function request(method, address, body) {
  /** @type {RequestInit} */
  const options = { method, cache: "no-store" };
  if (body !== undefined) {
    options.headers = { "Content-Type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let response;
  let answer;
  try {
    response = await fetch(`api/${address}`, options);
    answer = await response.json();
  } catch {
    throw new ApiError("unreachable", "The server does not answer. Your game is saved.");
  }
  if (response.ok) return answer;
  const error = answer.error ?? { code: "server_error", message: `The server answers ${response.status}.` };
  throw new ApiError(error.code, error.message, answer.session ?? error.session ?? null);
}

/** What the page says when an answer takes long. */
export const WAITING = "Waiting for the server …";

/** What the page says of a link to a deal. */
export const SHARED_LINK = "The link opens the deal in German Whist on this computer. The text can be sent to anyone: they open it with “Open a recording”, or with german-whist review FILE.";

/** @typedef {import("./types.js").Session} Session */

/** @param {Session} session @returns {import("./types.js").VersionBody} what every change names */
const seen = ({ version }) => ({ version });

export const api = {
  /** @returns {Promise<import("./types.js").Catalog>} */
  catalog: () => request("GET", "catalog"),
  /** @returns {Promise<import("./types.js").Sessions>} */
  sessions: () => request("GET", "sessions"),
  /** @param {import("./types.js").CreateBody} choices @returns {Promise<Session>} */
  create: (choices) => request("POST", "sessions", choices),
  /** @param {string} id @returns {Promise<Session>} */
  session: (id) => request("GET", `sessions/${id}`),
  /** @param {string} id @returns {Promise<import("./types.js").Nothing>} */
  deleteSession: (id) => request("DELETE", `sessions/${id}`),
  /** @param {Session} session @param {string} action @returns {Promise<Session>} */
  act: (session, action) => request(
    "POST",
    `sessions/${session.id}/action`,
    /** @satisfies {import("./types.js").ActionBody} */ ({ ...seen(session), action }),
  ),
  /** @param {Session} session @returns {Promise<Session>} */
  hint: (session) => request("POST", `sessions/${session.id}/hint`, seen(session)),
  /** @param {Session} session @param {string[]} cards @returns {Promise<Session>} */
  recall: (session, cards) => request(
    "POST",
    `sessions/${session.id}/recall`,
    /** @satisfies {import("./types.js").RecallBody} */ ({ ...seen(session), cards }),
  ),
  /** @param {Session} session @returns {Promise<Session>} */
  takeBack: (session) => request("POST", `sessions/${session.id}/take-back`, seen(session)),
  /** @param {Session} session @returns {Promise<Session>} */
  next: (session) => request("POST", `sessions/${session.id}/next`, seen(session)),
  /** @param {string} id @param {number} deal @returns {Promise<import("./types.js").Review>} */
  review: (id, deal) => request("GET", `sessions/${id}/review?deal=${deal}`),
  /** @param {string} id @param {number | null} deal @returns {Promise<import("./types.js").Recording>} */
  recording: (id, deal) => request("GET", `sessions/${id}/recording${deal === null ? "" : `?deal=${deal}`}`),
  /** @param {string} id @param {number} deal @param {number} move @param {string} action @returns {Promise<Session>} */
  tryAction: (id, deal, move, action) => request("POST", `sessions/${id}/try`, /** @satisfies {import("./types.js").TryBody} */ ({ deal, move, action })),
  /** @param {string} id @param {number} deal @returns {Promise<Session>} */
  swap: (id, deal) => request("POST", `sessions/${id}/swap`, /** @satisfies {import("./types.js").DealBody} */ ({ deal })),
  /** @param {string} id @param {number} deal @param {number | null} [move] @returns {Promise<import("./types.js").Watch>} */
  watch: (id, deal, move = null) => request("POST", `sessions/${id}/watch`, /** @satisfies {import("./types.js").WatchBody} */ ({ deal, move })),
  /** @param {string} recording @returns {Promise<Session>} */
  open: (recording) => request("POST", "recordings", /** @satisfies {import("./types.js").RecordingBody} */ ({ recording })),
  /** @returns {Promise<Session>} */
  lesson: () => request("POST", "lesson", {}),
  /** @returns {Promise<import("./types.js").Statistics>} */
  statistics: () => request("GET", "statistics"),
  /** @returns {Promise<string>} address of a file with everything that has been counted */
  statisticsFile: async () => "api/statistics/export",
  /** @returns {Promise<import("./types.js").Nothing>} */
  deleteStatistics: () => request("DELETE", "statistics"),
};
