// @ts-check
/** `data.json`, which Python writes for the page (`table/page_data.py`): the catalogue, the rules, and whether there is a server. */

import { setConstants } from "../engine/constants.js";
import { loadKernels } from "../engine/kernels.js";
import { setRules } from "../engine/rules.js";
import { PageError } from "./errors.js";

/**
 * A way to score a game.
 *
 * @typedef {object} Scoring
 * @property {string} title  its name for people
 * @property {string} rules  what a new session takes as `rules`
 * @property {string[]} [agents]  specifications of the agents that can play it, where they are not those of the game
 */

/**
 * A game of the catalogue.
 *
 * @typedef {object} GameEntry
 * @property {string} id  name of the preset
 * @property {string} title  its name for people
 * @property {string} summary  what it is, in one line
 * @property {Scoring[]} scorings  its scorings; the first is the preset's own
 * @property {string[]} agents  specifications of the agents that can play it, the easiest first
 */

/**
 * An agent of the catalogue.
 *
 * @typedef {object} AgentEntry
 * @property {string} spec  its specification
 * @property {string} title  its name for people
 * @property {string} level  how hard it is
 * @property {Record<string, string>} strength  how strong it is, as a sentence by game, where it was measured
 * @property {number | null} accuracy  its accuracy in classic, measured as yours is; `null`: unknown
 * @property {boolean} own  whether the page plays it by itself, without a server
 * @property {number | null} bytes  of the network that the page loads for it; `null`: it needs none
 * @property {string} description  what it does
 * @property {boolean} [judges]  whether it is a network of the command line, whose values the coach shows
 */

/**
 * What the page proposes at first.
 *
 * @typedef {object} Defaults
 * @property {string} rules  specification of the rules
 * @property {string} agent  specification of the agent
 * @property {string | null} match  specification of the match
 */

/**
 * What can be played.
 *
 * @typedef {object} Catalog
 * @property {GameEntry[]} games
 * @property {AgentEntry[]} agents  the agents, from the easiest to the hardest
 * @property {string[]} suggested  specifications of the opponents that the command line names
 * @property {Defaults} defaults  those of the command line
 */

/**
 * Rules in words.
 *
 * @typedef {object} GameWords
 * @property {string} title their name for people
 * @property {string} text all of them
 * @property {Record<string, unknown>} changes the settings that differ from the classic game, as recordings write them
 */

/**
 * @typedef {object} Data
 * @property {boolean} server whether a server answers `api/act` and `api/advise`
 * @property {number | null} seed every game's seed, where the command line gives one
 * @property {Catalog} catalog
 * @property {Record<string, GameWords>} games keys: specifications of the rules
 * @property {import("../engine/rules.js").Rules[]} rules
 * @property {import("../engine/constants.js").Constants} constants
 */

/** @type {Data | null} */
let data = null;

/** @param {Data} loaded what `data.json` holds */
export function setData(loaded) {
  data = loaded;
  setRules(loaded.rules);
  setConstants(loaded.constants);
}

/** @returns {Data} */
export function dataNow() {
  if (data === null) throw new Error("the data are not loaded");
  return data;
}

/** @returns {PageError} the error of a file of the page that does not come */
export const notLoaded = () =>
  new PageError("refused", "The page could not be loaded. Check your connection and reload.");

/** @param {string} name a file of the page @returns {Promise<Response>} @throws {PageError} if it does not come */
export async function part(name) {
  const answer = await fetch(name).catch(() => null);
  if (!answer?.ok) throw notLoaded();
  return answer;
}

const TOO_OLD = "This browser is too old for the page, which needs Chrome 97, Firefox 102, Safari 16.4 or a later one.";

/** @returns {Promise<Data>} loaded once, and the rules with it; a failed attempt may be made again */
export async function loadData() {
  if (data === null) {
    const rules = loadKernels("rules", part).catch((error) => {
      throw error instanceof PageError ? error : new PageError("refused", TOO_OLD);
    });
    const [loaded] = await Promise.all([part("data.json").then((answer) => answer.json()), rules]);
    setData(loaded);
  }
  return dataNow();
}
