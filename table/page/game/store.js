// @ts-check
/**
 * What the browser keeps: sessions, counted deals and matches, mistakes to practise, in IndexedDB, each change in one
 * transaction. Where it keeps nothing, or has no room left, the player is told once, and everything lasts as long as the page.
 */

const NAME = "german-whist";
const VERSION = 2;
const SESSIONS = "sessions";
const DEALS = "countedDeals";
const MATCHES = "countedMatches";
const EXERCISES = "exercises"; // since version 2

/** Keys of the rows. */
const KEYS = {
  [SESSIONS]: "id",
  [DEALS]: ["session", "deal"],
  [MATCHES]: "session",
  [EXERCISES]: ["rules", "deck", "dealer", "actions"],
};

/**
 * A saved session, complete enough to go on after any card.
 *
 * @typedef {object} SavedSession
 * @property {string} id
 * @property {import("./setup.js").Setup} settings
 * @property {string} title the agent's name
 * @property {string} person the player's name
 * @property {number} version
 * @property {number} updated milliseconds since 1970
 * @property {boolean} finished whether no further deal follows
 * @property {boolean} inPlay whether a deal is not over
 * @property {string | null} outcome what its finished deals have brought, in words
 * @property {import("./types.js").Earlier | null} earlier
 * @property {string | null} sent in a challenge, the recording of the sender's deal
 * @property {import("./seal.js").Seal | null} [seal] absent in games of earlier versions
 * @property {boolean} [revealed]
 * @property {SavedDeal[]} deals the last is the one on the table
 */

/**
 * @typedef {object} SavedDeal
 * @property {string} deck
 * @property {number} dealer
 * @property {string} actions
 * @property {number | null} claimed how many actions were played before the rest was claimed
 * @property {boolean} assisted
 * @property {number[] | null} recalled
 * @property {string | null} ended when, ISO 8601 in UTC; null while it is played
 * @property {import("./deal/episode.js").DealResult} [result] a finished deal's; absent in games of earlier versions
 */

/**
 * A deal of the statistics. `session` and `deal` name it; the last three are worked out later.
 *
 * @typedef {object} CountedDeal
 * @property {string} session
 * @property {number} deal
 * @property {string} time
 * @property {string} rules
 * @property {string} agent
 * @property {number} margin
 * @property {boolean} low whether the endgame was played low
 * @property {boolean} assisted
 * @property {string | null} day
 * @property {number | null} recalled
 * @property {number | null} held
 * @property {number | null} given_away
 * @property {number | null} at_stake
 * @property {number | null} par
 */

/** @typedef {{session: string, rules: string, agent: string, match: string, won: boolean, assisted: boolean, time: string}} CountedMatch */

/** @typedef {{deals: CountedDeal[], matches: CountedMatch[]}} Counted */

/** @typedef {import("./practice.js").Exercise} Exercise */

/** @param {Exercise} exercise @returns {string} what names it */
const nameOf = ({ rules, deck, dealer, actions }) => [rules, deck, dealer, actions].join("|");

/**
 * @template Result
 * @param {IDBRequest<Result>} asked
 * @returns {Promise<Result>}
 */
