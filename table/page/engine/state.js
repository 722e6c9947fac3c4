// @ts-check
/**
 * The full state of a deal, and the rules of play: dealing, legal actions and state transitions (`game/state.py`,
 * `game/state_kernels.py`, then `scoring.py` and `write_begins_endgame`), function by function in the same order.
 * States are changed in place; the masks in them are replaced.
 */

import { cardBit, difference, has, isEmpty, lowest, maskOf, NONE, ofSuit, popcount, suitOf, union, withCard } from "./cards.js";
import { POINTS } from "./rules.js";

/** @import { Mask } from "./cards.js" */
/** @import { Game } from "./rules.js" */

/**
 * @typedef {object} State
 * @property {[Mask, Mask]} hands  by seat
 * @property {[Mask, Mask]} known  cards of a seat that the other saw it take and it still holds
 * @property {[Mask, Mask]} played  cards a seat has played, including a card it has just led
 * @property {[Mask, Mask]} discarded  by seat: cards that it knows to be out of play (humbug)
 * @property {Mask} faceUp  the face-up cards of the stock
 * @property {readonly number[]} deck  dealing order
 * @property {[number[], number[]]} voidTrick  by seat and suit: the last trick (from 1) with a void shown, 0 = never
 * @property {[number[], number[]]} voidDrawn  cards the seat had drawn unseen by then
 * @property {[number, number]} drawn  cards a seat has drawn unseen
 * @property {[[number, number], [number, number]]} tricks  by stage, then seat
 * @property {[number, number]} exchanged  by seat: 1 if it has swapped its hand (humbug)
 * @property {number} top  position of the next face-down card in the deck; the deck's size if there is none
 * @property {number} trump  suit, −1 for none
 * @property {number} low  1 if the fewest counted tricks win
 * @property {number} dealer  seat
 * @property {number} turn  seat to act
 * @property {number} decision  `PLAY`, `PICK`, …
 * @property {number} winner  seat that won the last trick and leads the next
 * @property {number} led  card led to the current trick, −1 if none
 * @property {boolean} done
 */

export const FOREPLAY = 0, ENDGAME = 1;

/** Decisions: what the seat to act chooses. */
export const PLAY = 0, PICK = 1, PICK_AFTER = 2, DRAFT = 3, EXCHANGE = 4;

/** Actions that are not cards: take or leave the face-up card, keep the hand or swap it for a blind one. */
export const TAKE = 52, LEAVE = 53, KEEP = 52, SWAP = 53;

const TWO_CHOICES = union(cardBit(TAKE), cardBit(LEAVE));

/**
 * Deal a deck, non-dealer first; the first card turned up sets trumps, and high or low.
 *
 * @param {Game} game
 * @param {readonly number[]} deck card numbers in dealing order
 * @param {number} dealer seat
 * @returns {State}
 */
export function deal(game, deck, dealer) {
  /** @type {State} */
  const state = {
    hands: [NONE, NONE],
    known: [NONE, NONE],
    played: [NONE, NONE],
    discarded: [NONE, NONE],
    faceUp: NONE,
    deck,
    voidTrick: [[0, 0, 0, 0], [0, 0, 0, 0]],
    voidDrawn: [[0, 0, 0, 0], [0, 0, 0, 0]],
    drawn: [0, 0],
    exchanged: [0, 0],
    tricks: [[0, 0], [0, 0]],
    top: 0,
    trump: -1,
    low: 0,
    dealer,
    turn: 1 - dealer,
    decision: PLAY,
    winner: 1 - dealer,
    led: -1,
    done: false,
  };
  const turned = game.humbug ? dealHumbug(game, state) : dealStock(game, state);
  const suit = suitOf(turned);
  state.trump = game.hasTrump ? suit : -1;
  state.low = game.highLow && (suit === 0 || suit === 3) ? 1 : 0; // clubs and spades: a black card
  return state;
}

/**
 * Deal two hands, turn up the open cards of the stock, and return the first of them.
 *
 * @param {Game} game
 * @param {State} state
 */
function dealStock(game, state) {
  const stock = 2 * game.hand;
  let first = NONE, second = NONE;
  for (let position = 0; position < stock; position += 2) {
    first = withCard(first, state.deck[position]);
    second = withCard(second, state.deck[position + 1]);
  }
  state.hands[1 - state.dealer] = first;
  state.hands[state.dealer] = second;
  state.decision = PLAY;
  state.top = stock;
  turnUp(game, state);
  return state.deck[stock];
}

/**
 * Deal four hands (non-dealer, blind, blind, dealer) and return the last card, the dealer's, which both see.
 *
 * @param {Game} game
 * @param {State} state
 */
function dealHumbug(game, state) {
  const turned = state.deck[game.cards - 1];
  state.hands[1 - state.dealer] = everyFourth(game, state, 0);
  state.hands[state.dealer] = everyFourth(game, state, 3);
  state.known[state.dealer] = cardBit(turned);
  state.decision = EXCHANGE;
  state.top = game.cards;
  return turned;
}

