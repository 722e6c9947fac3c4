// @ts-check
/** A position to practise: what the player saw, and what each card is worth. */

import { parseAction } from "../../engine/cards.js";
import { rulesNamed } from "../../engine/rules.js";
import { agentTitle } from "../catalogue.js";
import { dealEvents, eventData } from "../deal/events.js";
import { loadedDeal } from "../deal/finished.js";
import { bySide, sideOrNobody, stageOf, trickNumber } from "../deal/position.js";
import { actionName } from "../deal/words.js";
import { advise } from "../thinking.js";
import { YOU } from "../wording.js";
import { options } from "./hints.js";
import { reason } from "./reasons.js";
import { openPosition } from "./reviews.js";

/** @param {import("../practice.js").Exercise} exercise @returns its position, judged anew */
export async function exerciseData(exercise) {
  const rules = rulesNamed(exercise.rules);
  const deal = loadedDeal(exercise, rules);
  const seat = deal.turn;
  const view = deal.view(seat);
  /** @type {[string, string]} */
  const names = seat === 0 ? [YOU, exercise.opponent] : [exercise.opponent, YOU];
  const advice = await advise(deal);
  const [best] = advice.actions;
  return {
    exercise,
    names: bySide(names[seat], names[1 - seat]),
    trump: view.trump,
    position: openPosition(deal, deal.actions.length, seat),
    events: dealEvents(deal, seat, names).map((event, number) =>
      eventData(event, number, sideOrNobody(event.seat, seat), view.trump, null),
    ),
    trick: trickNumber(view, rules, false),
    stage: stageOf(view),
    action: parseAction(exercise.played, rules),
    best,
    bestName: actionName(best, rules),
    reason: reason(view, rules, advice),
    options: options(advice, rules, null),
    exact: advice.exact,
    judgeTitle: agentTitle(advice.judge),
  };
}
