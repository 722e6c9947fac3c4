// @ts-check
/**
 * The functions behind the requests of `api.js`: play, coach, statistics (`web/handlers.py`, `web/service.py`). Each
 * request reads its session from the database and saves what it has changed, so tabs see each other's games; what has
 * moved on in another tab is a conflict, as it is at the server.
 */

import { parseCard } from "./engine/cards.js";
import { Database, StaleError } from "./database.js";
import { networkNow, start } from "./data.js";
import { Rater } from "./rating.js";
import { sessionJson, summaryJson } from "./session_json.js";
import { agentTitle } from "./session/catalogue.js";
import { hintOf } from "./session/coach/hints.js";
import { swapSeats, tryAction, watch } from "./session/coach/replays.js";
import { review } from "./session/coach/reviews.js";
import { Conflict, IllegalAction, Session } from "./session/game_session.js";
import { agentAction, needsNetwork } from "./session/opponent.js";
import { recordingLine } from "./session/recording.js";
import { lessonSession, loadedSession, savedSession } from "./session/saved.js";
import { daySettings, randomSeed, settingsOf, today } from "./session/settings.js";
import { codeOf, openRecordings, readDeals } from "./session/shared_deals.js";
import { countDeals, exportText, summary } from "./session/statistics.js";

/** @typedef {import("../static/js/types.js").Session} SessionData */
/** @typedef {import("../static/js/types.js").Review} Review */

const MAX_SAVED = 2000;
const MAX_LISTED = 100;
const MAX_REVIEWS = 20; // kept in memory

/** An answer that is an error, with a code of the web API. */
export class AnswerError extends Error {
  /** @param {import("../static/js/types.js").ErrorCode} code @param {string} message @param {SessionData | null} session as it is now, in a conflict */
  constructor(code, message, session = null) {
    super(message);
    this.code = code;
    this.session = session;
  }
}

/** @returns {Promise<void>} lets other requests in between two steps of a long one */
const pause = () => new Promise((resolve) => setTimeout(resolve));

/** A saved session that is being worked on. */
class Entry {
  /** @param {string} id @param {Session} session @param {number | null} seen the version that was read; null: it is new @param {number} counted finished deals when it was last saved */
  constructor(id, session, seen, counted) {
    this.id = id;
    this.session = session;
    this.seen = seen;
    this.counted = counted;
  }
}

export class Handlers {
  /** @param {(notice: string) => void} notify tells the person something beside the answers */
  constructor(notify) {
    this.database = new Database(notify);
    /** @type {Map<string, {urgent: boolean, found: Promise<Review>}>} by session and deal */
    this.reviews = new Map();
    this.waiting = 0;
    this.answered = performance.now();
    this.rater = new Rater(this);
  }

  /**
   * @param {string} name of a handler
   * @param {any[]} given its arguments
   * @returns {Promise<any>}
   * @throws {AnswerError} for bad input and conflicts
   */
  async answer(name, given) {
    this.waiting += 1;
    try {
      await start();
      return await /** @type {any} */ (this)[name](...given);
    } catch (error) {
      throw await this.answerError(error, given[0]);
    } finally {
      this.waiting -= 1;
      this.answered = performance.now();
    }
  }

  /** @param {unknown} error @param {string} id @returns {Promise<unknown>} */
  async answerError(error, id) {
    if (error instanceof AnswerError || !(error instanceof Error)) return error;
    if (error instanceof StaleError) return this.conflict(id);
    if (error instanceof IllegalAction) return new AnswerError("illegal_action", error.message);
    if (error instanceof Conflict) return new AnswerError("conflict", error.message);
    return error.constructor === Error ? new AnswerError("bad_request", error.message) : error; // others are faults of ours
  }

  /** @param {string} id @returns {Promise<AnswerError>} */
  async conflict(id) {
    const entry = await this.open(id);
    return new AnswerError("conflict", "The game has moved on in another window.", entryJson(entry));
  }

  // What all requests share.

  /** @param {string} id @returns {Promise<Entry>} @throws {AnswerError} if there is no such session */
  async open(id) {
    const saved = await this.database.session(id);
    if (saved === null) throw new AnswerError("not_found", "There is no such game in this browser.");
    const session = loadedSession(saved);
    return new Entry(id, session, saved.version, session.finished.length);
  }

  /** Save a session; its finished deals are counted and will be rated. @param {Entry} entry */
  async save(entry) {
    const { id, session, seen, counted } = entry;
    const { deals, match } = countDeals(id, session, counted);
    await this.database.save(savedSession(id, session), seen, deals, match);
    [entry.seen, entry.counted] = [session.version, session.finished.length];
    if (deals.length > 0) this.rater.wake();
  }

