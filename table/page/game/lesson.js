// @ts-check
/** A lesson in the rules: a short deal with a fixed deck, in which a teacher says what to play and why. */

import { actionText, parseAction } from "../engine/actions.js";
import { popcount } from "../engine/cards.js";
import { joinWords } from "./wording.js";
import { actionName } from "./deal/words.js";

/** @typedef {import("./deal/episode.js").Episode} Episode */

/** What is played: a short deal with a fixed deck. The other seat deals, so the person leads. */
export const LESSON = {
  rules: "classic:ranks=4,hand=4,stock=8",
  teacher: "Teacher",
  seat: 0,
  deck: "SA SJ DJ DQ CQ CK HJ DA HK SK CJ HA DK SQ CA HQ",
};

const END = "That was a whole deal: in the foreplay you play for good cards, in the endgame for tricks. The real game has"
  + " 52 cards, thirteen tricks in each stage, and you need seven of the last thirteen to win.";

/** The teacher's cards in the foreplay. */
const TEACHER_PLAYS = ["SJ", "DQ", "CK", "DA"];

/** The person's decisions: what is said, and what may be played (an empty list: any card). @type {[string, string[]][]} */
const STEPS = [
  [
    "This short game has only jacks, queens, kings and aces. You hold four cards. The king of hearts lies face up on "
      + "the stock: hearts are trumps. Win this trick and you take the king; lose it and you take the hidden card "
      + "under it. Lead the ace of spades: the teacher must follow suit if possible, and no spade beats it.",
    ["SA"],
  ],
  [
    "You have won: the king of hearts is in your hand, and the teacher has drawn a card that you did not see. "
      + "Whoever wins a trick leads the next one. Now the jack of clubs lies face up, and no card is worth less. The "
      + "hidden card cannot be worse, so lose this trick: lead the jack of diamonds.",
    ["DJ"],
  ],
  [
    "The teacher had to take the jack of clubs, and you have drawn the ace of hearts, the highest trump. Only "
      + "you know that. Now the king of diamonds lies face up, and the teacher leads the king of clubs. You have a "
      + "club, so you must follow suit: play the queen. It loses, and you take the hidden card.",
    ["CQ"],
  ],
  [
    "The teacher leads the ace of diamonds. You have no diamond, so you may play any card, and a trump beats "
      + "every card of the other suits. The ace of clubs lies face up and is worth a trump: play your lowest, the "
      + "jack of hearts.",
    ["HJ"],
  ],
  [
    "The stock is gone, and the endgame begins: from now on every trick counts. If you have remembered the cards, "
      + "you know what the teacher holds: the king of spades, the queen of hearts, the king of diamonds and the jack "
      + "of clubs. Draw the last trump first: lead the ace or the king of hearts.",
    ["HA", "HK"],
  ],
  ["The teacher has no trumps left. Your ace of clubs and your other trump are sure tricks: cash them.", []],
  ["Go on: winners first.", []],
  ["The last card plays itself.", []],
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
  const [text, wanted] = STEPS[step];
  return { step: step + 1, steps: STEPS.length, text, wanted: wanted.length === 0 ? null : wanted, done: false };
}

/** @param {Episode} deal @param {number} action @returns {string | null} why it is not the one that the lesson asks for; null if it is */
export function lessonRefusal(deal, action) {
  const wanted = STEPS[stepOf(deal)][1];
  if (wanted.length === 0 || wanted.includes(actionText(action, deal.rules))) return null;
  const names = wanted.map((word) => `the ${actionName(parseAction(word, deal.rules), deal.rules)}`);
  return `Not yet: play ${joinWords(names, "or")}.`;
}

/** @param {Episode} deal @returns {number} the person's decisions so far */
function stepOf(deal) {
  return deal.actions.filter((_, step) => deal.actor(step) === LESSON.seat).length;
}
