// @ts-check
/** What a seat saw of the table after each event of a deal. */

import { cardsOf, NONE, withCard, withoutCard } from "../../engine/cards.js";
import {
  bySide,
  exchanged,
  heldBy,
  highToLow,
  lastTrick,
  opponentHand,
  sideOf,
  sideOrNobody,
  stageOf,
  trickNumber,
  tricksOf,
} from "./position.js";

/** @typedef {import("./episode.js").Episode} Episode */
/** @typedef {import("./events.js").Event} Event */
/** @typedef {import("../types.js").Side} Side */

/**
 * All of it comes from the seat's views and events up to that moment, so it gives away no card that the seat had not seen.
 *
 * @param {Episode} deal
 * @param {number} seat
 * @param {Event[]} events the deal's events as this seat saw them
 * @param {number} [since] events after fewer actions get null
 * @returns what a seat saw of the table after each event
 */
export function eventSnapshots(deal, seat, events, since = 0) {
  const first = Math.max(since - 1, 0);
  const views = Array.from({ length: deal.actions.length - first + 1 }, (_, place) => deal.view(seat, first + place));
  /** @type {Record<Side, number | null>} */
  let trick = bySide(null, null);
  /** @type {Side | null} */
  let winner = null;
  let cards = Cards.of(views[0], deal.stateAt(first), seat);
  if (since === 0) cards.faceUp = NONE; // nothing is turned up when the cards are dealt
  return events.map((event, place) => {
    if (winner !== null) [trick, winner] = [bySide(null, null), null];
    if (event.kind === "play" && event.seat !== null && event.card !== null)
      trick = { ...trick, [sideOf(event.seat, seat)]: event.card };
    else if (event.kind === "win" && event.seat !== null) winner = sideOf(event.seat, seat);
    if (event.step < since) return null;
    // One action makes several events. After the last of them, the table is as the next decision finds it.
    const isLast = place + 1 === events.length || events[place + 1].step > event.step;
    const now = isLast ? event.step : Math.max(event.step - 1, 0);
    const view = views[now - first];
    if (isLast) cards = Cards.of(view, deal.stateAt(now), seat);
    else cards.change(event, event.seat === seat);
    const turn = now === deal.actions.length ? deal.turn : deal.actor(now);
    const lies = trick.you !== null || trick.opponent !== null;
    return {
      stage: stageOf(view),
      trick: lies ? event.trick : trickNumber(view, deal.rules, deal.done && now === deal.actions.length),
      stock: cards.stock,
      faceUp: cardsOf(cards.faceUp),
      opponent: opponentHand(cards.held, cards.known, view),
      tricks: tricksOf(deal.stateAt(winner !== null ? event.step : now), deal.rules, seat),
      turn: isLast && winner === null ? sideOrNobody(turn, seat) : null,
      lastTrick: lastTrick(events.slice(0, winner !== null ? place : place + 1), seat),
      exchanged: exchanged(deal.rules, events.slice(0, place + 1), seat),
      hand: highToLow(cards.hand),
      cards: trick,
      winner,
    };
  });
}

/** Places of the cards, as a seat sees them. */
class Cards {
  /**
   * @param {import("../../engine/cards.js").Mask} hand the seat's hand
   * @param {number} held number of cards in the other hand
   * @param {import("../../engine/cards.js").Mask} known those of them that the seat knows
   * @param {number} stock number of cards in the stock
   * @param {import("../../engine/cards.js").Mask} faceUp its face-up cards
   */
  constructor(hand, held, known, stock, faceUp) {
    this.hand = hand;
    this.held = held;
    this.known = known;
    this.stock = stock;
    this.faceUp = faceUp;
  }

  /** @param {import("./episode.js").View} view @param {import("./episode.js").State} state @param {number} seat @returns {Cards} between two actions */
  static of(view, state, seat) {
    return new Cards(view.hand, heldBy(1 - seat, state), view.opponentKnown, view.stock, view.faceUp);
  }

  /** Move the card of an event that is not the last one of its action. @param {Event} event @param {boolean} own */
  change({ kind, card }, own) {
    const without = (/** @type {import("../../engine/cards.js").Mask} */ mask) =>
      card === null ? mask : withoutCard(mask, card);
    const including = (/** @type {import("../../engine/cards.js").Mask} */ mask) =>
      card === null ? mask : withCard(mask, card);
    if (kind === "play") {
      [this.hand, this.known] = [without(this.hand), without(this.known)];
      if (!own) this.held -= 1;
    } else if (kind === "take" || kind === "draw") {
      this.stock -= 1;
      this.faceUp = without(this.faceUp);
      if (own) this.hand = including(this.hand);
      else [this.held, this.known] = [this.held + 1, including(this.known)];
    } else if (kind === "trump" || kind === "turn_up") {
      this.faceUp = including(this.faceUp);
    }
  }
}
