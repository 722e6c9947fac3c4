// @ts-check
/** The agents at the table: what they play (`session/opponent.py`). */

import { makeAgent } from "../engine/agents.js";
import { teacherCard } from "./lesson.js";

/** @typedef {import("../engine/agents.js").Agent} Agent */
/** @typedef {import("../engine/network/network.js").Network} Network */
/** @typedef {import("./deal/table_deal.js").TableDeal} TableDeal */

/** @param {string} spec @returns {boolean} whether an agent of this specification needs the network */
export const needsNetwork = (spec) => spec === "small";

/** @param {import("./game_session.js").Session} session in which it is the agent's turn @param {Network | null} network @returns {number} what the agent plays */
export function agentAction({ settings, deal }, network) {
  const scripted = settings.kind === "lesson" ? teacherCard(deal) : null;
  return scripted ?? makeAgent(settings.agent, deal.rules, network)(deal.view(deal.turn));
}

/**
 * Let agents, by seat, play a deal to its end.
 *
 * @param {TableDeal} deal
 * @param {[Agent, Agent]} agents
 * @param {() => Promise<void>} pause lets others in between two actions
 * @returns {Promise<TableDeal>} the same deal
 */
export async function playOut(deal, agents, pause) {
  while (!deal.done) {
    deal.play(agents[deal.turn](deal.view(deal.turn)));
    await pause();
  }
  return deal;
}
