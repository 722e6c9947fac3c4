// @ts-check
/** Claims: a player says how the deal ends once both hands are known, and the solver checks it; or concedes it, at any time. */

import { cardsOf, popcount } from "../../engine/cards.js";
import { opponentHandKnown } from "../../engine/view.js";
import { Episode } from "../deal/episode.js";
import { takenTricks } from "../deal/words.js";
import { PageError } from "../errors.js";
import { act, advise, playOut } from "../thinking.js";
import { bestLine, PERFECT_ENDGAME } from "./reviews.js";

/** @param {Episode} deal not over @returns {boolean} whether the seat to act may claim: it knows both hands, and has more than one card left */
export function canClaim(deal) {
  const view = deal.view(deal.turn);
  return opponentHandKnown(view) && popcount(view.hand) > 1;
}

/**
 * @param {Episode} deal
 * @param {import("../types.js").Claim} claim the seat to act's claim
 * @returns {Promise<Episode>} the deal played to its end: with good play of both seats, or with the worst of a seat that concedes what it need not lose
 * @throws {PageError} if the deal does not end so
 */
export async function claimed(deal, claim) {
  if (claim === "lost") return conceded(deal);
  const taken = takenTricks(deal.state, deal.rules);
  const { tricks, opponentTricks } = await advise(deal);
  const holds = claim === "mine" ? opponentTricks[0] === taken[1 - deal.turn] : tricks[0] === taken[deal.turn];
  if (!holds) throw new PageError("refused", "That is not certain: play on.");
  return bestLine(deal, deal.actions.length);
}

/** @param {Episode} deal one that need not be lost @returns {Promise<Episode>} in which the seat to act loses @throws {PageError} if that seat cannot lose any more */
async function conceded(deal) {
  const { turn } = deal;
  const copy = () => new Episode(deal.rules, deal.deck, deal.dealer, deal.actions);
  const isLost = (/** @type {Episode} */ line) => (turn === 0 ? 1 : -1) * line.result().margin < 0;
  const good = await playOut(copy(), [PERFECT_ENDGAME, PERFECT_ENDGAME], { here: true });
  if (isLost(good)) return good;
  const line = copy();
  while (!line.done) {
    if (line.turn !== turn) line.play(await act(PERFECT_ENDGAME, line, true));
    else if (opponentHandKnown(line.view(turn))) line.play((await advise(line)).actions.at(-1) ?? 0);
    else line.play(cardsOf(line.legal)[0]);
  }
  if (!isLost(line)) throw new PageError("refused", "You cannot lose this deal any more: play on.");
  return line;
}
