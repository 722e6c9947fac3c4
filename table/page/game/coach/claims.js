// @ts-check
/** Claims: a person says how the deal ends once both hands are known, and the solver checks it. */

import { popcount } from "../../engine/cards.js";
import { opponentHandKnown } from "../../engine/view.js";
import { Episode } from "../deal/episode.js";
import { takenTricks } from "../deal/words.js";
import { PageError } from "../errors.js";
import { advise } from "../thinking.js";
import { bestLine } from "./reviews.js";

/** @param {Episode} deal not over @returns {boolean} whether the seat to act may claim: it knows both hands, and has more than one card left */
export function canClaim(deal) {
  const view = deal.view(deal.turn);
  return opponentHandKnown(view) && popcount(view.hand) > 1;
}

/**
 * @param {Episode} deal
 * @param {import("../types.js").Claim} claim of the seat to act, which may claim
 * @returns {Promise<Episode>} the deal played to its end: with best play of both seats, or with the worst of a seat that concedes what it need not lose
 * @throws {PageError} if the deal does not end so
 */
export async function claimed(deal, claim) {
  const taken = takenTricks(deal.state, deal.rules);
  const { tricks, opponentTricks, wins } = await advise(deal);
  if (claim === "lost" && wins[0] > 0) return conceded(deal);
  const holds = {
    mine: opponentTricks[0] === taken[1 - deal.turn],
    theirs: tricks[0] === taken[deal.turn],
    lost: true,
  };
  if (!holds[claim]) throw new PageError("refused", "That is not certain: play on.");
  return bestLine(deal, deal.actions.length);
}

/** @param {Episode} deal that need not be lost @returns {Promise<Episode>} with the worst play of the seat to act and the best of the other @throws {PageError} if that seat cannot lose any more */
async function conceded(deal) {
  const { turn } = deal;
  const line = new Episode(deal.rules, deal.deck, deal.dealer, deal.actions);
  while (!line.done) {
    const { actions } = await advise(line);
    line.play(line.turn === turn ? actions[actions.length - 1] : actions[0]);
  }
  const { margin } = line.result();
  if ((turn === 0 ? margin : -margin) >= 0)
    throw new PageError("refused", "You cannot lose this deal any more: play on.");
  return line;
}
