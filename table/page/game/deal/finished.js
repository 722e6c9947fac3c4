// @ts-check
/** A finished deal of a session, kept as the store has it: to look at its cards again, it is replayed. */

import { actionText, deckText, parseAction, parseDeck } from "../../engine/cards.js";
import { PageError } from "../errors.js";
import { Episode } from "./episode.js";

/** @typedef {import("../store.js").SavedDeal} SavedDeal */
/** @typedef {import("./episode.js").Rules} Rules */

/** @param {Episode} deal @param {boolean} assisted @param {readonly number[] | null} recalled @param {string | null} ended @returns {SavedDeal} */
export function savedDeal(deal, assisted, recalled, ended) {
  return {
    deck: deckText(deal.deck),
    dealer: deal.dealer,
    actions: deal.actions.map((action) => actionText(action, deal.rules)).join(" "),
    claimed: deal.claimed,
    assisted,
    recalled: recalled === null ? null : [...recalled],
    ended,
    ...(deal.done && { result: deal.result() }),
  };
}

/** @param {Pick<SavedDeal, "deck" | "dealer" | "actions"> & {claimed?: number | null}} saved @param {Rules} rules @returns {Episode} @throws {PageError} if it is damaged */
export function loadedDeal({ deck, dealer, actions, claimed }, rules) {
  try {
    const played = actions
      .split(" ")
      .filter(Boolean)
      .map((word) => parseAction(word, rules));
    return new Episode(rules, parseDeck(deck, rules.cards), dealer, played, claimed);
  } catch (error) {
    throw unreadable(error);
  }
}

/** @param {unknown} error @returns {PageError} the error of a game that is damaged, or that the page does not play */
export const unreadable = (error) =>
  new PageError("refused", `This game cannot be read: ${error instanceof Error ? error.message : error}`);

export class FinishedDeal {
  /** @param {SavedDeal} saved @param {Rules} rules */
  constructor(saved, rules) {
    this.saved = saved;
    this.rules = rules;
  }

  /** @returns {Episode} replayed anew each time: a long session would keep thousands of states */
  get deal() {
    return loadedDeal(this.saved, this.rules);
  }

  /** @returns {import("./episode.js").DealResult} games of earlier versions were saved without it */
  get result() {
    this.saved.result ??= this.deal.result();
    return this.saved.result;
  }
}
