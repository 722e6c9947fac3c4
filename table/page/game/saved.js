// @ts-check
/** Sessions as the store keeps them, complete enough to go on after any card. */

import { parseDeck } from "../engine/cards.js";
import { rulesNamed } from "../engine/rules.js";
import { Episode } from "./deal/episode.js";
import { FinishedDeal, loadedDeal, savedDeal } from "./deal/finished.js";
import { LESSON } from "./lesson.js";
import { Session } from "./session.js";
import { outcomeOf } from "./session_data.js";
import { setupOf } from "./setup.js";

/** @typedef {import("./store.js").SavedSession} SavedSession */

/** @param {string} id @param {Session} session @returns {SavedSession} */
export function savedSession(id, session) {
  const { deal, assisted, recalled } = session;
  const deals = session.finished.map(({ saved }) => saved);
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
  const last = saved.deals[saved.deals.length - 1];
  const session = new Session(setup, saved.title, loadedDeal(last, rules), saved.person);
  session.finished = saved.deals.filter(({ ended }) => ended !== null).map((row) => new FinishedDeal(row, rules));
  session.version = saved.version;
  session.earlier = saved.earlier;
  session.sent = saved.sent;
  session.seal = saved.seal ?? null;
  session.revealed = saved.revealed ?? false;
  session.assisted = last.assisted;
  session.recalled = last.recalled;
  return session;
}

/** @returns {Session} a session with the lesson */
export function lessonSession() {
  const { rules: spec, teacher, seat, deck } = LESSON;
  const setup = setupOf({ rules: spec, agent: "heuristic+exact", seat, kind: "lesson" });
  const rules = rulesNamed(spec);
  return new Session(setup, teacher, new Episode(rules, parseDeck(deck, rules.cards), 1 - seat));
}
