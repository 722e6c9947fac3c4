// @ts-check
/** A deal as one seat sees it: nothing in it gives away a card that the seat has not seen. */

import { cardsOf, has, isEmpty, ofSuit, popcount, suitOf } from "../../engine/cards.js";
import { constants } from "../../engine/constants.js";
import { joinWords } from "../wording.js";
import { cardName, claimText, resultText, SUIT_NAMES, takenTricks, theCards } from "./words.js";

/** @typedef {import("./episode.js").Episode} Episode */
/** @typedef {import("./episode.js").State} State */
/** @typedef {import("./episode.js").Rules} Rules */
/** @typedef {import("./episode.js").View} View */
/** @typedef {import("./events.js").Event} Event */
/** @typedef {import("../../engine/cards.js").Mask} Mask */
/** @typedef {import("../types.js").Side} Side */

/** @type {[Side, Side]} */
const SIDES = ["you", "opponent"];
const EXPLAINED_TRICKS = 3; // only a deal's first tricks are explained
/** @type {import("../types.js").DecisionKind[]} by number of the decision */
const KINDS = ["card", "pick", "pick", "take_or_leave", "keep_or_swap"];

/** @param {number} seat @param {number} you @returns {Side} */
export const sideOf = (seat, you) => SIDES[seat === you ? 0 : 1];

/** @param {number | null} seat null or −1 for none @param {number} you @returns {Side | null} */
export const sideOrNobody = (seat, you) => (seat === null || seat < 0 ? null : sideOf(seat, you));

/**
 * @template Value
 * @param {Value} you
 * @param {Value} opponent
 * @returns {Record<Side, Value>}
 */
export const bySide = (you, opponent) => ({ you, opponent });

/**
 * @param {Episode} deal
 * @param {number} seat
 * @param {[string, string]} names the players by seat
 * @param {Event[]} events the deal's events as this seat saw them
 * @returns what a seat sees of a deal now
 */
export function position(deal, seat, names, events) {
  const { rules } = deal;
  const view = deal.view(seat);
  return {
    stage: stageOf(view),
    trump: view.trump,
    low: view.low !== 0,
    trick: trickNumber(view, rules, deal.done),
    stock: view.stock,
    faceUp: cardsOf(view.faceUp),
    led: ledCard(deal.state, seat),
    hand: handData(deal, view),
    opponent: opponentHand(heldBy(1 - seat, deal.state), view.opponentKnown, view),
    tricks: tricksOf(deal.state, rules, seat),
    turn: sideOrNobody(deal.turn, seat),
    decision: deal.turn === seat ? decision(deal, view) : null,
    lastTrick: lastTrick(events, seat),
    discarded: highToLow(view.discarded),
    exchanged: exchanged(rules, events, seat),
    result: deal.done ? result(deal, seat, names) : null,
  };
}

/** @param {View} view @returns {import("../types.js").Stage} */
export const stageOf = (view) => (view.stock ? "foreplay" : "endgame");

/** @param {View} view @returns {number} tricks won so far */
export function tricksWon({ tricksSelf, tricksOpponent }) {
  return tricksSelf[0] + tricksSelf[1] + tricksOpponent[0] + tricksOpponent[1];
}

/** @param {View} view @param {Rules} rules @param {boolean} done @returns {number} the number of the current trick; between two tricks and after the deal, that of the last one */
export function trickNumber(view, rules, done) {
  return tricksWon(view) + (done || (view.choice && !rules.humbug) ? 0 : 1);
}

/** @param {number} seat @param {State} state @returns {number} how many cards a seat holds */
export const heldBy = (seat, state) => popcount(state.hands[seat]);

/** @param {number} cards how many @param {Mask} known @param {View} view */
export function opponentHand(cards, known, view) {
  return { cards, known: highToLow(known), voids: [0, 1, 2, 3].filter((suit) => view.voidOpponent[suit]) };
}

/** @param {State} state @param {Rules} rules @param {number} seat @returns won so far */
export function tricksOf(state, rules, seat) {
  const counted = takenTricks(state, rules);
  const of = (/** @type {number} */ place) => ({
    foreplay: state.tricks[0][place],
    endgame: state.tricks[1][place],
    counted: counted[place],
  });
  return bySide(of(seat), of(1 - seat));
}

/** @param {Mask} mask @returns {number[]} spades to clubs, each suit from high to low */
export const highToLow = (mask) => cardsOf(mask).reverse();

/** @param {State} state @param {number} seat */
export function ledCard({ led, turn }, seat) {
  return led < 0 ? null : { card: led, by: sideOf(1 - turn, seat) };
}

/** @param {Episode} deal @param {View} view the seat to act's view */
export function decision(deal, view) {
  const actions = cardsOf(view.legal);
  if (!view.choice) actions.reverse();
  return {
    kind: KINDS[deal.state.decision],
    text: decisionText(deal, view),
    actions,
  };
}

