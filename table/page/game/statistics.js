// @ts-check
/** Statistics of a player's deals: results, accuracy, luck apart from skill, streaks. */

import { rulesNamed } from "../engine/rules.js";
import { tricksTaken } from "../judge/tricks.js";
import { hasAccuracies, knowsRules, playsLike } from "./catalogue.js";
import { accuracyOf } from "./coach/judgement.js";
import { score } from "./recall.js";
import { round } from "./wording.js";

/** @typedef {import("./store.js").CountedDeal} CountedDeal */
/** @typedef {import("./store.js").CountedMatch} CountedMatch */
/** @typedef {import("./store.js").Counted} Counted */

const RECENT = 100;
const ENOUGH = 10; // rated deals before accuracy, luck and skill are shown: fewer say nothing

/**
 * Only sessions of kind `play` count.
 *
 * @param {string} id the session's
 * @param {import("./session.js").Session} session
 * @param {number} first place of the first finished deal to count, from 0
 * @returns {{deals: CountedDeal[], match: CountedMatch | null}} what has ended since, and the match if it has been won
 */
export function countDeals(id, session, first) {
  const { setup, finished, winner, seat } = session;
  const found = finished.slice(first);
  if (setup.kind !== "play" || found.length === 0) return { deals: [], match: null };
  const sign = seat === 0 ? 1 : -1;
  const { rules, agent, day, match } = setup;
  const deals = found.map((one, place) => {
    const { ended, assisted, recalled: cards } = one.saved;
    const [recalled, held] = cards === null ? [null, null] : score(one.deal, seat, cards);
    // + 0 turns −0 into 0.
    return {
      session: id,
      deal: first + place + 1,
      time: String(ended),
      rules,
      agent,
      margin: sign * one.result.margin + 0,
      low: one.result.low,
      assisted,
      day,
      recalled,
      held,
      given_away: null,
      at_stake: null,
      par: null,
    };
  });
  if (winner === null || match === null) return { deals, match: null };
  const assisted = finished.some(({ saved }) => saved.assisted);
  return {
    deals,
    match: { session: id, rules, agent, match, won: winner === seat, assisted, time: deals[deals.length - 1].time },
  };
}

/** @param {Counted} counted */
export function summary({ deals, matches }) {
  const groups = grouped(deals, ({ rules, agent, assisted }) => [rules, agent, assisted]);
  const ofMatches = grouped(matches, ({ rules, agent, match, assisted }) => [rules, agent, match, assisted]);
  const plain = deals.filter((deal) => !deal.assisted);
  const measured = groups.filter(([{ rules, assisted }]) => !assisted && hasAccuracies(rules)).flat();
  const ratedDeals = measured.filter((deal) => deal.given_away !== null);
  const accuracy = ratedDeals.length < ENOUGH ? null : accuracyOfDeals(ratedDeals);
  return {
    deals: deals.length,
    groups: groups.map(groupData),
    matches: ofMatches.map((group) => {
      const { rules, agent, match, assisted } = group[0];
      const won = group.filter((one) => one.won).length;
      return { rules, agent, match, assisted, won, lost: group.length - won };
    }),
    streak: streak(plain.map((deal) => deal.margin)),
    accuracy,
    playsLike: playsLike(accuracy),
    memory: memory(deals.filter((deal) => deal.held)),
    trend: trend(plain.filter((deal) => deal.given_away !== null)),
    recent: deals.slice(-RECENT).map(({ margin, assisted }) => ({ margin, assisted })),
  };
}

/**
 * @template Row
 * @param {Row[]} rows
 * @param {(row: Row) => (string | boolean)[]} keyOf
 * @returns {Row[][]} those of the same key together, in the order of the keys
 */
function grouped(rows, keyOf) {
  /** @type {Map<string, {key: (string | boolean)[], rows: Row[]}>} */
  const found = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    const name = JSON.stringify(key);
    const group = found.get(name);
    if (group === undefined) found.set(name, { key, rows: [row] });
    else group.rows.push(row);
  }
  const before = (/** @type {(string | boolean)[]} */ one, /** @type {(string | boolean)[]} */ other) => {
    const place = one.findIndex((part, at) => part !== other[at]);
    return place < 0 ? 0 : one[place] < other[place] ? -1 : 1;
  };
  return [...found.values()].sort((one, other) => before(one.key, other.key)).map((group) => group.rows);
}