  /** Let the agent act until it is the person's turn or the deal is over, and save what it did. @param {Entry} entry */
  async reply(entry) {
    const { session } = entry;
    if (!session.waitsForAgent) return;
    const network = needsNetwork(session.settings.agent) ? await networkNow() : null;
    while (session.waitsForAgent) session.play(agentAction(session, network));
    await this.save(entry);
  }

  /**
   * Change a session that is still as the page has seen it, save it, let the agent act and answer with it.
   *
   * @param {string} id
   * @param {number} version
   * @param {(session: Session) => void} change
   * @returns {Promise<SessionData>}
   */
  async change(id, version, change) {
    const entry = await this.open(id);
    if (entry.session.version !== version) throw await this.conflict(id);
    change(entry.session);
    await this.save(entry); // safe before the agent thinks
    await this.reply(entry);
    return entryJson(entry);
  }

  /** @param {Session} session @returns {Promise<SessionData>} in which the agent has begun if it is its turn */
  async add(session) {
    const entry = new Entry(newId(), session, null, 0);
    await this.forgetOld();
    await this.save(entry);
    await this.reply(entry);
    return entryJson(entry);
  }

  /** Delete the oldest session of which nobody misses anything, if there are too many. */
  async forgetOld() {
    const saved = await this.database.allSessions();
    if (saved.length < MAX_SAVED) return;
    const idle = saved.filter(({ finished, settings, inPlay }) => finished || settings.kind !== "play" || (settings.match === null && !inPlay));
    idle.sort((one, other) => one.updated - other.updated);
    for (const { id } of idle.slice(0, saved.length - MAX_SAVED + 1)) await this.database.deleteSession(id);
  }

  // The requests.

  /** @returns {Promise<import("../static/js/types.js").Catalog>} what can be played */
  async catalog() {
    const { catalog } = await start();
    return { ...catalog, today: today() };
  }

  /** @param {Partial<import("../static/js/types.js").CreateBody>} choices @returns {Promise<SessionData>} a new session */
  async create({ rules, agent, match = null, seed, seat, day }) {
    const { catalog: { defaults } } = await start();
    const chosen = agent ?? defaults.agent;
    const settings = day
      ? daySettings(day, chosen)
      : settingsOf({ rules: rules ?? defaults.rules, agent: chosen, match, seed: seed ?? randomSeed(), seat: seat ?? randomSeed() % 2 });
    return this.add(new Session(settings, agentTitle(settings.agent)));
  }

  /** @returns {Promise<SessionData>} a session with the lesson */
  lesson() {
    return this.add(lessonSession());
  }

  /** @returns {Promise<import("../static/js/types.js").Sessions>} the sessions played last */
  async listSessions() {
    const saved = await this.database.allSessions();
    saved.sort((one, other) => other.updated - one.updated);
    return { sessions: saved.slice(0, MAX_LISTED).map(summaryJson) };
  }

  /** @param {string} id @returns {Promise<SessionData>} a session; if the page was closed while the agent was thinking, it thinks again now */
  async show(id) {
    const entry = await this.open(id);
    await this.reply(entry);
    return entryJson(entry);
  }

  /** @param {string} id @returns {Promise<import("../static/js/types.js").Nothing>} */
  async remove(id) {
    await this.database.deleteSession(id);
    return {};
  }

  /** @param {string} id @param {number} version @param {string} action of the person @returns {Promise<SessionData>} with what the agent answers */
  act(id, version, action) {
    return this.change(id, version, (session) => session.act(action));
  }

  /** @param {string} id @param {number} version @returns {Promise<SessionData>} back at the person's last decision */
  takeBack(id, version) {
    return this.change(id, version, (session) => session.takeBack());
  }

  /** @param {string} id @param {number} version @returns {Promise<SessionData>} with the next deal */
  nextDeal(id, version) {
    return this.change(id, version, (session) => session.nextDeal());
  }

  /** @param {string} id @param {number} version @returns {Promise<SessionData>} with what the network would play */
  async hint(id, version) {
    const network = await networkNow();
    return this.change(id, version, (session) => session.ask((deal) => hintOf(deal.view(deal.turn), deal.rules, network)));
  }

  /** @param {string} id @param {number} version @param {string[]} cards the answer to the memory quiz @returns {Promise<SessionData>} */
  recall(id, version, cards) {
    return this.change(id, version, (session) => session.recall(cards.map(parseCard)));
  }

