// @ts-check
/** Let two agents play a deal, which is then looked at move by move. */

import { agentsFor, agentTitle } from "../../game/catalogue.js";
import { h } from "../dom.js";
import { openDialog } from "./dialog.js";
import { selectField } from "./fields.js";

/**
 * @param {string} rules
 * @param {(agents: [string, string]) => void} play
 */
export function chooseTwoAgents(rules, play) {
  const choices = agentsFor(rules).map((spec) => ({ value: spec, title: agentTitle(spec) }));
  const agents = /** @type {[string, string]} */ (choices.slice(-2).map(({ value }) => value));
  const dialog = openDialog("Watch two agents", [
    selectField("First seat", choices, agents[0], (spec) => { agents[0] = spec; }),
    selectField("Second seat, which leads", choices, agents[1], (spec) => { agents[1] = spec; }),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "primary", onclick: () => { dialog.close(); play(agents); } }, "Play")),
  ]);
}
