// @ts-check
/** What happened in a deal, in order and in words, as one seat saw it (`simulator/text/events.py`). */

import { cardsOf, difference, intersection, isEmpty, nonCardAction, popcount, suitOf } from "../../engine/cards.js";
import { constants } from "../../engine/constants.js";
import { sentence } from "../wording.js";
import { cardName, claimText, resultText, SUIT_NAMES, theCards } from "./words.js";

/** @typedef {import("./episode.js").Episode} Episode */
/** @typedef {import("./episode.js").State} State */
/** @typedef {import("./episode.js").Rules} Rules */
/** @typedef {import("../types.js").EventKind} EventKind */

/**
 * One event of a deal.
 *
 * @typedef {object} Event
 * @property {EventKind} kind what happened
 * @property {number | null} seat the seat that did it; null for nobody
 * @property {number | null} card if there is one and the observer saw it
 * @property {number} trick its number, from 1; 0 before the first
 * @property {string} text the event in words
 * @property {number} step number of actions played when it happened
 */

/** @param {EventKind} kind @param {number | null} seat @param {number | null} card @param {number} trick @param {string} text @param {number} step @returns {Event} */
const event = (kind, seat, card, trick, text, step) => ({ kind, seat, card, trick, text, step });

/**
 * @param {Event} event
 * @param {number} number
 * @param {import("../types.js").Side | null} side who did it
 * @param {number} trump
 * @param {import("../types.js").Snapshot | null} snapshot what was seen after it
 */
export function eventData({ kind, card, trick, text }, number, side, trump, snapshot) {
  return { number, kind, by: side, card, trump: card !== null && suitOf(card) === trump, trick, text, snapshot };
}

/**
 * @param {Episode} deal
 * @param {number | null} observer the seat that sees them; null sees every card
 * @param {[string, string]} names the players by seat; `You` is addressed in the second person
 * @returns {Event[]} the deal's events so far
 */
export function dealEvents(deal, observer, names) {
  const events = beginning(deal.rules, deal.stateAt(0), names);
  const claim = claimText(deal, names);
  deal.actions.forEach((_, step) => {
    if (claim !== null && step === deal.claimed)
      events.push(event("claim", deal.actor(step), null, trickOf(deal.stateAt(step)) + 1, claim, step));
    events.push(...actionEvents(deal, step, observer, names));
  });
  if (deal.done) {
    const [winner, text] = resultText(deal.result(), names);
    events.push(event("result", winner, null, trickOf(deal.state), `${text}.`, deal.actions.length));
  }
  return events;
}

/**
 * @param {Episode} deal
 * @param {number} step counted from 0
 * @param {number | null} observer
 * @param {[string, string]} names
 * @returns {Event[]} what the action did
 */
export function actionEvents(deal, step, observer, names) {
  return eventsOf(deal.rules, deal.states[step], deal.stateAt(step + 1), deal.actions[step], step + 1, observer, names);
}

/** @param {Episode} deal @param {[string, string]} names @returns {string[]} every action in a sentence */
export function moveTexts(deal, names) {
  return deal.actions.map((_, step) => actionEvents(deal, step, null, names)[0].text);
}

/** @param {State} state @returns {number} tricks won so far */
function trickOf({ tricks }) {
  return tricks[0][0] + tricks[0][1] + tricks[1][0] + tricks[1][1];
}

