// @ts-check
/**
 * What Python has written for the page (`docs/play/build.py`): the catalogue, the rules and the lesson, loaded first, and
 * the network, loaded when it is to play.
 */

import { readNetwork } from "./engine/network/network.js";
import { setRules } from "./engine/rules.js";

/** @typedef {import("../static/js/types.js").Catalog} Catalog */
/** @typedef {import("./engine/network/network.js").Network} Network */

/**
 * The rules of a session: in figures for the page, and as recordings write them.
 *
 * @typedef {object} GameData
 * @property {import("../static/js/types.js").Game} game
 * @property {Record<string, unknown>} changes the settings that differ from the classic game
 */

/**
 * The lesson of `session/lesson.py`.
 *
 * @typedef {object} LessonData
 * @property {string} rules
 * @property {string} teacher
 * @property {number} seat the person's
 * @property {string} deck
 * @property {string[]} plays the teacher's cards in the foreplay
 * @property {[string, string[]][]} steps what is said at each decision, and what may be played; nothing: any
 * @property {string} end
 */

/**
 * @typedef {object} Data
 * @property {Catalog} catalog
 * @property {Record<string, GameData>} games by specification of the rules
 * @property {LessonData} lesson
 * @property {import("./engine/rules.js").Rules[]} rules
 */

/** @type {Data | null} */
let data = null;

/** @param {Data} loaded what `catalogue.json` holds */
export function setData(loaded) {
  data = loaded;
  setRules(loaded.rules);
}

/** @returns {Data} */
export function dataNow() {
  if (data === null) throw new Error("the catalogue is not loaded");
  return data;
}

/** @param {string} name of a file beside this one @returns {Promise<Response>} */
async function fetched(name) {
  const answer = await fetch(name).catch(() => null);
  if (!answer?.ok) throw new Error("The page cannot load all of its parts: is there a connection?");
  return answer;
}

/** @type {(catalogue: string | null) => void} */
let resolve;
/** @type {Promise<string | null>} */
const supplied = new Promise((settle) => { resolve = settle; });

/** @param {string | null} catalogue what `catalogue.json` holds, which the page has loaded; null if it could not */
export function supply(catalogue) {
  resolve(catalogue);
}

/** @type {Promise<Data> | null} */
let starting = null;

/** @returns {Promise<Data>} loaded once */
export function start() {
  starting ??= supplied.then(async (text) => text ?? (await fetched("catalogue.json")).text()).then((text) => {
    setData(JSON.parse(text));
    return dataNow();
  }).catch((error) => {
    starting = null;
    throw error;
  });
  return starting;
}

/** @type {Promise<Network> | null} */
let network = null;

/** @returns {Promise<Network>} that of `small`, loaded once */
export async function networkNow() {
  network ??= fetched("small.safetensors").then((answer) => answer.arrayBuffer()).then(readNetwork).catch((error) => {
    network = null;
    throw error;
  });
  return network;
}
