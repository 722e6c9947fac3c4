// @ts-check
/** Deals to share: recordings as text, and the same as a code that fits a link. */

import { YOU } from "./wording.js";
import { agentsFor, agentTitle } from "./catalogue.js";
import { TableDeal } from "./deal/table_deal.js";
import { newSalt, Session } from "./game_session.js";
import { readLine } from "./recording.js";
import { settingsOf } from "./settings.js";

/** @typedef {import("./recording.js").Recorded} Recorded */

const MAX_DEALS = 100;
const MAX_TEXT = 200_000; // letters of all recordings together
const DEFAULT_AGENT = "heuristic+exact"; // plays where the recorded player is a person or an unknown agent

/** @param {Uint8Array} bytes @param {CompressionStream | DecompressionStream} stream @returns {Promise<Uint8Array>} */
async function through(bytes, stream) {
  const writer = stream.writable.getWriter();
  const written = writer.write(new Uint8Array(bytes)).then(() => writer.close());
  written.catch(() => {}); // it is awaited below, unless reading fails first
  const reader = stream.readable.getReader();
  /** @type {number[]} */
  const found = [];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    found.push(...part.value);
    if (found.length > MAX_TEXT) throw new Error(`the code holds more than ${MAX_TEXT} letters`);
  }
  await written;
  return new Uint8Array(found);
}

/** @param {string} lines @returns {Promise<string | null>} null where the browser cannot compress; letters, digits, `-` and `_`: compressed, then base64 for addresses */
export async function codeOf(lines) {
  if (typeof CompressionStream === "undefined") return null;
  const packed = await through(new TextEncoder().encode(lines), new CompressionStream("deflate"));
  return btoa(String.fromCharCode(...packed)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} text lines of JSON, or a code of them @returns {Promise<Recorded[]>} each replayed and checked @throws {Error} if it is neither, or a recording is wrong */
export async function readDeals(text) {
  const trimmed = text.trim();
  if (trimmed.length > MAX_TEXT) throw new Error(`the text has more than ${MAX_TEXT} letters`);
  const lines = /^[\w-]+$/.test(trimmed) ? await decoded(trimmed) : trimmed;
  const found = lines.split("\n").filter((line) => line.trim() !== "").map((line, place) => readLine(line, place + 1));
  if (found.length < 1 || found.length > MAX_DEALS) throw new Error(`the number of recordings must be an integer from 1 to ${MAX_DEALS}, got ${found.length}`);
  if (found.some(({ deal }) => deal.rules !== found[0].deal.rules)) throw new Error("the recordings are of different games");
  return found;
}

/** @param {string} code @returns {Promise<string>} */
async function decoded(code) {
  try {
    const packed = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(await through(packed, new DecompressionStream("deflate")));
  } catch {
    throw new Error("This is neither a recording nor a link to one, or it is damaged: a part may be missing.");
  }
}

/**
 * @param {Recorded[]} recordings deals of one game, in order; the players may change seats between them
 * @param {string} [you] what to call the player named `you`
 * @returns {Session} holds them, for review and for trying other cards; the person is the player named `you`, else seat 0
 * @throws {Error} if the deals are of different players
 */
export function openRecordings(recordings, you = YOU) {
  const last = recordings[recordings.length - 1];
  const seat = Math.max(last.names.indexOf("you"), 0);
  const opponent = last.names[1 - seat];
  const rules = last.deal.rules.spec;
  const agent = agentsFor(rules).includes(opponent) ? opponent : DEFAULT_AGENT;
  const settings = settingsOf({ rules, agent, seat, kind: "recording" });
  const deals = recordings.map((recording, place) => tableDeal(recording, place + 1, last.names));
  const session = new Session(settings, shownName(opponent, you), deals[deals.length - 1], shownName(last.names[seat], you));
  session.finished = deals.map((deal) => ({ deal, salt: newSalt(), assisted: false, time: "", recalled: null }));
  session.salt = session.finished[session.finished.length - 1].salt; // the last deal lies on the table, under one hash
  return session;
}

/** @param {string} name @param {string} you @returns {string} what to call a recorded player */
const shownName = (name, you) => (name === "you" ? you : agentTitle(name));

/** @param {Recorded} recorded @param {number} number @param {[string, string]} names @returns {TableDeal} with its players on the seats of `names` */
function tableDeal(recorded, number, names) {
  const { deal } = recorded;
  const [first, second] = recorded.names;
  if (first === names[0] && second === names[1]) return deal;
  if (first === names[1] && second === names[0]) return new TableDeal(deal.rules, deal.deck, 1 - deal.dealer, deal.actions, deal.claimed);
  throw new Error(`recording ${number}: ${first} and ${second} play it, but ${names.join(" and ")} the last one`);
}