/** @param {Episode} deal @param {View} view the seat to act's view @returns {string} what it has to do */
function decisionText(deal, view) {
  const kind = deal.state.decision;
  const { play, draft, exchange } = constants.decisions;
  if (kind === exchange) return "Keep your hand, or swap it for a blind one.";
  if (kind === draft) return `Take ${theCards(cardsOf(view.faceUp))}, or leave it.`;
  if (kind !== play) return "Pick one of the face-up cards.";
  const stake = stakeText(view, deal.rules);
  if (stake !== null) return stake;
  if (view.led < 0) return "Lead a card.";
  const suit = suitOf(view.led);
  if (!isEmpty(ofSuit(view.hand, suit))) return `Follow ${SUIT_NAMES[suit]}.`;
  return `You have no ${SUIT_NAMES[suit]}: play any card.`;
}

/** @param {View} view @param {Rules} rules @returns {string | null} what a trick is about, in the first tricks of a deal for cards */
function stakeText(view, rules) {
  const faceUp = cardsOf(view.faceUp);
  if (view.choice || faceUp.length === 0 || tricksWon(view) >= EXPLAINED_TRICKS) return null;
  if (faceUp.length === view.stock) return null; // no card is hidden
  if (rules.draft) return `Win this trick and you may take ${theCards(faceUp)} or leave it for the hidden card.`;
  if (faceUp.length > 1) {
    const choice = joinWords(
      faceUp.map((card) => `the ${cardName(card)}`),
      "or",
    );
    return `Win this trick and you pick ${choice}; lose it and you take the hidden card.`;
  }
  return `Win this trick and you take ${theCards(faceUp)}; lose it and you take the hidden card.`;
}

/** @param {Episode} deal @param {View} view @param {number} card a card of the hand @returns {string | null} why it may not be played now; null if it may */
function refusal(deal, view, card) {
  if (deal.done) return "The deal is over.";
  if (!view.turn) return "It is not your turn.";
  if (view.choice) return decisionText(deal, view);
  return has(view.legal, card) ? null : `You must follow ${SUIT_NAMES[suitOf(view.led)]}.`;
}

/** @param {Episode} deal finished @param {number} seat @param {[string, string]} names @returns from the side of `seat` */
export function result(deal, seat, names) {
  const outcome = deal.result();
  const [winner, text] = resultText(outcome, names);
  return {
    text,
    winner: sideOrNobody(winner, seat),
    margin: (seat === 0 ? outcome.margin : -outcome.margin) + 0,
    points: Math.abs(outcome.points),
    tricks: bySide(outcome.counted[seat], outcome.counted[1 - seat]),
    claim: claimText(deal, names),
  };
}

/** @param {Episode} deal @param {View} view */
function handData(deal, view) {
  return highToLow(view.hand).map((card) => {
    const reason = refusal(deal, view, card);
    return { card, playable: reason === null, reason };
  });
}

/** @param {Event[]} events @param {number} seat @returns the last complete trick, and what it brought from the stock */
export function lastTrick(events, seat) {
  const won = events.findLast((event) => event.kind === "win");
  if (won === undefined || won.seat === null) return null;
  const ofTrick = events.filter((event) => event.trick === won.trick && event.seat !== null && event.card !== null);
  const plays = ofTrick.filter((event) => event.kind === "play");
  const gains = ofTrick.filter((event) => event.kind === "take" || event.kind === "draw");
  const cardOf = (/** @type {Event[]} */ found, /** @type {number} */ of) =>
    found.findLast((event) => event.seat === of)?.card ?? null;
  return {
    winner: sideOf(won.seat, seat),
    cards: bySide(Number(cardOf(plays, seat)), Number(cardOf(plays, 1 - seat))),
    takes: bySide(cardOf(gains, seat), cardOf(gains, 1 - seat)),
  };
}

/** @param {Episode} deal finished @param {number} seat @returns all tricks, seen from a seat */
export function playedTricks(deal, seat) {
  const plays = deal.actions.flatMap((action, step) =>
    deal.states[step].decision === constants.decisions.play ? [{ action, actor: deal.actor(step), step }] : [],
  );
  return Array.from({ length: Math.floor(plays.length / 2) }, (_, trick) => {
    const [led, followed] = plays.slice(2 * trick, 2 * trick + 2);
    const [own, other] = led.actor === seat ? [led, followed] : [followed, led];
    return { cards: bySide(own.action, other.action), winner: sideOf(deal.stateAt(followed.step + 1).winner, seat) };
  });
}

/** @param {Rules} rules @param {Event[]} events @param {number} seat @returns {Record<Side, boolean | null>} humbug: whether the sides swapped their hands; null where it is not decided */
export function exchanged(rules, events, seat) {
  const decision = (/** @type {number} */ of) =>
    events.findLast((event) => event.seat === of && (event.kind === "keep" || event.kind === "swap"));
  const swapped = (/** @type {number} */ of) =>
    rules.humbug && decision(of) !== undefined ? decision(of)?.kind === "swap" : null;
  return bySide(swapped(seat), swapped(1 - seat));
}
