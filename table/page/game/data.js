// @ts-check
/** `data.json`, which Python writes for the page (`table/page_data.py`): the catalogue, the rules, and whether there is a server. */

import { setRules } from "../engine/rules.js";
import { TableError } from "./errors.js";

/** @typedef {import("./types.js").Catalog} Catalog */

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
 * @property {number | null} seed of every game, where the command line gives one
 * @property {Catalog} catalog
 * @property {Record<string, GameWords>} games by specification of the rules
 * @property {import("../engine/rules.js").Rules[]} rules
 */

/** @type {Data | null} */
let data = null;

/** @param {Data} loaded what `data.json` holds */
export function setData(loaded) {
  data = loaded;
  setRules(loaded.rules);
}

/** @returns {Data} */
export function dataNow() {
  if (data === null) throw new Error("the data are not loaded");
  return data;
}

/** @returns {Promise<Data>} loaded once; a failed attempt may be made again */
export async function loadData() {
  if (data === null) {
    const answer = await fetch("data.json").catch(() => null);
    if (!answer?.ok) throw new TableError("unreachable", "Part of the page could not be loaded. Check your connection.");
    setData(await answer.json());
  }
  return dataNow();
}
