// @ts-check
/** What the page shows of a session: what the player's seat has seen, and nothing more. */

import { matchTitle, rulesTitle } from "./catalogue.js";
import { canClaim } from "./coach/claims.js";
import { dealEvents, eventData } from "./deal/events.js";
import { bySide, position, sideOf, sideOrNobody } from "./deal/position.js";
import { eventSnapshots } from "./deal/snapshots.js";
import { resultText } from "./deal/words.js";
import { lessonData } from "./lesson.js";
import { recallData } from "./recall.js";
import { scoreInMatch } from "./session.js";
import { isCopy } from "./thinking.js";
import { clause, countText, dateText, general, sentence } from "./wording.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./setup.js").Setup} Setup */

/** @param {Session} session @returns what the page may know of it */
export function sessionData(session) {
  const { setup, deal, seat, names } = session;
  const events = dealEvents(deal, seat, names);
  const snapshots = eventSnapshots(deal, seat, events, session.lastOwn + 1);
  const listed = events.map((event, number) =>
    eventData(event, number, sideOrNobody(event.seat, seat), deal.state.trump, snapshots[number]),
  );
  if (deal.done && session.winner !== null) listed.push(matchEvent(session, session.winner, listed.length));
  const acts = deal.turn === seat;
  return {
    version: session.version,
    kind: setup.kind,
    title: sessionTitle(setup, session.title),
    rules: setup.rules,
    agent: { spec: setup.agent, title: session.title, copy: isCopy(setup.agent) },
    day: setup.day,
    match: matchData(session),
    deal: {
      number: session.number,
      seat,
      dealer: sideOf(deal.dealer, seat),
      assisted: session.assisted,
    },
    position: position(deal, seat, names, events),
    events: listed,
    can: {
      act: acts,
      hint: acts && setup.kind !== "lesson",
      takeBack: session.canTakeBack,
      concede: acts && setup.kind !== "lesson",
      claim: acts && setup.kind !== "lesson" && canClaim(deal),
      next: deal.done && !session.over,
      recall: session.canRecall,
      swap: session.finished.length > 0 && setup.kind !== "lesson",
    },
    seal: session.seal && {
      hash: session.seal.hash,
      opened: session.over ? { seed: setup.seed, salt: session.seal.salt } : null,
    },
    earlier: setup.kind === "challenge" && !deal.done ? null : session.earlier, // it tells how the sender fared
    hint: session.hint,
    recall: session.recalled === null ? null : recallData(deal, seat, names, session.recalled),
    lesson: setup.kind === "lesson" ? lessonData(deal) : null,
  };
}

/** @param {Setup} setup @param {string} agent what it is called @returns {string} a session's title: `Classic against Textbook` */
function sessionTitle({ kind, rules, day }, agent) {
  if (kind === "recording") return `Recording: ${rulesTitle(rules)}`;
  if (kind === "lesson") return "Lesson";
  const title = `${rulesTitle(rules)} against ${agent}`;
  if (kind === "practice") return `Practice: ${title}`;
  if (kind === "challenge") return `Challenge: ${title}`;
  return day === null ? title : `Deal of ${dateText(day)}: ${title}`;
}

/** @param {import("./store.js").SavedSession} saved @param {number | null} accuracy the player's in its deals @returns in a few fields, for the list of sessions */
export function summaryData({ id, settings: setup, title, updated, finished, inPlay, outcome, deals }, accuracy) {
  const { kind, rules, agent, match, day } = setup;
  return {
    id,
    kind,
    title: sessionTitle(setup, title),
    rules,
    agent,
    match,
    day,
    updated,
    finished,
    inPlay,
    outcome,
    accuracy,
    assisted: deals.some((deal) => deal.assisted),
  };
}

/** @param {Session} session @returns {string | null} what its finished deals have brought, in words; null before the first */
export function outcomeOf(session) {
  const {
    setup: { match },
    score,
    seat,
    names,
    winner,
    finished,
  } = session;
  if (finished.length === 0) return null;
  const points = scoreInMatch(score, match);
  const numbers = `${general(points[seat])} to ${general(points[1 - seat])}`;
  if (winner !== null) return `${clause(names[seat], `${winner === seat ? "win" : "lose"}{s} the match`)}, ${numbers}`;
  if (finished.length === 1 && match === null) return resultText(finished[0].result, names)[1];
  return `${numbers} after ${countText(finished.length, "deal")}`;
}

/** @param {Session} session */
function matchData({ setup: { match }, score, seat, winner, finished }) {
  const points = scoreInMatch(score, match);
  return {
    format: match,
    title: matchTitle(match),
    score: bySide(points[seat], points[1 - seat]),
    deals: finished.length,
    winner: sideOrNobody(winner, seat),
  };
}

/** @param {Session} session @param {number} winner the seat that has won the match @param {number} number @returns {import("./types.js").GameEvent} */
function matchEvent(session, winner, number) {
  const text = sentence(session.names[winner], "win{s} the match");
  return {
    number,
    kind: "match",
    by: sideOf(winner, session.seat),
    card: null,
    trump: false,
    trick: 0,
    text,
    snapshot: null,
  };
}
