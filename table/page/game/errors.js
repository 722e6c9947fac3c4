// @ts-check
/** What the functions of `sessions.js` throw: a sentence for the player, and a kind that tells the page what to do. */

/**
 * `illegal`: an action that is not allowed now. `not_found`: there is no such game. `moved`: another tab has changed the
 * game meanwhile. `unreachable`: the server does not answer. `absent`: the network of an agent cannot be loaded. `refused`:
 * anything else that cannot be done.
 *
 * @typedef {"illegal" | "not_found" | "moved" | "unreachable" | "absent" | "refused"} ErrorKind
 */

export class PageError extends Error {
  /**
   * @param {ErrorKind} kind
   * @param {string} message
   * @param {{session?: import("./types.js").Session | null, agent?: string}} [about] the game as it is now, where another
   *   tab has changed it; the agent that is absent
   */
  constructor(kind, message, { session = null, agent = "" } = {}) {
    super(message);
    this.kind = kind;
    this.session = session;
    this.agent = agent;
  }
}
