// @ts-check
/** A lesson in the rules: a short deal with a fixed deck, in which a teacher says what to play and why. */

import { has, parseAction, popcount } from "../engine/cards.js";
import { cardName } from "./deal/words.js";
import { joinWords } from "./wording.js";

/** @typedef {import("./deal/episode.js").Episode} Episode */

/** The lesson's deal, a short one with a fixed deck. The other seat deals, so the player leads. */
export const LESSON = {
  rules: "classic:ranks=4,hand=4,stock=8",
  teacher: "Teacher",
  seat: 0,
  deck: "SA SJ DJ DQ CQ CK HJ DA HK SK CJ HA DK SQ CA HQ",
};

const END =
  "That was a whole deal: good cards first, then tricks. The real game has 52 cards and 13 tricks in each stage; seven of the last 13 win.";

/** The teacher's cards in the foreplay. */
const TEACHER_PLAYS = ["SJ", "DQ", "CK", "DA"];

const CASH = "The queen of spades would lose to the king: take your sure tricks first";

/** The player's decisions: what is said, what may be played (an empty list: any card), and why nothing else. @type {[string, string[], string][]} */
const STEPS = [
  [
    "This short game has only jacks, queens, kings and aces. The king of hearts lies face up: hearts are trumps, and whoever " +
      "wins this trick takes it. The teacher must follow suit, and no spade beats your ace: lead it.",
    ["SA"],
    "Another card might lose the king",
  ],
  [
    "The king of hearts is yours; the teacher has drawn a hidden card. Now the jack of clubs lies face up, and no card is " +
      "worth less. Lose this trick: lead the jack of diamonds.",
    ["DJ"],
    "It might win the jack of clubs, which is worth nothing",
  ],
  [
    "You have drawn the ace of hearts, the highest trump, and only you know it. The teacher leads the king of clubs. " +
      "You have a club, so you must follow suit.",
    ["CQ"],
    "You must follow suit",
  ],
  [
    "The teacher leads the ace of diamonds. You have no diamond, so you may play any card, and a trump wins. The ace of " +
      "clubs is worth a trump: play your lowest, the jack of hearts.",
    ["HJ"],
    "The lowest trump is enough, and nothing else wins",
  ],
  [
    "The stock is gone: from now on every trick counts. The teacher holds the king of spades, queen of hearts, king of " +
      "diamonds and jack of clubs, as you could have remembered. Draw its last trump with the ace or king of hearts.",
    ["HA", "HK"],
    "The teacher still has a trump",
  ],
  [
    "The teacher has no trumps left. Your ace of clubs and your other trump are sure tricks: cash them.",
    ["CA", "HA", "HK"],
    CASH,
  ],
  ["Winners first: cash the other one.", ["CA", "HA", "HK"], CASH],
  ["One card is left: play it.", [], ""],
];

/** @param {Episode} deal @returns {number | null} the teacher's next card of the script; null in the endgame */
export function teacherCard(deal) {
  const view = deal.view(deal.turn);
  return view.stock ? parseAction(TEACHER_PLAYS[popcount(view.playedSelf)], deal.rules) : null;
}

/** @param {Episode} deal @returns what the teacher says now */
export function lessonData(deal) {
  if (deal.done) return { step: STEPS.length, steps: STEPS.length, text: END, wanted: null, done: true };
  const step = stepOf(deal);
  const [text] = STEPS[step];
  const wanted = wantedIn(deal, step);
  return { step: step + 1, steps: STEPS.length, text, wanted: wanted.length === 0 ? null : wanted, done: false };
}

/** @param {Episode} deal @param {number} action @returns {string | null} why it is not the one that the lesson asks for; null if it is */
export function lessonRefusal(deal, action) {
  const step = stepOf(deal);
  const wanted = wantedIn(deal, step);
  if (wanted.length === 0 || wanted.includes(action)) return null;
  const names = wanted.map((card) => `the ${cardName(card)}`);
  return `${STEPS[step][2]}: play ${joinWords(names, "or")}.`;
}

/** @param {Episode} deal @param {number} step @returns {number[]} those of the cards that the step asks for which the player still holds */
const wantedIn = (deal, step) =>
  STEPS[step][1].map((word) => parseAction(word, deal.rules)).filter((card) => has(deal.legal, card));

/** @param {Episode} deal @returns {number} the player's decisions so far */
function stepOf(deal) {
  return deal.actions.filter((_, step) => deal.actor(step) === LESSON.seat).length;
}