/** @param {Rules} rules @param {State} state @param {[string, string]} names @returns {Event[]} */
function beginning(rules, state, names) {
  const { dealer, trump } = state;
  const events = [event("deal", dealer, null, 0, sentence(names[dealer], "deal{s}"), 0)];
  const turned = rules.humbug
    ? state.deck[rules.cards.length - 1]
    : rules.openStock
      ? state.deck[2 * rules.hand]
      : null;
  let text = "There are no trumps.";
  if (turned !== null) {
    const shown = rules.humbug
      ? `The last card, ${theCards([turned])}, is shown`
      : `The ${cardName(turned)} is turned up`;
    if (trump >= 0) text = `${shown}: ${SUIT_NAMES[trump]} are trumps.`;
    else if (rules.humbug) text = `${shown}. ${text}`;
  }
  if (rules.highLow)
    text += state.low ? " The endgame is played low: the fewest tricks win." : " The endgame is played high.";
  events.push(event("trump", null, trump < 0 ? null : turned, 0, text, 0));
  for (const card of cardsOf(state.faceUp)) {
    if (card !== turned || trump < 0)
      events.push(event("turn_up", null, card, 0, `The ${cardName(card)} is turned up.`, 0));
  }
  return events;
}

/**
 * What one action did.
 *
 * @param {Rules} rules
 * @param {State} before
 * @param {State} after
 * @param {number} action
 * @param {number} step counts the actions, this one included
 * @param {number | null} observer
 * @param {[string, string]} names
 * @returns {Event[]}
 */
function eventsOf(rules, before, after, action, step, observer, names) {
  const actor = before.turn;
  let trick = trickOf(before);
  /** @type {Event[]} */
  const events = [];
  const { play, draft, exchange } = constants.decisions;
  const choice = nonCardAction(action, rules);
  if (before.decision === exchange && choice) {
    return [
      event(/** @type {"keep" | "swap"} */ (choice.name), actor, null, 0, sentence(names[actor], choice.clause), step),
    ];
  }
  if (before.decision === play) {
    trick += 1;
    const verb = before.led < 0 ? "lead{s}" : "play{s}";
    events.push(event("play", actor, action, trick, sentence(names[actor], `${verb} the ${cardName(action)}`), step));
    if (after.led >= 0) return events;
    const { winner } = after;
    events.push(event("win", winner, null, trick, sentence(names[winner], "win{s} the trick"), step));
  } else if (before.decision === draft && choice?.name === "leave") {
    const left = cardsOf(before.faceUp)[0];
    events.push(
      event("leave", actor, left, trick, sentence(names[actor], choice.clause.replace("{card}", cardName(left))), step),
    );
  }
  events.push(...drawing(before, after, trick, step, observer, names));
  for (const card of cardsOf(difference(after.faceUp, before.faceUp))) {
    events.push(event("turn_up", null, card, trick, `The ${cardName(card)} is turned up.`, step));
  }
  if (stockOf(rules, before) && !stockOf(rules, after)) {
    const text = `The stock is gone: the endgame begins. ${sentence(names[after.turn], "lead{s}")}`;
    events.push(event("endgame", null, null, trick, text, step));
  }
  return events;
}

/**
 * The cards that both seats get from the stock, the winner of the trick first.
 *
 * @param {State} before
 * @param {State} after
 * @param {number} trick
 * @param {number} step
 * @param {number | null} observer
 * @param {[string, string]} names
 * @returns {Event[]}
 */
function drawing(before, after, trick, step, observer, names) {
  /** @type {Event[]} */
  const events = [];
  for (const seat of [after.winner, 1 - after.winner]) {
    const gained = difference(after.hands[seat], before.hands[seat]);
    if (isEmpty(gained)) continue;
    const seen = intersection(after.known[seat], gained);
    for (const card of cardsOf(seen)) {
      events.push(event("take", seat, card, trick, sentence(names[seat], `take{s} ${theCards([card])}`), step));
    }
    for (const card of cardsOf(difference(gained, seen))) {
      const visible = observer === null || observer === seat;
      const words = visible ? `draw{s} the ${cardName(card)}` : "draw{s} a card unseen";
      events.push(event("draw", seat, visible ? card : null, trick, sentence(names[seat], words), step));
    }
  }
  return events;
}

/** @param {Rules} rules @param {State} state @returns {number} cards left in the stock */
function stockOf(rules, state) {
  return popcount(state.faceUp) + rules.cards.length - state.top;
}
