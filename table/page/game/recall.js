// @ts-check
/** The memory quiz: when the stock is gone, which cards does the opponent hold? */

import { cardsOf, has, maskOf, popcount, union } from "../engine/cards.js";
import { opponentHandKnown } from "../engine/view.js";
import { dealEvents } from "./deal/events.js";

/** @typedef {import("./deal/episode.js").Episode} Episode */

/** @param {Episode} deal @param {number} seat @param {number} step @returns {boolean} whether that is the first decision after the stock, and the seat knows the other hand */
function isQuizStep(deal, seat, step) {
  const view = deal.view(seat, step);
  return opponentHandKnown(view) && popcount(view.hand) === deal.rules.hand;
}

/** @param {Episode} deal @param {number} seat @returns {number | null} its first decision after the stock was gone, counted in actions from 0; null if the deal has not come so far */
export function quizStep(deal, seat) {
  if (!deal.rules.stock) return null;
  for (let step = 0; step <= deal.actions.length; step += 1) if (isQuizStep(deal, seat, step)) return step;
  return null;
}

/** @param {Episode} deal @param {number} seat @returns {boolean} whether the seat is at that decision */
export function isQuizTime(deal, seat) {
  return deal.turn === seat && deal.rules.stock > 0 && isQuizStep(deal, seat, deal.actions.length);
}

/** @param {Episode} deal @param {number} seat @returns {import("../engine/cards.js").Mask} what the opponent held at that decision; there has to be one */
function handToRecall(deal, seat) {
  const step = quizStep(deal, seat);
  if (step === null) throw new Error("there is no quiz in this deal");
  return deal.stateAt(step).hands[1 - seat];
}

/** @param {Episode} deal @param {number} seat @param {readonly number[]} recalled @returns {[number, number]} how many of these the opponent held, and how many it held in all */
export function score(deal, seat, recalled) {
  const hand = handToRecall(deal, seat);
  return [recalled.filter((card) => has(hand, card)).length, popcount(hand)];
}

/**
 * @param {Episode} deal
 * @param {number} seat the seat that recalled the cards
 * @param {[string, string]} names the players by seat
 * @param {readonly number[]} recalled what it takes to be in the opponent's hand
 * @returns the score and, once the deal is over, what it was about
 */
export function recallData(deal, seat, names, recalled) {
  const [right, held] = score(deal, seat, recalled);
  if (!deal.done) return { right, held, cards: null };
  const hand = handToRecall(deal, seat);
  const events = dealEvents(deal, seat, names);
  const cards = cardsOf(union(hand, maskOf(recalled)))
    .reverse()
    .map((card) => ({
      card,
      held: has(hand, card),
      recalled: recalled.includes(card),
      reason: reason(card, has(hand, card), seat, names, events),
    }));
  return { right, held, cards };
}

/** @param {number} card @param {boolean} held @param {number} seat @param {[string, string]} names @param {import("./deal/events.js").Event[]} events @returns {string} how a seat could know where a card was when the stock was gone */
function reason(card, held, seat, names, events) {
  const last = (/** @type {string} */ kind) => events.findLast((event) => event.card === card && event.kind === kind);
  if (!held) {
    const play = last("play"); // there is one: cards of the own hand cannot be named
    return `${names[Number(play?.seat)]} played it in trick ${play?.trick}.`;
  }
  const take = last("take");
  if (take !== undefined && take.seat === 1 - seat)
    return `You saw it taken in trick ${take.trick}, and it was not played in the foreplay.`;
  return "It was not played in the foreplay and was never in your hand, so the opponent had to hold it.";
}
