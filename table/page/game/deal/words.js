// @ts-check
/** Cards, actions and results in English (`simulator/text/words.py`). */

import { actionText, NUM_CARDS, SUIT_SIZE, suitOf } from "../../engine/cards.js";
import { countedTricks, seatReturn } from "../../engine/state.js";
import { clause, countText, joinWords, round, sentence, YOU } from "../wording.js";

export const SUIT_NAMES = ["clubs", "diamonds", "hearts", "spades"];
const RANK_NAMES = [
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "jack",
  "queen",
  "king",
  "ace",
];

/** @param {number} card @returns {string} `queen of hearts` */
export const cardName = (card) => `${RANK_NAMES[card % SUIT_SIZE]} of ${SUIT_NAMES[suitOf(card)]}`;

/** @param {number} action @param {import("./episode.js").Rules} rules @returns {string} a card's name, or `take`, `leave`, `keep`, `swap` */
export const actionName = (action, rules) => (action < NUM_CARDS ? cardName(action) : actionText(action, rules));

/** @param {number[]} cards @returns {string} the cards with their articles */
export const theCards = (cards) => joinWords(cards.map((card) => `the ${cardName(card)}`));

/** @param {number} tricks @param {boolean} [exact] @returns {string} `7.4 tricks`; a whole number as `1 trick` if it is known or rounds to one */
export function tricksText(tricks, exact = false) {
  return countText(exact ? tricks : round(tricks, 1), "trick");
}

/** @param {import("./episode.js").State} state @param {import("./episode.js").Rules} rules @returns {[number, number]} counted tricks by seat */
export function takenTricks(state, rules) {
  return [countedTricks(rules.game, state, 0), countedTricks(rules.game, state, 1)];
}

/** @param {import("./episode.js").Episode} deal finished @param {[string, string]} names @returns {string | null} what was claimed; null: nothing */
export function claimText({ claimed, rules, states, state }, names) {
  if (claimed === null) return null;
  const { turn } = states[claimed];
  const gained = takenTricks(state, rules).map((tricks, seat) => tricks - takenTricks(states[claimed], rules)[seat]);
  const [name, other] = [names[turn], names[1 - turn]];
  if (gained[1 - turn] === 0) return sentence(name, "claim{s} the rest");
  const isLost = (turn === 0 ? 1 : -1) * seatReturn(rules.game, state, "margin") < 0;
  return gained[turn] === 0 && !isLost
    ? sentence(name, `leave{s} the rest to ${other === YOU ? "you" : other}`)
    : sentence(name, "concede{s} the deal");
}

/**
 * @param {import("./episode.js").DealResult} result
 * @param {[string, string]} names the players by seat
 * @returns {[number | null, string]} the winning seat, null for a draw, and the result as `You win 8 to 5`, `You lose 5 to 8`
 */
export function resultText({ margin, counted, low }, names) {
  if (margin === 0) return [null, `The deal is drawn, ${countText(counted[0], "trick")} each`];
  const winner = margin > 0 ? 0 : 1;
  const [first, verb] = names[1 - winner] === YOU ? [1 - winner, "lose"] : [winner, "win{s}"];
  const text = clause(names[first], `${verb} ${counted[first]} to ${counted[1 - first]}`);
  return [winner, low ? `${text}, played low` : text];
}
