// @ts-check
/** Shared deals: recordings as text or as the code of an address, challenges, and deals by seed and index. */

import { rulesNamed } from "../engine/rules.js";
import { agentsFor, agentTitle } from "./catalogue.js";
import { Episode } from "./deal/episode.js";
import { FinishedDeal, savedDeal } from "./deal/finished.js";
import { takenTricks } from "./deal/words.js";
import { readLine } from "./recording.js";
import { Session } from "./session.js";
import { setupOf } from "./setup.js";
import { countText, YOU } from "./wording.js";

/** @typedef {import("./recording.js").Recorded} Recorded */

export const MAX_DEALS = 100; // opened at once
const MAX_TEXT = 200_000; // letters of all recordings together
export const LINK = "#deal="; // stands before the code of a challenge
export const RECORDING = "#recording="; // stands before the code of recordings
export const SENDER = "The sender"; // the name of whoever sent a link
const DEFAULT_AGENT = "heuristic+exact"; // plays where the recorded player is a person or an unknown agent

/** @param {string} hash an address's part after `#` @returns {[string, string]} what it opens, and the code, the date, the game's id or the numbers; empty: nothing. Messengers escape signs, change the case of the name, and take the full stop of a sentence into a link. */
export function addressOf(hash) {
  const text = hash.replace(/%[0-9a-f]{2}/gi, (sign) => String.fromCharCode(Number.parseInt(sign.slice(1), 16)));
  const [, kind = "", value = ""] = /^#\s*(\w*)\s*=?\s*([\w-]*(?:[,:=][\w-]+)*)/.exec(text) ?? [];
  return [kind.toLowerCase(), value];
}

/** Compress or decompress, up to a limit: a short code could hold gigabytes. @param {Uint8Array} bytes @param {CompressionStream | DecompressionStream} stream @returns {Promise<Uint8Array>} */
async function through(bytes, stream) {
  const writer = stream.writable.getWriter();
  const written = writer.write(new Uint8Array(bytes)).then(() => writer.close());
  written.catch(() => {}); // awaited below; if reading fails first, this error must not go unhandled
  const reader = stream.readable.getReader();
  /** @type {number[]} */
  const found = [];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    found.push(...part.value);
    if (found.length > MAX_TEXT) throw new Error(`The link holds more than ${MAX_TEXT} characters.`);
  }
  await written;
  return new Uint8Array(found);
}

/** @param {string} lines @returns {Promise<string>} in letters, digits, `-` and `_`: compressed, then base64url */
export async function codeOf(lines) {
  const packed = await through(new TextEncoder().encode(lines), new CompressionStream("deflate"));
  return btoa(String.fromCharCode(...packed))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** @param {string} text lines of JSON @returns {Recorded[]} each replayed and checked @throws {Error} if it is something else, or a recording is wrong */
export function readDeals(text) {
  const trimmed = text.trim();
  if (trimmed.length > MAX_TEXT) throw new Error(`The text has more than ${MAX_TEXT} characters.`);
  const found = trimmed
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line, place) => readLine(line, place + 1));
  if (found.length < 1 || found.length > MAX_DEALS)
    throw new Error(`Open 1 to ${MAX_DEALS} recordings at once, not ${found.length}.`);
  if (found.some(({ deal }) => deal.rules !== found[0].deal.rules))
    throw new Error("The recordings are of different games.");
  return found;
}

/** @param {string} code a challenge's code @returns {Promise<string>} the recording in it */
export async function decoded(code) {
  try {
    const packed = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
      letter.charCodeAt(0),
    );
    return new TextDecoder("utf-8", { fatal: true }).decode(await through(packed, new DecompressionStream("deflate")));
  } catch {
    throw new Error("The link is damaged: part of it may be missing.");
  }
}

/**
 * @param {Recorded[]} recordings deals of one game, in order; the players may change seats between them
 * @returns {Session} holds them, for review and for trying other cards; the player is the player named `you`, else seat 0
 * @throws {Error} if the deals are of different players
 */
export function openRecordings(recordings) {
  const [first] = recordings;
  const setup = setupFor(first, "recording");
  const { seat } = setup;
  const deals = recordings.map((recording, place) => tableDeal(recording, place + 1, first.names));
  const session = new Session(
    setup,
    shownName(first.names[1 - seat], YOU),
    deals[deals.length - 1],
    shownName(first.names[seat], YOU),
  );
  session.finished = deals.map((deal) => new FinishedDeal(savedDeal(deal, false, null, ""), deal.rules));
  return session;
}

/**
 * Return the same deal to be played blind and then compared, against the same opponent where the page has it.
 *
 * @param {string} line the recording
 * @returns {Session}
 * @throws {Error} if the recording is wrong
 */
export function challengeOf(line) {
  const [sent] = readDeals(line);
  const setup = setupFor(sent, "challenge");
  const { agent, seat } = setup;
  const { rules, deck, dealer } = sent.deal;
  const session = new Session(setup, agentTitle(agent), new Episode(rules, deck, dealer));
  session.sent = line;
  const opponent = sent.names[1 - seat];
  const against = opponent === agent ? "" : ` against ${shownName(opponent, YOU)}`;
  const taken = takenTricks(sent.deal.state, rules)[seat];
  session.earlier = {
    text: `${SENDER} took ${countText(taken, "trick")}${against}`,
    swapped: false,
    session: null,
    deal: 1,
    move: null,
  };
  return session;
}

/**
 * Return practice with the deal of an address, for seat 0.
 *
 * @param {string} address `SEED,INDEX` or `RULES,SEED,INDEX`
 * @param {{rules: string, agent: string}} defaults
 * @returns {Session}
 * @throws {Error} if it is not such an address, or the page does not play the rules
 */
export function dealAt(address, defaults) {
  const [, rules = defaults.rules, seed, index] = /^(?:(.+),)?(\d+),(\d+)$/.exec(address) ?? [];
  if (!Number.isSafeInteger(Number(seed)) || !Number.isSafeInteger(Number(index)))
    throw new Error(`A deal's address is SEED,INDEX or RULES,SEED,INDEX, both numbers below 2⁵³, not ${address}.`);
  const agent = agentsFor(rules).includes(defaults.agent) ? defaults.agent : DEFAULT_AGENT;
  const setup = setupOf({ rules, agent, seed: Number(seed), kind: "practice" });
  return new Session(setup, agentTitle(agent), Episode.atAddress(rulesNamed(rules), Number(seed), Number(index)));
}

/** @param {Recorded} recorded @param {import("./types.js").SessionKind} kind @returns {import("./setup.js").Setup} the player is the player named `you`, else seat 0 */
function setupFor({ deal, names }, kind) {
  const seat = Math.max(names.indexOf("you"), 0);
  const opponent = names[1 - seat];
  const rules = deal.rules.spec;
  return setupOf({ rules, agent: agentsFor(rules).includes(opponent) ? opponent : DEFAULT_AGENT, seat, kind });
}

/** @param {string} name @param {string} you @returns {string} what to call a recorded player */
const shownName = (name, you) => (name === "you" ? you : agentTitle(name));

/** @param {Recorded} recorded @param {number} number @param {[string, string]} names @returns {Episode} the deal with its players on the seats of `names` */
function tableDeal(recorded, number, names) {
  const { deal } = recorded;
  const [first, second] = recorded.names;
  if (first === names[0] && second === names[1]) return deal;
  if (first === names[1] && second === names[0])
    return new Episode(deal.rules, deal.deck, 1 - deal.dealer, deal.actions, deal.claimed);
  throw new Error(
    `Recording ${number} has other players (${first} and ${second}) than the first one (${names.join(" and ")}).`,
  );
}