function resultOf(asked) {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

const PATIENCE = 3000; // milliseconds after which a storage that does not answer counts as none

/** @returns {Promise<IDBDatabase>} */
async function openFile() {
  const asked = indexedDB.open(NAME, VERSION);
  asked.onupgradeneeded = () => {
    const file = asked.result;
    for (const [name, keyPath] of Object.entries(KEYS))
      if (!file.objectStoreNames.contains(name)) file.createObjectStore(name, { keyPath });
  };
  const opened = resultOf(asked).then((file) => {
    file.onversionchange = () => file.close(); // another tab has a newer version of the page, and waits for this
    return file;
  });
  const silence = new Promise((_, reject) => setTimeout(reject, PATIENCE));
  return Promise.race([opened, silence]);
}

/** @param {unknown} error @returns {boolean} whether there is no room left */
const isFull = (error) => error instanceof DOMException && error.name === "QuotaExceededError";

/** Sessions and statistics. What cannot be saved is kept in memory. */
export class Store {
  constructor() {
    /** @type {(notice: string) => void} tells the player that nothing is saved any more */
    this.notify = () => {};
    /** @type {Map<string, SavedSession | null>} what could not be saved; null: deleted */
    this.sessions = new Map();
    /** @type {Map<string, SavedSession>} what was read or saved last, should the browser give it out no more */
    this.known = new Map();
    /** @type {Map<string, CountedDeal>} */
    this.deals = new Map();
    /** @type {Map<string, CountedMatch>} */
    this.matches = new Map();
    /** @type {Map<string, Exercise>} */
    this.exercises = new Map();
    this.cleared = false;
    this.full = false;
    /** @type {Promise<IDBDatabase | null>} */
    this.file = this.open();
  }

  /** @returns {Promise<IDBDatabase | null>} null where the browser keeps nothing */
  open() {
    return openFile().catch((error) => this.refused(error));
  }

  /** @param {unknown} error @returns {null} */
  refused(error) {
    this.notify(
      `${isFull(error) ? "Your browser has no room left" : "Your browser saves nothing here"}: your games last only until you close the page.`,
    );
    return null;
  }

  /**
   * Do some work in one transaction, once more if that fails: phones end the connection of a page in the background. After
   * the first change that fails twice, all changes stay in memory.
   *
   * @template Result
   * @template Otherwise
   * @param {IDBTransactionMode} mode
   * @param {(transaction: IDBTransaction) => Promise<Result>} work
   * @param {Otherwise} otherwise the result where nothing can be read or saved
   * @param {boolean} [again] whether a failure may be the connection's
   * @returns {Promise<Result | Otherwise>}
   */
  async transact(mode, work, otherwise, again = true) {
    const opened = this.file;
    const file = await opened;
    if (file === null || (this.full && mode === "readwrite")) return otherwise;
    try {
      const transaction = file.transaction(Object.keys(KEYS), mode);
      const ended = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
      ended.catch(() => {}); // an error is handled below
      const found = await work(transaction);
      await ended;
      return found;
    } catch (error) {
      if (again && !isFull(error)) {
        file.close();
        if (this.file === opened) this.file = this.open();
        return this.transact(mode, work, otherwise, false);
      }
      this.refused(error);
      if (mode === "readwrite")
        this.full = true; // what is there can still be read
      else this.file = Promise.resolve(null);
      return otherwise;
    }
  }

  /** @param {string} id @returns {Promise<SavedSession | null>} null if there is none */
  async session(id) {
    const kept = this.sessions.get(id);
    if (kept !== undefined) return kept;
    const read = (/** @type {IDBTransaction} */ transaction) => resultOf(transaction.objectStore(SESSIONS).get(id));
    const found = await this.transact("readonly", read, this.known.get(id));
    if (found !== undefined) this.known.set(id, found);
    return found ?? null;
  }

  /** @returns {Promise<SavedSession[]>} all sessions */
  async allSessions() {
    /** @type {SavedSession[]} */
    const saved = await this.transact(
      "readonly",
      (transaction) => resultOf(transaction.objectStore(SESSIONS).getAll()),
      [],
    );
    const found = new Map(saved.map((row) => /** @type {[string, SavedSession | null]} */ ([row.id, row])));
    for (const [id, row] of this.sessions) found.set(id, row);
    return [...found.values()].filter((row) => row !== null);
  }

  /**
   * Save a session, together with the deals and the match that have ended since.
   *
   * @param {SavedSession} row
   * @param {number | null} seen the version that was read; null: it is new
   * @param {CountedDeal[]} deals
   * @param {CountedMatch | null} match
   * @returns {Promise<boolean>} false if another tab has saved another version: nothing has changed then
   */
  async save(row, seen, deals, match) {
    const write = async (/** @type {IDBTransaction} */ transaction) => {
      const sessions = transaction.objectStore(SESSIONS);
      if (seen !== null) {
        const before = await resultOf(sessions.get(row.id));
        if (before !== undefined && before.version !== seen) return "stale";
      }
      sessions.put(row);
      for (const deal of deals) transaction.objectStore(DEALS).put(deal);
      if (match !== null) transaction.objectStore(MATCHES).put(match);
      return "saved";
    };
    const done = await this.transact("readwrite", write, "unsaved");
    if (done === "saved") this.known.set(row.id, row);
    if (done !== "unsaved") return done === "saved";
    this.sessions.set(row.id, row);
    for (const deal of deals) this.deals.set(`${deal.session} ${deal.deal}`, deal);
    if (match !== null) this.matches.set(match.session, match);
    return true;
  }

  /** Add what is not there. @param {SavedSession[]} sessions @param {Counted} counted @param {Exercise[]} [exercises] @returns {Promise<number | null>} how many games, counted deals and mistakes that were; null where nothing can be saved */
  async merge(sessions, { deals, matches }, exercises = []) {
    const write = async (/** @type {IDBTransaction} */ transaction) => {
      let added = 0;
      const addTo = async (/** @type {string} */ name, /** @type {any} */ row, /** @type {IDBValidKey} */ key) => {
        const rows = transaction.objectStore(name);
        if ((await resultOf(rows.getKey(key))) !== undefined) return;
        rows.put(row);
        if (name !== MATCHES) added += 1;
      };
      for (const row of sessions) await addTo(SESSIONS, row, row.id);
      for (const row of deals) await addTo(DEALS, row, [row.session, row.deal]);
      for (const row of matches) await addTo(MATCHES, row, row.session);
      for (const row of exercises) await addTo(EXERCISES, row, [row.rules, row.deck, row.dealer, row.actions]);
      return added;
    };
    return this.transact("readwrite", write, null);
  }

  /** @param {string} id */
  async deleteSession(id) {
    this.known.delete(id);
    const remove = async (/** @type {IDBTransaction} */ transaction) => {
      transaction.objectStore(SESSIONS).delete(id);
      return true;
    };
    if (await this.transact("readwrite", remove, false)) this.sessions.delete(id);
    else this.sessions.set(id, null);
  }

  /** @returns {Promise<Counted>} everything that has been counted, the oldest first */
  async counted() {
    const read = async (/** @type {IDBTransaction} */ transaction) => ({
      deals: await resultOf(transaction.objectStore(DEALS).getAll()),
      matches: await resultOf(transaction.objectStore(MATCHES).getAll()),
    });
    /** @type {Counted} */
    const saved = await this.transact("readonly", read, { deals: [], matches: [] });
    if (this.cleared) Object.assign(saved, { deals: [], matches: [] });
    const deals = new Map(saved.deals.map((deal) => [`${deal.session} ${deal.deal}`, deal]));
    for (const [key, deal] of this.deals) deals.set(key, deal);
    const byTime = (
      /** @type {{time: string, deal?: number}} */ one,
      /** @type {{time: string, deal?: number}} */ other,
    ) => (one.time < other.time ? -1 : one.time > other.time ? 1 : (one.deal ?? 0) - (other.deal ?? 0));
    return {
      deals: [...deals.values()].sort(byTime),
      matches: [...saved.matches, ...this.matches.values()].sort(byTime),
    };
  }

  /**
   * Add a rating to a deal that has been counted, without replacing what it has.
   *
   * @param {string} session
   * @param {number} number
   * @param {Pick<CountedDeal, "given_away" | "at_stake" | "par">} rating
   */
  async rate(session, number, rating) {
    const add = (/** @type {CountedDeal} */ deal) => ({
      ...deal,
      given_away: deal.given_away ?? rating.given_away,
      at_stake: deal.at_stake ?? rating.at_stake,
      par: deal.par ?? rating.par,
    });
    const write = async (/** @type {IDBTransaction} */ transaction) => {
      const store = transaction.objectStore(DEALS);
      const deal = await resultOf(store.get([session, number]));
      if (deal !== undefined) store.put(add(deal));
      return true;
    };
    const key = `${session} ${number}`;
    const kept = this.deals.get(key);
    if (kept !== undefined) this.deals.set(key, add(kept));
    else await this.transact("readwrite", write, false);
  }

  /** @returns {Promise<Exercise[]>} all mistakes to practise */
  async allExercises() {
    const read = (/** @type {IDBTransaction} */ transaction) => resultOf(transaction.objectStore(EXERCISES).getAll());
    /** @type {Exercise[]} */
    const saved = await this.transact("readonly", read, []);
    const found = new Map((this.cleared ? [] : saved).map((row) => [nameOf(row), row]));
    for (const [name, row] of this.exercises) found.set(name, row);
    return [...found.values()];
  }

  /** Add what is not there. @param {Exercise[]} exercises */
  async addExercises(exercises) {
    if ((await this.merge([], { deals: [], matches: [] }, exercises)) !== null) return;
    const known = new Set((await this.allExercises()).map(nameOf));
    for (const row of exercises) if (!known.has(nameOf(row))) this.exercises.set(nameOf(row), row);
  }

  /** @param {Exercise} exercise new, or changed */
  async putExercise(exercise) {
    const write = async (/** @type {IDBTransaction} */ transaction) => {
      transaction.objectStore(EXERCISES).put(exercise);
      return true;
    };
    if (!(await this.transact("readwrite", write, false))) this.exercises.set(nameOf(exercise), exercise);
  }

  /** Forget everything that has been counted, and the mistakes to practise. */
  async clearCounted() {
    this.deals.clear();
    this.matches.clear();
    this.exercises.clear();
    const clear = async (/** @type {IDBTransaction} */ transaction) => {
      for (const name of [DEALS, MATCHES, EXERCISES]) transaction.objectStore(name).clear();
      return true;
    };
    this.cleared = !(await this.transact("readwrite", clear, false));
  }
}
