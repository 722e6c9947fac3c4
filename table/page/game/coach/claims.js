// @ts-check
/** Claims: a person says how the deal ends once both hands are known, and the solver checks it. */

import { popcount } from "../../engine/cards.js";
import { opponentHandKnown } from "../../engine/view.js";
import { takenTricks } from "../deal/words.js";
import { PageError } from "../errors.js";
import { advise } from "../thinking.js";
import { bestLine } from "./reviews.js";

/** @typedef {import("../deal/episode.js").Episode} Episode */

/** @param {Episode} deal @returns {boolean} whether the seat to act may claim: it knows both hands, and has more than one card left */
export function canClaim(deal) {
  if (deal.done) return false;
  const view = deal.view(deal.turn);
  return opponentHandKnown(view) && popcount(view.hand) > 1;
}

/**
 * @param {Episode} deal
 * @param {import("../types.js").Claim} claim of the seat to act
 * @returns {Promise<Episode>} the deal with best play of both seats to its end
 * @throws {PageError} if nothing can be claimed now, or best play does not end so
 */
export async function claimed(deal, claim) {
  if (!canClaim(deal)) throw new PageError("refused", "You can claim only once both hands are known.");
  const taken = takenTricks(deal.state, deal.rules);
  const { tricks, opponentTricks, wins } = await advise(deal);
  const holds = { mine: opponentTricks[0] === taken[1 - deal.turn], theirs: tricks[0] === taken[deal.turn], lost: wins[0] === 0 };
  if (!holds[claim]) throw new PageError("refused", "That is not certain: play on.");
  return bestLine(deal, deal.actions.length);
}
