// @ts-check
/** What to play: game, scoring, opponent and win target; its rules in words; two agents that play while a player looks on. */

import { agentsFor, agentTitle, canBePlayed, gameOf, matchTitle, wordsOf } from "../../game/catalogue.js";
import { capital } from "../../game/wording.js";
import { fill, h, newId } from "../dom.js";
import { change, settings } from "../settings.js";
import { openDialog } from "./dialog.js";
import { selectField } from "./fields.js";

/** @typedef {import("../../game/types.js").Catalog} Catalog */
/** @typedef {import("../../game/data.js").AgentEntry} AgentEntry */

const TARGETS = [null, "first_to:10", "first_to:25", "first_to:50", "best_of:3", "best_of:5"];

/** @param {Catalog} catalog @param {string} spec an agent of the catalogue @returns {AgentEntry} */
const entryOf = (catalog, spec) => /** @type {AgentEntry} */ (catalog.agents.find((entry) => entry.spec === spec));

/**
 * @param {AgentEntry[]} agents those that play a game
 * @param {AgentEntry} wanted one that does not play it
 * @returns {AgentEntry} the agent of the same level, else the hardest
 */
function likeAgent(agents, wanted) {
  return agents.findLast(({ level }) => level === wanted.level) ?? agents[agents.length - 1];
}

/**
 * Return the form; every choice is kept in the settings at once.
 *
 * @param {Catalog} catalog
 * @param {() => void} start called by its button
 * @returns {HTMLElement}
 */
export function gameForm(catalog, start) {
  const form = h("div");
  const rulesBox = h("details");
  const choices = { ...settings.game };
  if (!canBePlayed(choices)) Object.assign(choices, catalog.defaults);
  const { games } = catalog;

  // Outside the form that is drawn again: pressing it ends the input of a field, which draws the form.
  const deal = h(
    "div",
    { class: "buttons" },
    h(
      "button",
      {
        class: "primary",
        onclick: () => {
          store();
          start();
        },
      },
      "Deal the cards",
    ),
  );
  const fields = () => [...form.querySelectorAll("select, input")];
  const store = () => change({ welcomed: true, game: { ...choices }, defaults: JSON.stringify(catalog.defaults) });
  const draw = () => {
    const game = gameOf(choices.rules);
    const agents = agentsFor(choices.rules).map((spec) => entryOf(catalog, spec));
    let agent = entryOf(catalog, choices.agent);
    if (!agents.includes(agent)) agent = likeAgent(agents, agent);
    choices.agent = agent.spec;
    const { text } = wordsOf(choices.rules);
    const keep = (/** @type {Partial<typeof choices>} */ changes) => {
      Object.assign(choices, changes);
      store();
      // Drawing replaces all fields, so the one that was changed gets the focus back.
      const place = fields().indexOf(/** @type {Element} */ (document.activeElement));
      draw();
      if (place >= 0) /** @type {HTMLElement} */ (fields()[place]).focus();
    };
    fill(
      form,
      selectField(
        "Game",
        games.map(({ id, title }) => ({ value: id, title })),
        game.id,
        (id) => {
          const chosen = games.find((entry) => entry.id === id) ?? game;
          keep({ rules: chosen.scorings[0].rules });
        },
        game.summary,
      ),
      game.scorings.length > 1 &&
        selectField(
          "Scoring",
          game.scorings.map((scoring) => ({ value: scoring.rules, title: scoring.title })),
          choices.rules,
          (rules) => keep({ rules }),
        ),
      selectField(
        "Opponent",
        agents.map(({ spec, title, level }) => ({ value: spec, title: `${title} (${level})` })),
        agent.spec,
        (spec) => keep({ agent: spec }),
        describe(agent, choices.rules),
      ),
      selectField("Win target", targets(choices.match), choices.match ?? "", (match) =>
        keep({ match: match === "" ? null : match }),
      ),
      otherTarget((match) => keep({ match })),
    );
    fill(rulesBox, h("summary", {}, `The rules of ${game.title}`), ...rulesText(text));
  };
  draw();
  return h("div", {}, form, deal, rulesBox);
}

/** @param {AgentEntry} agent @param {string} rules @returns {string} */
function describe(agent, rules) {
  const about = capital(agent.description);
  const strength = agent.strength[rules] ?? agent.strength.classic;
  return strength === undefined ? about : `${about}; ${strength}`;
}

/** @param {string | null} match @returns {{value: string, title: string}[]} */
function targets(match) {
  return [...new Set([...TARGETS, match])].map((one) => ({ value: one ?? "", title: matchTitle(one) }));
}

/** @param {(match: string) => void} choose @returns {HTMLElement} */
function otherTarget(choose) {
  const id = newId();
  const input = h("input", { id, type: "number", min: 1, max: 1000, step: 1, inputmode: "numeric" });
  input.addEventListener("change", () => {
    const target = Number(input.value);
    if (Number.isInteger(target) && target >= 1 && target <= 1000) choose(`first_to:${target}`);
  });
  return h("div", { class: "field" }, h("label", { for: id }, "Or first to"), input);
}

/**
 * @param {string} text a title, an empty line, then paragraphs that begin with a word and a colon, their further lines indented
 * @returns {HTMLElement[]} the paragraphs
 */
export function rulesText(text) {
  const [, paragraphs] = text.trim().split("\n\n");
  return paragraphs.split(/\n(?! )/).map((paragraph) => {
    const words = paragraph.replace(/\s+/g, " ");
    const colon = words.indexOf(":");
    return h("p", { class: "rule" }, h("strong", {}, words.slice(0, colon)), words.slice(colon));
  });
}

const MIRRORED = ["1", "2", "5", "10"].map((value) => ({ value, title: value })); // mirrored deals of two agents

/**
 * @param {string} rules
 * @param {(agents: [string, string], deals: number) => void} play
 */
export function chooseTwoAgents(rules, play) {
  const choices = agentsFor(rules).map((spec) => ({ value: spec, title: agentTitle(spec) }));
  const agents = /** @type {[string, string]} */ (choices.slice(-2).map(({ value }) => value));
  let deals = 1;
  const dialog = openDialog("Watch two agents", [
    selectField("First seat", choices, agents[0], (spec) => {
      agents[0] = spec;
    }),
    selectField("Second seat (leads)", choices, agents[1], (spec) => {
      agents[1] = spec;
    }),
    selectField("Deals, each played twice with the seats swapped", MIRRORED, "1", (number) => {
      deals = Number(number);
    }),
    h(
      "div",
      { class: "buttons" },
      h(
        "button",
        {
          class: "primary",
          onclick: () => {
            dialog.close();
            play(agents, deals);
          },
        },
        "Play",
      ),
    ),
  ]);
}