/** @param {Game} game @param {State} state @param {number} first place in the deck @returns {Mask} one of four hands */
const everyFourth = (game, state, first) => maskOf(state.deck.slice(0, game.cards).filter((_, place) => place % 4 === first));

/** @param {State} state @returns {State} an independent copy; masks are shared, because they never change */
export function copyState(state) {
  return {
    ...state,
    hands: [...state.hands],
    known: [...state.known],
    played: [...state.played],
    discarded: [...state.discarded],
    voidTrick: [[...state.voidTrick[0]], [...state.voidTrick[1]]],
    voidDrawn: [[...state.voidDrawn[0]], [...state.voidDrawn[1]]],
    drawn: [...state.drawn],
    exchanged: [...state.exchanged],
    tricks: [[...state.tricks[0]], [...state.tricks[1]]],
  };
}

/** @param {State} state @returns {Mask} the legal actions of the seat to act; none when the deal is done */
export function legalActions(state) {
  if (state.decision === PLAY) return legalCards(state);
  if (state.decision === PICK || state.decision === PICK_AFTER) return state.faceUp;
  return TWO_CHOICES;
}

/** @param {State} state @param {number} action @returns {boolean} whether the seat to act may choose an action */
export function isLegal(state, action) {
  return Number.isInteger(action) && 0 <= action && action < 54 && has(legalActions(state), action);
}

/** @param {State} state @returns {Mask} the cards that the seat to act may play; none when the deal is done */
function legalCards(state) {
  if (state.done) return NONE;
  const hand = state.hands[state.turn];
  if (state.led >= 0) {
    const following = ofSuit(hand, suitOf(state.led));
    if (!isEmpty(following)) return following;
  }
  return hand;
}

/**
 * @param {number} card
 * @param {number} led
 * @param {number} trump
 * @returns {boolean} whether the card played second wins
 */
export function beats(card, led, trump) {
  const suit = suitOf(card);
  if (suit === suitOf(led)) return card > led;
  return suit === trump;
}

/**
 * Play a legal action for the seat to act.
 *
 * @param {Game} game
 * @param {State} state
 * @param {number} action
 */
export function play(game, state, action) {
  if (state.decision === PLAY) playCard(game, state, action);
  else if (state.decision === EXCHANGE) exchange(game, state, action);
  else if (state.decision === DRAFT) draft(game, state, action);
  else pick(game, state, action);
}

/** @param {Game} game @param {State} state @param {number} card */
function playCard(game, state, card) {
  const seat = state.turn;
  const bit = cardBit(card);
  state.hands[seat] = difference(state.hands[seat], bit);
  state.known[seat] = difference(state.known[seat], bit);
  state.played[seat] = union(state.played[seat], bit);
  if (state.led < 0) {
    state.led = card;
    state.turn = 1 - seat;
    return;
  }
  const led = state.led;
  if (suitOf(card) !== suitOf(led)) showVoid(state, seat, suitOf(led));
  finishTrick(game, state, beats(card, led, state.trump) ? seat : 1 - seat);
}

/**
 * Record that a seat showed a void: it did not follow suit in the current trick.
 *
 * @param {State} state
 * @param {number} seat
 * @param {number} suit
 */
function showVoid(state, seat, suit) {
  const tricks = state.tricks;
  state.voidTrick[seat][suit] = tricks[0][0] + tricks[0][1] + tricks[1][0] + tricks[1][1] + 1;
  state.voidDrawn[seat][suit] = state.drawn[seat];
}

/**
 * Score the trick for its winner, who leads the next; while the stock lasts, both seats take cards first.
 *
 * @param {Game} game
 * @param {State} state
 * @param {number} winner
 */
function finishTrick(game, state, winner) {
  state.led = -1;
  state.turn = state.winner = winner;
  const foreplay = !isEmpty(state.faceUp) || state.top < game.cards;
  state.tricks[foreplay ? FOREPLAY : ENDGAME][winner] += 1;
  if (game.race && countedTricks(game, state, winner) >= game.race) state.done = true;
  else if (!foreplay) state.done = isEmpty(state.hands[winner]);
  else if (game.draft) state.decision = DRAFT;
  else if (game.openStock > 1) state.decision = PICK;
  else draw(game, state);
}

/**
 * Move a face-up card of the stock to a seat's hand, seen by both.
 *
 * @param {State} state
 * @param {number} seat
 * @param {number} card
 */
function takeOpen(state, seat, card) {
  const bit = cardBit(card);
  state.hands[seat] = union(state.hands[seat], bit);
  state.known[seat] = union(state.known[seat], bit);
  state.faceUp = difference(state.faceUp, bit);
}

/** Move the next face-down card to a seat's hand, unseen by the other. @param {State} state @param {number} seat */
function takeUnseen(state, seat) {
  state.hands[seat] = withCard(state.hands[seat], state.deck[state.top]);
  state.drawn[seat] += 1;
  state.top += 1;
}

