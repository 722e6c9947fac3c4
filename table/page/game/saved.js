// @ts-check
/** Sessions as the store keeps them, complete enough to go on after any card. */

import { actionText, deckText, parseAction, parseDeck } from "../engine/cards.js";
import { rulesNamed } from "../engine/rules.js";
import { Episode } from "./deal/episode.js";
import { LESSON } from "./lesson.js";
import { Session } from "./session.js";
import { outcomeOf } from "./session_data.js";
import { setupOf } from "./setup.js";

/** @typedef {import("./store.js").SavedSession} SavedSession */
/** @typedef {import("./store.js").SavedDeal} SavedDeal */

/** @param {string} id @param {Session} session @returns {SavedSession} */
export function savedSession(id, session) {
  const { deal, assisted, recalled } = session;
  const deals = session.finished.map((one) => savedDeal(one.deal, one.assisted, one.recalled, one.time));
  if (!deal.done) deals.push(savedDeal(deal, assisted, recalled, null));
  return {
    id,
    settings: session.setup,
    title: session.title,
    person: session.person,
    version: session.version,
    updated: Date.now(),
    finished: session.over,
    inPlay: !deal.done,
    outcome: outcomeOf(session),
    earlier: session.earlier,
    sent: session.sent,
    seal: session.seal,
    revealed: session.revealed,
    deals,
  };
}

/** @param {SavedSession} saved @returns {Session} @throws {Error} if the page does not play its game, or it is damaged */
export function loadedSession(saved) {
  const setup = setupOf(saved.settings);
  const rules = rulesNamed(setup.rules);
  const deals = saved.deals.map(({ deck, dealer, actions, claimed }) => {
    const played = actions
      .split(" ")
      .filter(Boolean)
      .map((word) => parseAction(word, rules));
    return new Episode(rules, parseDeck(deck, rules.cards), dealer, played, claimed);
  });
  const last = saved.deals[saved.deals.length - 1];
  const session = new Session(setup, saved.title, deals[deals.length - 1], saved.person);
  session.finished = saved.deals.flatMap(({ assisted, recalled, ended }, place) =>
    ended === null ? [] : [{ deal: deals[place], assisted, recalled, time: ended }],
  );
  session.version = saved.version;
  session.earlier = saved.earlier;
  session.sent = saved.sent;
  session.seal = saved.seal ?? null;
  session.revealed = saved.revealed ?? false;
  session.assisted = last.assisted;
  session.recalled = last.recalled;
  return session;
}

/** @returns {Session} with the lesson */
export function lessonSession() {
  const { rules: spec, teacher, seat, deck } = LESSON;
  const setup = setupOf({ rules: spec, agent: "heuristic+exact", seat, kind: "lesson" });
  const rules = rulesNamed(spec);
  return new Session(setup, teacher, new Episode(rules, parseDeck(deck, rules.cards), 1 - seat));
}

/** @param {Episode} deal @param {boolean} assisted @param {readonly number[] | null} recalled @param {string | null} ended @returns {SavedDeal} */
function savedDeal(deal, assisted, recalled, ended) {
  return {
    deck: deckText(deal.deck),
    dealer: deal.dealer,
    actions: deal.actions.map((action) => actionText(action, deal.rules)).join(" "),
    claimed: deal.claimed,
    assisted,
    recalled: recalled === null ? null : [...recalled],
    ended,
  };
}
