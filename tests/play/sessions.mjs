/**
 * Answer the questions of `tests/play/sessions.py` from standard input, a line of JSON each, with the JavaScript of the page,
 * and stop at the first answer that differs: `node sessions.mjs PAGE`, where PAGE is the folder with the page's modules.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const page = process.argv[2];
const from = (name) => import(pathToFileURL(join(page, "local", name)));
const { setData } = await from("data.js");
setData(JSON.parse(readFileSync(join(page, "local", "catalogue.json"), "utf8")));
const { actionText, parseAction } = await from("engine/actions.js");
const { deckText, parseDeck } = await from("engine/cards.js");
const { rulesNamed } = await from("engine/rules.js");
const { beliefOf } = await from("inference/belief.js");
const { hintOf, options } = await from("session/coach/hints.js");
const { judge } = await from("session/coach/judgement.js");
const { reason } = await from("session/coach/reasons.js");
const { bestLine, openPositions } = await from("session/coach/reviews.js");
const { dealEvents, moveTexts } = await from("session/deal/events.js");
const { TableDeal } = await from("session/deal/table_deal.js");
const { eventTables } = await from("session/deal/tables.js");
const { readLine, recordingLine } = await from("session/recording.js");
const { loadedSession } = await from("session/saved.js");
const { openRecordings, readDeals } = await from("session/shared_deals.js");
const { summary } = await from("session/statistics.js");
const { sessionJson } = await from("session_json.js");

function dealOf({ rules: spec, deck, dealer, actions }) {
  const rules = rulesNamed(spec);
  return new TableDeal(rules, parseDeck(deck, rules.cards), dealer, actions.split(" ").filter(Boolean).map((word) => parseAction(word, rules)));
}

const viewAt = (deal, step) => deal.view(deal.actor(step), step);
const words = (deal) => deal.actions.map(actionText).join(" ");
const camelCase = (record) => Object.fromEntries(Object.entries(record).map(([name, value]) => [name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()), value]));

const ANSWERS = {
  deck: ({ rules, seed, index }) => deckText(TableDeal.atAddress(rulesNamed(rules), seed, index).deck),
  tables: (given) => {
    const deal = dealOf(given);
    const events = dealEvents(deal, given.seat, given.names);
    const tables = eventTables(deal, given.seat, events);
    return events.map((event, place) => ({ ...event, table: tables[place] }));
  },
  open: (given) => [openPositions(dealOf(given), given.seat), moveTexts(dealOf(given), ["You", "B"])],
  session: (given) => sessionJson(loadedSession(given)),
  recording: (given) => {
    const line = recordingLine(dealOf(given), ["you", "heuristic"]);
    if (words(readLine(line, 1).deal) !== given.actions) throw new Error("the recording is read as another deal");
    return line;
  },
  shared: async ({ code }) => sessionJson(openRecordings(await readDeals(code))),
  statistics: summary,
  hint: (given) => hintOf(viewAt(dealOf(given), given.step), rulesNamed(given.rules), new Map()),
  line: async (given) => words(await bestLine(dealOf(given), given.step, async () => {})),
  belief: (given) => {
    const found = beliefOf(rulesNamed(given.rules).game, viewAt(dealOf(given), given.step));
    return [found.expected, found.void];
  },
  reason: (given) => {
    const advice = camelCase(given.advice);
    advice.trick = advice.trick.map((chance) => chance ?? NaN);
    return [reason(viewAt(dealOf(given), given.step), rulesNamed(given.rules), advice), options(advice), advice.actions.map((action) => judge(advice, action))];
  },
};

/** Where two values differ first, and how; null if they do not. */
function difference(wanted, found, path = "") {
  const isObject = (value) => typeof value === "object" && value !== null;
  if (typeof wanted === "number" && typeof found === "number" && Math.abs(wanted - found) < 1e-6) return null;
  if (!isObject(wanted) || !isObject(found)) return wanted === found ? null : `${path}: Python says ${JSON.stringify(wanted)}, the page ${JSON.stringify(found)}`;
  const keys = [...new Set([...Object.keys(wanted), ...Object.keys(found)])];
  for (const key of keys) {
    if (!(key in wanted)) return `${path}.${key}: only the page has it`;
    if (!(key in found)) return `${path}.${key}: only Python has it`;
    const inside = difference(wanted[key], found[key], `${path}.${key}`);
    if (inside !== null) return inside;
  }
  return null;
}

/** A record that says whether it names a level, not which: those of the page are measured by another coach. */
const levelled = (record) => ({ ...record, plays_like: record.plays_like === null });

/** What has to be equal of an answer: a line of JSON has no order of its fields, salts are random, and levels are others. */
const plain = (what, value) => {
  if (what === "recording") return JSON.parse(value);
  if (what === "shared") return { ...value, deal: { ...value.deal, commitment: null, disclosure: null } };
  if (what === "statistics") return { ...levelled(value), groups: value.groups.map(levelled) };
  return value;
};

const count = {};
for await (const line of createInterface({ input: process.stdin })) {
  const { game, deal, what, given, wanted } = JSON.parse(line);
  let found;
  try {
    found = difference(plain(what, wanted), plain(what, await ANSWERS[what](given)));
  } catch (error) {
    found = `: ${error.stack}`;
  }
  if (found !== null) {
    process.stderr.write(`${game}, deal ${deal}, ${what}${found}\n`);
    process.exit(1);
  }
  count[what] = (count[what] ?? 0) + 1;
}
process.stdout.write(`${Object.entries(count).map(([what, number]) => `${number} ${what}`).join(", ")}\n`);