/** @param {CountedDeal[]} deals one group's deals */
function groupData(deals) {
  const { rules, agent, assisted } = deals[0];
  const accuracy = deals.filter((deal) => deal.given_away !== null).length < ENOUGH ? null : accuracyOfDeals(deals);
  return {
    rules,
    agent,
    assisted,
    deals: deals.length,
    won: deals.filter((deal) => deal.margin > 0).length,
    drawn: deals.filter((deal) => deal.margin === 0).length,
    lost: deals.filter((deal) => deal.margin < 0).length,
    accuracy,
    ...(knowsRules(rules) ? tricksOf(deals, rulesNamed(rules)) : { tricks: null, luck: null, skill: null }),
    streak: streak(deals.map((deal) => deal.margin)),
  };
}

/** @param {CountedDeal[]} deals @param {import("../engine/rules.js").Rules} game */
function tricksOf(deals, game) {
  const rated = deals.filter((deal) => deal.par !== null);
  const luck = rated.map((deal) => tricksTaken(Number(deal.par), game, deal.low));
  const skill = rated.map((deal) => tricksTaken(deal.margin, game) - tricksTaken(Number(deal.par), game)); // more is better, also in low deals
  return {
    tricks: round(mean(deals.map((deal) => tricksTaken(deal.margin, game, deal.low))), 2),
    luck: estimate(luck),
    skill: estimate(skill),
  };
}

/** @param {CountedDeal[]} deals rated @returns the accuracy of so many of them together, again and again; null where they are too few */
function trend(deals) {
  const window = Math.max(ENOUGH, Math.ceil(deals.length / 20));
  const ends = deals.length - window;
  if (ends < 1) return null;
  const count = Math.min(ends, RECENT);
  const points = Array.from({ length: count + 1 }, (_, place) => {
    const end = window + Math.round((ends * place) / count);
    return accuracyOfDeals(deals.slice(end - window, end));
  }).filter((point) => point !== null);
  if (points.length < 2) return null;
  const [from, to] = [deals[0], deals[deals.length - 1]].map(({ time }) => time.slice(0, 10));
  return { deals: window, from, to, points };
}

/** @param {CountedDeal[]} deals those with a quiz */
function memory(deals) {
  if (deals.length === 0) return null;
  const sum = (/** @type {"recalled" | "held"} */ part) => deals.reduce((total, deal) => total + Number(deal[part]), 0);
  return {
    deals: deals.length,
    share: round(sum("recalled") / sum("held"), 3),
    perfect: deals.filter((deal) => deal.recalled === deal.held).length,
  };
}

/** @param {CountedDeal[]} deals @returns {number | null} the accuracy of all their decisions together; null until one is reviewed */
export function accuracyOfDeals(deals) {
  const reviewed = deals.filter((deal) => deal.given_away !== null);
  const sum = (/** @type {"given_away" | "at_stake"} */ part) =>
    reviewed.reduce((total, deal) => total + Number(deal[part]), 0);
  return accuracyOf(sum("given_away"), sum("at_stake"));
}

/** @param {number[]} numbers @returns {number} */
const mean = (numbers) => numbers.reduce((total, number) => total + number, 0) / numbers.length;

/** @param {number[]} numbers one of each deal @returns null where they are too few */
function estimate(numbers) {
  if (numbers.length < ENOUGH) return null;
  const middle = mean(numbers);
  const variance = numbers.reduce((total, number) => total + (number - middle) ** 2, 0) / (numbers.length - 1);
  return { mean: round(middle, 2), error: round(1.96 * Math.sqrt(variance / numbers.length), 2) };
}

/** @param {number[]} margins @returns deals won in a row: now, and at the longest */
function streak(margins) {
  let [now, longest] = [0, 0];
  for (const margin of margins) {
    now = margin > 0 ? now + 1 : 0;
    longest = Math.max(longest, now);
  }
  return { now, longest };
}
