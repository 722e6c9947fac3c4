// @ts-check
/** The settings of the page, kept in the browser. */

const KEY = "german-whist.settings";
const SESSION = "german-whist.session";

/**
 * @typedef {object} Settings
 * @property {"auto" | "row" | "stacked"} hand
 * @property {"usual" | "large"} cards
 * @property {"alternate" | "classic"} suits
 * @property {"modern" | "classic" | "four-colour"} faces
 * @property {"lattice" | "waves" | "diamonds"} back
 * @property {"red" | "blue" | "green" | "grey"} backColor
 * @property {boolean} singleTap
 * @property {boolean} forced  whether a card without an alternative plays itself
 * @property {boolean} tapsExplained  whether the player has been told that a second tap plays a card
 * @property {boolean} sound
 * @property {"normal" | "fast" | "none" | "instant"} speed
 * @property {"auto" | "portrait" | "landscape"} orientation
 * @property {boolean} known  show the cards that the opponent is known to hold
 * @property {boolean} shortcuts
 * @property {boolean} memoryQuiz  ask for the opponent's hand when the stock is gone
 * @property {number} dealsKept  how many deals there were when a file of them was last offered or saved
 * @property {boolean} welcomed  whether the player has ever chosen an opponent
 * @property {boolean} taught  whether the lesson has been begun
 * @property {{rules: string, agent: string, match: string | null}} game  what was played last
 * @property {string} defaults  the command line's defaults when `game` was chosen
 */

/** @type {Settings} */
const DEFAULTS = {
  hand: "auto",
  cards: "usual",
  suits: "alternate",
  faces: Math.min(window.innerWidth, window.innerHeight) < 600 ? "modern" : "classic",
  back: "lattice",
  backColor: "red",
  singleTap: false,
  forced: true,
  tapsExplained: false,
  sound: true,
  speed: "normal",
  orientation: "auto",
  known: false,
  shortcuts: true,
  memoryQuiz: false,
  dealsKept: 0,
  welcomed: false,
  taught: false,
  game: { rules: "", agent: "", match: null },
  defaults: "",
};

/** @returns {Settings} */
const load = () => ({ ...DEFAULTS, ...JSON.parse(kept(KEY) ?? "{}") });

/** @type {Settings} */
export const settings = load();

/** @type {(() => void)[]} */
const listeners = [];

/** @param {() => void} listener called after every change */
export function onSettings(listener) {
  listeners.push(listener);
}

/**
 * Keep a text in the browser, if it allows that.
 *
 * @param {string} key
 * @param {string} text
 */
function keep(key, text) {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Storage is full or forbidden: the text is lost with the page.
  }
}

/** @param {string} key @returns {string | null} a text that was kept */
function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} id the session to go on with when the page is opened again */
export function keepSession(id) {
  keep(SESSION, id);
}

/** @returns {string | null} */
export function keptSession() {
  return kept(SESSION);
}

/**
 * Change settings, and keep them.
 *
 * @param {Partial<Settings>} changes
 */
export function change(changes) {
  Object.assign(settings, changes);
  keep(KEY, JSON.stringify(settings));
  for (const listener of listeners) listener();
}

const reduced = window.matchMedia("(prefers-reduced-motion: reduce)");

/** @returns {number} factor of all durations; 0: no animation */
export function pace() {
  if (reduced.matches) return 0;
  return { normal: 1, fast: 0.4, none: 0, instant: 0 }[settings.speed];
}

/** @returns {number} factor of the pauses that let a reply be seen; unlike `pace`, not 0 without animation */
export function tempo() {
  return { normal: 1, fast: 0.4, none: 0.4, instant: 0 }[settings.speed];
}

window.addEventListener("storage", (event) => {
  if (event.key !== KEY) return;
  Object.assign(settings, load());
  for (const listener of listeners) listener();
});
