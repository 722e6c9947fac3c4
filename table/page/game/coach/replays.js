// @ts-check
/** Other ways to play a finished deal: another card, the other seat, the agent with your cards, the sender of a challenge. */

import { agentTitle } from "../catalogue.js";
import { Episode } from "../deal/episode.js";
import { moveTexts } from "../deal/events.js";
import { bySide, playedTricks, result, sideOf } from "../deal/position.js";
import { resultText, takenTricks } from "../deal/words.js";
import { Session } from "../session.js";
import { readDeals, SENDER } from "../shared_deals.js";
import { playOut } from "../thinking.js";
import { bestLine, openPositions } from "./reviews.js";

const HOUSE = ["greedy", "heuristic", "small"]; // none of them plays at random: everybody sees the same results

/**
 * @param {Session} session the session of the deal
 * @param {number} place which of its finished deals, from 0
 * @param {number} move number of the decision, from 1
 * @param {number} action the action to try
 * @returns {Session} practice that goes on from a decision of the player with another action
 */
export function tryAction(session, place, move, action) {
  const { deal } = session.finished[place];
  const actions = [...deal.actions.slice(0, move - 1), action];
  return practice(session, place, new Episode(deal.rules, deal.deck, deal.dealer, actions), move, false);
}

/** @param {Session} session @param {number} place @returns {Session} practice with the same deal, in which the player has the cards that the agent had */
export function swapSeats(session, place) {
  const { deal } = session.finished[place];
  return practice(session, place, new Episode(deal.rules, deal.deck, deal.dealer), null, true);
}

/** @param {Session} session @param {number} place @param {Episode} deal @param {number | null} move @param {boolean} swapped @returns {Session} which remembers what the deal brought before */
function practice(session, place, deal, move, swapped) {
  const seat = swapped ? 1 - session.seat : session.seat;
  const made = new Session(
    { ...session.setup, kind: "practice", match: null, day: null, seat },
    agentName(session),
    deal,
  );
  const [, text] = resultText(session.finished[place].result, session.names);
  made.earlier = { text, swapped, session: null, deal: place + 1, move }; // sessions do not know their ids
  made.closeDeal(); // the last card of the deal may be the one that is tried
  return made;
}

/** @param {Session} session @returns {string} the agent's name; a recorded player need not be the agent that plays in its place */
function agentName({ setup, title }) {
  return setup.kind === "recording" ? agentTitle(setup.agent) : title;
}

/**
 * @param {Session} session the session of the deal
 * @param {number} place which of its finished deals, from 0
 * @param {number | null} move number of the decision, from 1; both hands have to be known there
 * @returns what the agent makes of the player's cards against itself, or perfect play from a decision on
 */
export async function watch(session, place, move) {
  const { deal: before } = session.finished[place];
  const { seat } = session;
  let [title, first, names, deal] = [agentName(session), 0, session.names, before];
  if (move === null) {
    const { agent } = session.setup;
    deal = await playOut(new Episode(before.rules, before.deck, before.dealer), [agent, agent]);
    names = seat === 0 ? [`${title} with your cards`, title] : [title, `${title} with your cards`];
  } else {
    [deal, title, first] = [await bestLine(before, move - 1), "Perfect play", move - 1];
  }
  return compared(before, deal, seat, title, names, first);
}

/** @param {Session} session one with a single finished deal @returns what some agents of this page make of the player's cards against the same opponent, the most tricks first */
export async function houseResults({ setup, seat, finished: [{ deal }] }) {
  /** @type {{title: string, tricks: number}[]} */
  const found = [];
  for (const agent of HOUSE) {
    const played = await playOut(
      new Episode(deal.rules, deal.deck, deal.dealer),
      seat === 0 ? [agent, setup.agent] : [setup.agent, agent],
      { here: true },
    );
    found.push({ title: agentTitle(agent), tricks: takenTricks(played.state, played.rules)[seat] });
  }
  return found.sort((one, other) => other.tricks - one.tricks);
}

/** @param {Session} session a challenge that is over @returns what the sender made of the same cards */
export function compareWithSender({ sent, finished, seat }) {
  const [{ deal, names }] = readDeals(/** @type {string} */ (sent));
  const shown = /** @type {[string, string]} */ (
    names.map((name, place) => (place === seat ? SENDER : agentTitle(name)))
  );
  return compared(finished[0].deal, deal, seat, SENDER, shown, 0);
}

/**
 * @param {Episode} before the player's deal
 * @param {Episode} deal the same one as it was played by others
 * @param {number} seat the player's
 * @param {string} title who plays its cards
 * @param {[string, string]} names the players of `deal` by seat
 * @param {number} first move to be shown, from 0
 */
function compared(before, deal, seat, title, names, first) {
  const differs = deal.actions.findIndex((action, step) => action !== before.actions[step]);
  const same = differs < 0 ? Math.min(deal.actions.length, before.actions.length) : differs;
  const texts = moveTexts(deal, names);
  const moves = deal.actions.map((action, step) => ({
    by: sideOf(deal.actor(step), seat),
    action,
    text: texts[step],
    yours: deal.actor(step) === seat && step <= same && step < before.actions.length ? before.actions[step] : null,
  }));
  return {
    title,
    names: bySide(names[seat], names[1 - seat]),
    trump: deal.state.trump,
    result: result(deal, seat, names),
    compare: { you: result(before, seat, names).tricks.you, other: result(deal, seat, names).tricks.you },
    tricks: { yours: playedTricks(before, seat), other: playedTricks(deal, seat) },
    moves: moves.slice(first),
    parted: Math.max(differs - first, 0),
    positions: openPositions(deal, seat).slice(first),
  };
}
