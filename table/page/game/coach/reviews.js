// @ts-check
/** Reviews of finished deals: every decision judged by what its seat could know, and all cards open. */

import { agentTitle, STRONGEST } from "../catalogue.js";
import { Episode } from "../deal/episode.js";
import { actionEvents, moveTexts } from "../deal/events.js";
import { bySide, highToLow, ledCard, result, sideOf, sideOrNobody, tricksWon } from "../deal/position.js";
import { actionName, takenTricks } from "../deal/words.js";
import { advise, adviseBeside, playOut } from "../thinking.js";
import { YOU } from "../wording.js";
import { options } from "./hints.js";
import { accuracyOf, atStake, isCriticised, judge, withArticle } from "./judgement.js";
import { reason } from "./reasons.js";

/** @typedef {import("../../judge/advice.js").Advice} Advice */
/** @typedef {Awaited<ReturnType<typeof moveData>>} Move */

/** Judgement of an action that nobody chose. @type {import("./judgement.js").Judgement} */
const CLAIMED = { label: "claimed", tricks: 0, win: 0 };

const [MISTAKES, SWINGS] = [3, 3]; // the most that are listed
export const PERFECT_ENDGAME = "heuristic+exact"; // plays the cards where no network does
const SMALLEST_SWING = 0.08;
const AT_ONCE = 4; // decisions that are asked about together: a server thinks in as many threads

/**
 * @param {Episode} deal finished
 * @param {import("../session.js").Session} session the session of the deal
 * @param {() => Promise<void>} rest waits, between some decisions, while others need the worker
 */
export async function review(deal, { seat, names, setup }, rest) {
  /** @type {Advice[]} */
  const found = [];
  /** @type {(Advice | null)[]} */
  const beside = [];
  for (let first = 0; first < deal.actions.length; first += AT_ONCE) {
    const steps = deal.actions.slice(first, first + AT_ONCE).map((_, place) => first + place);
    found.push(...(await Promise.all(steps.map((step) => advise(deal, step)))));
    beside.push(...(await Promise.all(steps.map((step) => adviseBeside(deal, step, setup.agent)))));
    await rest();
  }
  const texts = moveTexts(deal, names);
  /** @type {Move[]} */
  const moves = [];
  for (const [step, advice] of found.entries())
    moves.push(await moveData(deal, step, advice, beside[step], seat, texts[step]));
  const own = moves.slice(0, deal.claimed ?? moves.length); // nobody chose the moves after a claim
  const sum = (/** @type {(place: number) => number} */ of) => {
    const total = (/** @type {string} */ side) =>
      own.reduce((sofar, move, place) => sofar + (move.by === side ? of(place) : 0), 0);
    return bySide(total("you"), total("opponent"));
  };
  const givenAway = sum((place) => moves[place].tricksGivenAway);
  const stakes = sum((place) => atStake(found[place]));
  const accuracy = bySide(accuracyOf(givenAway.you, stakes.you), accuracyOf(givenAway.opponent, stakes.opponent));
  return {
    trump: deal.state.trump,
    names: bySide(names[seat], names[1 - seat]),
    result: result(deal, seat, names),
    accuracy,
    tricksGivenAway: givenAway,
    tricksAtStake: stakes,
    winCurve: winCurve(deal, seat, found),
    swings: swings(deal, seat, found, names, moves),
    moves,
    mistakes: mistakes(moves),
    positions: openPositions(deal, seat),
  };
}

/** @param {Episode} deal @param {() => Promise<void>} rest @returns {Promise<Episode>} the same deal, played from both hands by the strongest agent of this page */
export function par(deal, rest) {
  const agent = deal.rules.humbug ? PERFECT_ENDGAME : STRONGEST;
  return playOut(new Episode(deal.rules, deal.deck, deal.dealer), [agent, agent], { rest });
}

/** @param {Episode} deal @param {number} seat @returns all cards open: before the first move, then after each */
export const openPositions = (deal, seat) =>
  [...deal.states, deal.state].map((_, step) => openPosition(deal, step, seat));

/** @param {Episode} deal @param {number} step before which action @param {number} seat @returns all cards, and those of the opponent that the seat knew */
export function openPosition(deal, step, seat) {
  const state = deal.stateAt(step);
  const tricks = [0, 1].map((place) => state.tricks[0][place] + state.tricks[1][place]);
  const counted = takenTricks(state, deal.rules);
  return {
    you: highToLow(state.hands[seat]),
    opponent: highToLow(state.hands[1 - seat]),
    known: highToLow(deal.view(seat, step).opponentKnown),
    faceUp: highToLow(state.faceUp),
    stock: deal.rules.humbug ? [] : deal.deck.slice(state.top),
    led: ledCard(state, seat),
    turn: sideOrNobody(state.done ? -1 : state.turn, seat),
    tricks: bySide(tricks[seat], tricks[1 - seat]),
    score: bySide(counted[seat], counted[1 - seat]),
  };
}

