// @ts-check
/** Recordings: played deals as short lines of JSON that stand alone (`evaluation/recording.py`). */

import { actionText, deckText, parseAction, parseDeck } from "../engine/cards.js";
import { dealDeck } from "../engine/dealing.js";
import { ruleSpecs, rulesNamed } from "../engine/rules.js";
import { wordsOf } from "./catalogue.js";
import { Episode } from "./deal/episode.js";

const VERSION = 1;

/** @typedef {{deal: Episode, names: [string, string]}} Recorded a finished deal, and names of the players by seat */

/** @param {Episode} deal finished @param {[string, string]} names @returns {string} one line of JSON */
export function recordingLine(deal, names) {
  const { margin, points, tricks } = deal.result();
  return JSON.stringify({
    version: VERSION,
    rules: wordsOf(deal.rules.spec).changes,
    deck: deckText(deal.deck),
    dealer: deal.dealer,
    names,
    actions: deal.actions.map((action) => actionText(action, deal.rules)).join(" "),
    ...(deal.claimed === null ? {} : { claimed: deal.claimed }),
    result: { margin, points, tricks },
  });
}

/**
 * Read a line and play the deal again.
 *
 * @param {string} line
 * @param {number} number the recording's number from 1, for errors
 * @returns {Recorded}
 * @throws {Error} if it is no recording of a finished deal, or of a game that the page does not play
 */
export function readLine(line, number) {
  let given;
  try {
    given = JSON.parse(line);
  } catch {
    throw new Error(`Recording ${number} is not a line of JSON.`);
  }
  const {
    version,
    rules: changes,
    deal: address,
    deck: cards,
    dealer,
    names,
    actions,
    claimed = null,
    result,
  } = given ?? {};
  const areNames =
    Array.isArray(names) && names.length === 2 && names.every((name) => typeof name === "string" && name !== "");
  const isClaim = claimed === null || Number.isInteger(claimed);
  if (
    version !== VERSION ||
    !areNames ||
    typeof actions !== "string" ||
    changes?.constructor !== Object ||
    (dealer !== 0 && dealer !== 1) ||
    !isClaim
  ) {
    throw new Error(`Recording ${number} is not one of version ${VERSION}.`);
  }
  const isAddress =
    Array.isArray(address) && address.length === 2 && address.every((part) => Number.isSafeInteger(part) && part >= 0);
  if (address !== undefined && !isAddress)
    throw new Error(`Recording ${number}: deal must be [seed, index], both below 2⁵³, not ${JSON.stringify(address)}.`);
  const rules = rulesOf(changes);
  const deck = address === undefined ? parseDeck(String(cards), rules.cards) : dealDeck(rules, address[0], address[1]);
  const deal = new Episode(
    rules,
    deck,
    dealer,
    actions
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => parseAction(word, rules)),
    claimed,
  );
  if (!deal.done) throw new Error(`Recording ${number} breaks off after ${deal.actions.length} moves.`);
  if (deal.result().margin !== result?.margin)
    throw new Error(
      `Recording ${number} ends with a margin of ${deal.result().margin}, but records ${result?.margin}.`,
    );
  return { deal, names: [names[0], names[1]] };
}

/** @param {Record<string, unknown>} changes the settings that differ from the classic game @returns {import("../engine/rules.js").Rules} */
function rulesOf(changes) {
  const sorted = (/** @type {Record<string, unknown>} */ object) => JSON.stringify(Object.entries(object).sort());
  const spec = ruleSpecs().find((one) => sorted(wordsOf(one).changes) === sorted(changes));
  if (spec === undefined)
    throw new Error("This page does not play the game of the recording, but german-whist draw shows it.");
  return rulesNamed(spec);
}
