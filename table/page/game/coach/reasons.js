// @ts-check
/** Why an action is advised, in one or two sentences from the position and the values of the actions; its card is named above them. */

import { actionText, cardsOf, isEmpty, ofSuit, popcount, suitOf } from "../../engine/cards.js";
import { constants } from "../../engine/constants.js";
import { actionName, cardName, SUIT_NAMES, theCards, tricksText } from "../deal/words.js";
import { capital, general, joinWords, percent } from "../wording.js";
import { areEqual } from "./judgement.js";

/** @typedef {import("../../judge/advice.js").Advice} Advice */
/** @typedef {import("../deal/episode.js").View} View */
/** @typedef {import("../deal/episode.js").Rules} Rules */

const LIKELY = 0.7;
const UNLIKELY = 0.3;

/** @param {View} view what the seat to act knows @param {Rules} rules @param {Advice} advice @returns {string} why the best action is the best */
export function reason(view, rules, advice) {
  if (advice.actions.length === 1) return "It is your only choice.";
  if (advice.exact) return exactReason(view, rules, advice);
  if (view.choice) return choiceReason(view, rules, advice);
  return `${trickReason(view, advice)} ${others(view, rules, advice)}`;
}

/** Both hands are known: the final score after the best cards and after the others. @param {View} view @param {Rules} rules @param {Advice} advice @returns {string} */
function exactReason(view, rules, advice) {
  const scores = advice.tricks.map((own, place) => `${general(own)} to ${general(advice.opponentTricks[place])}`);
  const worse = advice.lost.flatMap((lost, place) => (lost > 0 ? [place] : []));
  const start = "Both hands are known:";
  if (worse.length === 0) return `${start} with best play every card ends ${scores[0]}.`;
  let names = advice.actions.filter((_, place) => advice.lost[place] === 0).map((action) => actionName(action, rules));
  if (popcount(view.hand) > 1 && names.length > 3) names = [...names.slice(0, 2), `${names.length - 2} more`];
  const verb = names.length === 1 ? "ends" : "end";
  const other = new Set(worse.map((place) => scores[place])).size === 1 ? "any other card" : "the next best card";
  return `${start} the ${joinWords(names)} ${verb} ${scores[0]}, ${other} ${scores[worse[0]]}.`;
}

/** @param {View} view @param {Rules} rules @param {Advice} advice @returns {string} */
function choiceReason(view, rules, advice) {
  const { same, sameWin } = constants.judgements;
  const best = advice.actions[0];
  const gain = advice.lost[1];
  let worth = gain >= same ? `about ${tricksText(gain)} better` : "about as good as the other choice";
  if (gain < same && advice.wins[0] - advice.wins[1] >= sameWin) worth = "better for winning the deal";
  if (rules.humbug) {
    const [hand, other] =
      actionText(best, rules) === "swap" ? ["An average blind hand", "yours"] : ["Your hand", "an average blind hand"];
    return `${hand} is ${gain < same ? worth : `${worth} than ${other}`}.`;
  }
  if (rules.draft) {
    const card = cardName(cardsOf(view.faceUp)[0]);
    if (actionText(best, rules) === "leave")
      return `The ${card} is worth less to you than the unknown card under it: leaving it is ${worth}.`;
    return `The ${card} is worth more to you than the unknown card under it: taking it is ${worth}.`;
  }
  const trump = suitOf(best) === view.trump ? " It is a trump." : "";
  return `Of the face-up cards, the ${cardName(best)} helps your hand most: it is ${worth}.${trump}`;
}

/** What the best card does in this trick, and what for. @param {View} view @param {Advice} advice @returns {string} */
function trickReason(view, advice) {
  const best = advice.actions[0];
  const chance = advice.trick[0];
  const prize = prizeText(view);
  if (view.led < 0) return leadReason(view, best, chance, prize);
  if (chance > LIKELY) return `It wins ${prize}${howItWins(view, best, advice)}.`;
  if (!advice.trick.some((trick) => trick > LIKELY)) return "You cannot win this trick.";
  return view.stock ? `${capital(prize)} is not worth a winning card.` : "It is better to lose this trick.";
}

/** @param {View} view @param {number} best @param {Advice} advice @returns {string} */
function howItWins(view, best, advice) {
  const suit = suitOf(view.led);
  if (suitOf(best) !== suit) return " by trumping";
  const winners = advice.actions.filter((_, place) => advice.trick[place] > LIKELY);
  const following = winners.filter((card) => suitOf(card) === suit);
  return winners.length > 1 && best === Math.min(...following) ? ", just high enough" : "";
}

/** @param {View} view @param {number} best @param {number} chance @param {string} prize @returns {string} */
function leadReason(view, best, chance, prize) {
  const suit = suitOf(best);
  if (view.stock) {
    if (chance < UNLIKELY) return `${capital(prize)} is not worth a high card.`;
    return `It wins ${prize} against ${percent(chance)} of the possible hands.`;
  }
  if (suit === view.trump) return "It draws trumps.";
  const length = popcount(ofSuit(view.hand, suit));
  return length === 1
    ? `It is your only ${SUIT_NAMES[suit].slice(0, -1)}.`
    : `You lead from ${length} ${SUIT_NAMES[suit]}.`;
}

/** @param {View} view @returns {string} */
function prizeText(view) {
  const cards = cardsOf(view.faceUp);
  if (isEmpty(view.faceUp)) return "the trick";
  return cards.length === 1 ? theCards(cards) : "the pick of the face-up cards";
}

/** How far behind the next best action is; cards as good as the best by the rules alone say nothing. @param {View} view @param {Rules} rules @param {Advice} advice @returns {string} */
function others(view, rules, advice) {
  const { sure, same, sameWin } = constants.judgements;
  const [best] = advice.actions;
  const place = advice.actions.findIndex((action) => action !== best && !areEqual(view, best, action));
  if (place < 0) return "Your other cards are as good.";
  const second = actionName(advice.actions[place], rules);
  const lost = advice.lost[place];
  const win = advice.wins[0] - advice.wins[place];
  if (win < 0 || (Math.abs(lost) < same && win < sameWin)) return `The ${second} is about as good.`;
  if (lost >= same) {
    if (lost <= sure * advice.lostErrors[place] && win <= sure * advice.winErrors[place])
      return `The ${second} is hardly worse.`;
    return `The next best, the ${second}, gives away about ${tricksText(lost)}.`;
  }
  const more = lost <= -same ? `takes about ${tricksText(-lost)} more` : "takes as many tricks";
  return `The ${second} ${more}, but wins the deal less often.`;
}