/** @param {Episode} deal @param {number} step @param {Advice} advice @param {Advice | null} beside @param {number} seat @param {string} text */
async function moveData(deal, step, advice, beside, seat, text) {
  const action = deal.actions[step];
  const view = deal.view(deal.actor(step), step);
  const judged = step < (deal.claimed ?? deal.actions.length) ? judge(advice, action) : CLAIMED;
  const taken = tricksWon(view);
  const best = isCriticised(judged) ? advice.actions[0] : action;
  return {
    number: step + 1,
    trick: view.choice && taken ? taken : taken + 1,
    stage: view.stock ? "foreplay" : "endgame",
    by: sideOf(deal.actor(step), seat),
    action,
    name: actionName(action, deal.rules),
    text,
    best,
    bestName: actionName(best, deal.rules),
    label: judged.label,
    tricksGivenAway: judged.tricks,
    winGivenAway: judged.win,
    exact: advice.exact,
    judgeTitle: agentTitle(advice.judge),
    reason: best === advice.actions[0] || advice.exact ? reason(view, deal.rules, advice) : "", // it is of the coach's choice
    options: options(advice, deal.rules, beside),
    beside: beside && agentTitle(beside.judge),
    line: isCriticised(judged) && advice.exact ? (await bestLine(deal, step)).actions.slice(step) : [],
  };
}

/**
 * @param {Episode} deal
 * @param {number} step counted from 0, at which the seat to act knows the opponent's hand
 * @returns {Promise<Episode>} the same deal with perfect play by both seats from that action on
 */
export async function bestLine(deal, step) {
  const past = new Episode(deal.rules, deal.deck, deal.dealer, deal.actions.slice(0, step));
  past.play((await advise(past)).actions[0]);
  return playOut(past, [PERFECT_ENDGAME, PERFECT_ENDGAME]);
}

/** @param {Move[]} moves @returns {number[]} numbers of your biggest mistakes: those that cost most chance to win, then most tricks */
function mistakes(moves) {
  const worse = moves.filter((move) => move.by === "you" && move.best !== move.action);
  worse.sort(
    (one, other) =>
      other.winGivenAway - one.winGivenAway || other.tricksGivenAway - one.tricksGivenAway || one.number - other.number,
  );
  return worse.slice(0, MISTAKES).map((move) => move.number);
}

/** @param {Episode} deal @param {Advice[]} found @param {number} step @returns {number} the chance to win after the action that was played */
const winAfter = (deal, found, step) => found[step].wins[found[step].actions.indexOf(deal.actions[step])];

/** @param {Episode} deal @param {number} seat @returns {number[]} the steps at which it acted */
const ownSteps = (deal, seat) => deal.states.flatMap((state, step) => (state.turn === seat ? [step] : []));

/** @param {Episode} deal @param {number} seat @param {Advice[]} found @returns {number[]} its chance to win by what it knew: before the first move, then after each */
function winCurve(deal, seat, found) {
  const own = ownSteps(deal, seat);
  let now = own.length === 0 ? 0.5 : found[own[0]].wins[0];
  const curve = [now];
  deal.actions.forEach((_, step) => {
    if (deal.actor(step) === seat) now = winAfter(deal, found, step);
    if (own.includes(step + 1)) now = found[step + 1].wins[0]; // it includes what has been seen since
    curve.push(now);
  });
  const { margin } = deal.result();
  curve[curve.length - 1] = (Math.sign(seat === 0 ? margin : -margin) + 1) / 2;
  return curve;
}

/**
 * The largest changes of a seat's chance to win between its action and its next decision.
 *
 * @param {Episode} deal
 * @param {number} seat
 * @param {Advice[]} found
 * @param {[string, string]} names
 * @param {Move[]} moves
 */
function swings(deal, seat, found, names, moves) {
  const own = ownSteps(deal, seat);
  const all = own.slice(1).flatMap((following, place) => {
    const step = own[place];
    const change = found[following].wins[0] - winAfter(deal, found, step);
    const news = newsOf(deal, moves.slice(step, following), seat, names);
    if (Math.abs(change) < SMALLEST_SWING || news.length === 0) return []; // without news, the change is noise
    return [{ move: following, change, text: newsText(news, names[1 - seat]) }];
  });
  all.sort((one, other) => Math.abs(other.change) - Math.abs(one.change));
  return all.slice(0, SWINGS).sort((one, other) => one.move - other.move);
}

/** @param {Episode} deal @param {Move[]} moves the first one is its own @param {number} seat @param {[string, string]} names @returns {string[]} what a seat learnt from them */
function newsOf(deal, moves, seat, names) {
  const theirs = deal.rules.hasChoices ? ["play", "leave", "take", "keep", "swap"] : ["play"];
  return moves.flatMap((move) =>
    actionEvents(deal, move.number - 1, seat, names).flatMap((event) => {
      const text = event.text.replace(/\.+$/, "");
      if (event.kind === "endgame") return ["The stock is gone, and both hands are known"];
      if (event.seat !== null && event.seat !== seat && theirs.includes(event.kind)) {
        return [move.best === move.action ? text : `${text} (${withArticle(move.label)})`];
      }
      return (event.seat === seat && (event.kind === "draw" || event.kind === "swap")) || event.kind === "turn_up"
        ? [text]
        : [];
    }),
  );
}

/** @param {string[]} news @param {string} opponent @returns {string} one sentence, in which the opponent is named once in a row */
function newsText(news, opponent) {
  const parts = news.map((text, place) => {
    if (place === 0) return text;
    const again = news[place - 1].startsWith(opponent) && text.startsWith(opponent);
    const part = again ? text.slice(opponent.length).trim() : text;
    return part.startsWith("The ") || part.startsWith(YOU) ? part[0].toLowerCase() + part.slice(1) : part;
  });
  return `${parts.join("; ")}.`;
}