/**
 * Turn up cards until as many lie face up as the rules ask for, or none is left.
 *
 * @param {Game} game
 * @param {State} state
 */
function turnUp(game, state) {
  let missing = game.openStock - popcount(state.faceUp);
  while (missing > 0 && state.top < game.cards) {
    state.faceUp = withCard(state.faceUp, state.deck[state.top]);
    state.top += 1;
    missing -= 1;
  }
}

/**
 * The winner takes the face-up card (the next card if all lie face down); the loser takes the one under it.
 *
 * @param {Game} game
 * @param {State} state
 */
function draw(game, state) {
  if (!isEmpty(state.faceUp)) takeOpen(state, state.winner, lowest(state.faceUp));
  else takeUnseen(state, state.winner);
  takeUnseen(state, 1 - state.winner);
  turnUp(game, state);
}

/**
 * Take the chosen face-up card: the winner of the trick first, then the loser if no face-down card is left.
 *
 * @param {Game} game
 * @param {State} state
 * @param {number} card
 */
function pick(game, state, card) {
  takeOpen(state, state.turn, card);
  if (state.decision === PICK) {
    const loser = 1 - state.winner;
    if (state.top < game.cards) takeUnseen(state, loser);
    else if (popcount(state.faceUp) === 1) takeOpen(state, loser, lowest(state.faceUp));
    else {
      state.decision = PICK_AFTER;
      state.turn = loser;
      return;
    }
  }
  leadNext(game, state);
}

/**
 * The winner takes the face-up card or leaves it to the loser; the other takes the face-down card.
 *
 * @param {Game} game
 * @param {State} state
 * @param {number} action
 */
function draft(game, state, action) {
  const taker = action === TAKE ? state.winner : 1 - state.winner;
  takeOpen(state, taker, lowest(state.faceUp));
  takeUnseen(state, 1 - taker);
  leadNext(game, state);
}

/**
 * Turn up the next cards of the stock and let the winner of the last trick lead.
 *
 * @param {Game} game
 * @param {State} state
 */
function leadNext(game, state) {
  turnUp(game, state);
  state.decision = PLAY;
  state.turn = state.winner;
}

/**
 * Keep the hand, or discard it unseen for the next blind hand; the non-dealer chooses first, and leads.
 *
 * @param {Game} game
 * @param {State} state
 * @param {number} action
 */
function exchange(game, state, action) {
  const seat = state.turn;
  if (action === SWAP) {
    state.discarded[seat] = state.hands[seat];
    state.discarded[1 - seat] = union(state.discarded[1 - seat], state.known[seat]); // both know that the card shown left with the dealer's hand
    state.known[seat] = NONE;
    state.hands[seat] = everyFourth(game, state, 1 + state.exchanged[1 - seat]);
    state.exchanged[seat] = 1;
  }
  state.turn = 1 - seat;
  if (seat === state.dealer) state.decision = PLAY;
}

/**
 * @param {Game} game
 * @param {State} state
 * @param {number} seat
 * @returns {number} counted tricks that a seat has taken
 */
export function countedTricks(game, state, seat) {
  let tricks = state.tricks[ENDGAME][seat];
  if (game.allCount) tricks += state.tricks[FOREPLAY][seat];
  return tricks;
}

/** @param {Game} game @param {number} margin @returns {number} the points for winning by `margin` counted tricks */
function winnerPoints(game, margin) {
  if (POINTS[game.points] === "difference") return margin;
  const tricks = Math.floor((game.counted + margin) / 2); // in a low game the loser's: the counted tricks add up either way
  if (POINTS[game.points] === "over_book") {
    if (game.slam && margin === game.counted) return game.slam;
    return tricks - game.book;
  }
  return tricks - game.counted / 2;
}

/**
 * @param {Game} game
 * @param {State} state
 * @param {number} seat
 * @returns {number} its counted tricks minus the other's, negated in a low endgame
 */
export function signedMargin(game, state, seat) {
  const margin = countedTricks(game, state, seat) - countedTricks(game, state, 1 - seat);
  return state.low ? -margin : margin;
}

/**
 * What seat 0 gets for a finished deal; seat 1 gets the negative.
 *
 * @param {Game} game
 * @param {State} state
 * @param {"margin" | "win" | "points"} reward
 */
export function seatReturn(game, state, reward) {
  const margin = signedMargin(game, state, 0);
  if (reward === "margin") return margin;
  if (reward === "win" || margin === 0) return Math.sign(margin);
  return Math.sign(margin) * winnerPoints(game, Math.abs(margin));
}

/**
 * @param {Game} game
 * @param {State} state
 * @returns {boolean} whether the next action is the first card of the endgame
 */
export function beginsEndgame(game, state) {
  return (
    !state.done
    && state.decision === PLAY
    && state.led < 0
    && isEmpty(state.faceUp)
    && state.top === game.cards
    && state.tricks[ENDGAME][0] + state.tricks[ENDGAME][1] === 0
  );
}