  /** @param {string} id @param {number} deal its number, from 1 @returns {Promise<Review>} what every decision of a finished deal was worth */
  async review(id, deal) {
    const { session } = await this.open(id);
    const found = await this.reviewOf(id, session, placeOf(session, deal), true);
    await this.rater.rate(id, deal, found);
    return found;
  }

  /** @param {string} id @param {Session} session @param {number} place @param {boolean} urgent whether somebody waits for it @returns {Promise<Review>} worked out once */
  async reviewOf(id, session, place, urgent) {
    const key = `${id} ${place}`;
    const known = this.reviews.get(key);
    if (known !== undefined) {
      known.urgent ||= urgent;
      return known.found;
    }
    const asked = { urgent };
    const rest = () => (asked.urgent ? pause() : this.rater.idle(() => asked.urgent));
    const work = Object.assign(asked, { found: this.makeReview(session, place, rest) });
    this.reviews.set(key, work);
    work.found.catch(() => this.reviews.delete(key));
    const [oldest] = this.reviews.keys();
    if (this.reviews.size > MAX_REVIEWS) this.reviews.delete(oldest);
    return work.found;
  }

  /** @param {Session} session @param {number} place @param {() => Promise<void>} rest @returns {Promise<Review>} */
  async makeReview(session, place, rest) {
    const { rules, agent } = session.settings;
    const { deal } = session.finished[place];
    const network = await networkNow();
    return { deal: place + 1, rules, agent: { spec: agent, title: session.title }, ...await review(deal, session.seat, session.names, network, rest) };
  }

  /** @param {string} id @param {number | null} deal null: all finished deals @returns {Promise<import("../static/js/types.js").Recording>} as text and as a code */
  async recording(id, deal) {
    const { session } = await this.open(id);
    const last = placeOf(session, deal);
    const deals = deal === null ? session.finished : [session.finished[last]];
    const recording = deals.map((one) => recordingLine(one.deal, session.recordedNames)).join("\n");
    return { recording, code: await codeOf(recording) };
  }

  /** @param {string} id @param {number} deal @param {number} move @param {string} action @returns {Promise<SessionData>} practice from a decision on, with another action */
  tryAction(id, deal, move, action) {
    return this.derive(id, (session) => tryAction(session, placeOf(session, deal), move, action));
  }

  /** @param {string} id @param {number} deal @returns {Promise<SessionData>} practice with the seats swapped */
  swap(id, deal) {
    return this.derive(id, (session) => swapSeats(session, placeOf(session, deal)));
  }

  /** @param {string} id @param {(session: Session) => Session} make @returns {Promise<SessionData>} a new session that is made from another one, and remembers it */
  async derive(id, make) {
    const made = make((await this.open(id)).session);
    if (made.earlier !== null) made.earlier.session = id;
    return this.add(made);
  }

  /** @param {string} id @param {number} deal @param {number | null} move @returns {Promise<import("../static/js/types.js").Watch>} what the agent makes of the person's cards, or perfect play from a decision on */
  async watch(id, deal, move) {
    const { session } = await this.open(id);
    const network = needsNetwork(session.settings.agent) ? await networkNow() : null;
    return watch(session, placeOf(session, deal), move, network, pause);
  }

  /** @param {string} text recordings or a code of them @returns {Promise<SessionData>} a session that holds them */
  async openRecordings(text) {
    return this.add(openRecordings(await readDeals(text)));
  }

  /** @returns {Promise<import("../static/js/types.js").Statistics>} */
  async statistics() {
    return summary(await this.database.counted());
  }

  /** @returns {Promise<import("../static/js/types.js").Nothing>} */
  async clearStatistics() {
    await this.database.clearCounted();
    return {};
  }

  /** @returns {Promise<string>} everything that has been counted, as JSON */
  async exportStatistics() {
    return exportText(await this.database.counted());
  }
}

/** @returns {string} a random name */
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Entry} entry @returns {SessionData} as the page gets it */
const entryJson = ({ id, session }) => ({ id, ...sessionJson(session) });

/** @param {Session} session @param {number | null} number from 1; null: the last one @returns {number} the place of a finished deal, from 0 @throws {AnswerError} if there is none */
function placeOf({ finished }, number) {
  const place = (number ?? finished.length) - 1;
  if (place < 0 || place >= finished.length) throw new AnswerError("not_found", finished.length === 0 ? "No deal is finished." : `There is no finished deal ${number} in this game.`);
  return place;
}
