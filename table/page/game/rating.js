// @ts-check
/** Ratings: par and accuracy of finished deals, computed while nobody waits. */

import { par } from "./coach/reviews.js";
import { PageError } from "./errors.js";

/** @typedef {Pick<import("./store.js").CountedDeal, "given_away" | "at_stake" | "par">} Rating */

/**
 * What the rater needs of the sessions.
 *
 * @typedef {object} Rated
 * @property {(length: number) => boolean} isIdle whether nobody waits for an answer, and nobody has for so many milliseconds
 * @property {() => Promise<import("./store.js").Counted>} counted
 * @property {(id: string) => Promise<import("./session.js").Session | null>} session null if it was deleted or cannot be read
 * @property {(id: string, deal: number, session: import("./session.js").Session) => Promise<import("./types.js").Review>} review
 * @property {(id: string, deal: number, rating: Rating) => Promise<void>} rate
 */

const IDLE = 500; // milliseconds after the last answer; from then on deals are rated
const LOOK = 100; // milliseconds between two looks at whether anybody waits

/** @param {number} length milliseconds */
const sleep = (length) => new Promise((resolve) => setTimeout(resolve, length));

/** Rates the deals that the statistics have counted, the newest first. Deals that ended before the page was opened get par, but no accuracy until they are reviewed. */
export class Rater {
  /** @param {Rated} sessions */
  constructor(sessions) {
    this.sessions = sessions;
    this.began = new Date().toISOString().slice(0, 19);
    /** @type {Set<string>} */
    this.tried = new Set();
    this.running = false;
  }

  /** Start rating, unless it is under way. */
  wake() {
    if (this.running) return;
    this.running = true;
    void this.run()
      .catch((error) => {
        if (!(error instanceof PageError)) throw error; // the server is away, which the next thing that the player asks for will report
      })
      .finally(() => {
        this.running = false;
      });
  }

  async run() {
    for (let wanted = await this.next(); wanted !== null; wanted = await this.next()) {
      await this.idle();
      this.tried.add(`${wanted.part} ${wanted.session} ${wanted.deal}`);
      await this.work(wanted);
    }
  }

  /** Wait until nobody has waited for an answer for a moment. @param {() => boolean} [urgent] whether somebody waits for this very work by now @returns {Promise<void>} */
  async idle(urgent = () => false) {
    await sleep(0); // lets input through
    while (!urgent() && !this.sessions.isIdle(IDLE)) await sleep(LOOK);
  }

  /** @param {import("./store.js").CountedDeal[]} deals @returns {number} how many of them are being worked out, or wait for it */
  pending(deals) {
    const lacks = (/** @type {import("./store.js").CountedDeal} */ { par, given_away, time }) =>
      par === null || (given_away === null && time >= this.began);
    return this.running ? deals.filter(lacks).length : 0;
  }

  /** @returns {Promise<{part: "par" | "given_away", session: string, deal: number} | null>} a rating that a deal lacks and that was not tried yet */
  async next() {
    const { deals } = await this.sessions.counted();
    for (const part of /** @type {const} */ (["par", "given_away"])) {
      const found = deals.findLast(
        (one) =>
          one[part] === null &&
          (part === "par" || one.time >= this.began) &&
          !this.tried.has(`${part} ${one.session} ${one.deal}`),
      );
      if (found !== undefined) return { part, session: found.session, deal: found.deal };
    }
    return null;
  }

  /** @param {{part: "par" | "given_away", session: string, deal: number}} wanted */
  async work({ part, session: id, deal }) {
    const session = await this.sessions.session(id);
    if (session?.finished[deal - 1] === undefined) return;
    if (part === "given_away") return this.rate(id, deal, await this.sessions.review(id, deal, session));
    const { margin } = (await par(session.finished[deal - 1].deal, () => this.idle())).result();
    await this.sessions.rate(id, deal, {
      given_away: null,
      at_stake: null,
      par: (session.seat === 0 ? margin : -margin) + 0,
    });
  }

  /** Add a review to the statistics. @param {string} id @param {number} deal @param {import("./types.js").Review} review */
  async rate(id, deal, { tricksGivenAway, tricksAtStake }) {
    await this.sessions.rate(id, deal, { given_away: tricksGivenAway.you, at_stake: tricksAtStake.you, par: null });
  }
}
