// @ts-check
/**
 * What Python has written for the page: the catalogue, the rules in words, the lesson (`catalogue.json`, loaded first), and
 * the networks, loaded when one of them is to play.
 */

/** @typedef {import("../static/js/types.js").Catalog} Catalog */

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
 */

/** @type {Data | null} */
let data = null;

/** @param {Data} loaded what `catalogue.json` holds */
export function setData(loaded) {
  data = loaded;
}

/** @returns {Data} */
export function dataNow() {
  if (data === null) throw new Error("the catalogue is not loaded");
  return data;
}
