// @ts-check
/** Opponents for a start, each with a face and a sentence: those of the command line, then three, the easiest first. */

import { agentsFor } from "../../game/catalogue.js";
import { h, svg } from "../dom.js";
import { openDialog } from "./dialog.js";

/** @typedef {[string, Record<string, string | number>]} Shape */

const LINE = { fill: "none", stroke: "#33261d", "stroke-width": 2.4, "stroke-linecap": "round" };
/** @type {(x: number, y: number) => Shape} */
const eye = (x, y) => ["circle", { cx: x, cy: y, r: 2.3, fill: "#33261d" }];
/** @type {(color: string) => Shape[]} */
const head = (color) => [
  ["path", { d: "M10 80C10 62 24 58 40 58C56 58 70 62 70 80Z", fill: color }],
  ["path", { d: "M33 50H47V60C44 64 36 64 33 60Z", fill: "#e2b48c" }],
  ["ellipse", { cx: 40, cy: 38, rx: 17, ry: 19, fill: "#f3cfa6" }],
];

/** @typedef {{spec: string, words: string, ground: string, shapes: Shape[]}} Opponent */

/** @type {Opponent[]} */
const OPPONENTS = [
  {
    spec: "greedy",
    words: "Wants every good card at once. You will soon beat it.",
    ground: "#e9b44c",
    shapes: [
      ...head("#3f7d5a"),
      [
        "path",
        { d: "M22 36C20 20 30 13 40 13C52 13 60 21 58 36C54 28 48 25 40 26C32 25 26 28 22 36Z", fill: "#b5522b" },
      ],
      ["path", { d: "M20 27C28 20 52 20 60 27L66 31C54 27 26 27 20 27Z", fill: "#2f6b4f" }],
      eye(33, 38),
      eye(48, 38),
      ["path", { d: "M31 46C35 53 45 53 49 46Z", fill: "#fff", stroke: "#33261d", "stroke-width": 2 }],
    ],
  },
  {
    spec: "heuristic",
    words: "Remembers every card and plays by the book.",
    ground: "#7fa6c9",
    shapes: [
      ["path", { d: "M20 40C18 18 30 12 40 12C50 12 62 18 60 40L62 56H18Z", fill: "#4a3b33" }],
      ...head("#6b4d7c"),
      [
        "path",
        { d: "M23 34C24 22 32 18 40 18C48 18 56 22 57 34C50 30 44 28 40 22C36 28 30 30 23 34Z", fill: "#4a3b33" },
      ],
      ["circle", { cx: 32.5, cy: 39, r: 6, ...LINE }],
      ["circle", { cx: 47.5, cy: 39, r: 6, ...LINE }],
      ["path", { d: "M38.5 38H41.5", ...LINE }],
      eye(33, 39),
      eye(47, 39),
      ["path", { d: "M34 50C38 52 42 52 46 50", ...LINE }],
    ],
  },
  {
    spec: "champion",
    words: "Has played millions of deals. Few beat it.",
    ground: "#b8697a",
    shapes: [
      ...head("#2d3550"),
      [
        "path",
        { d: "M23 46C23 62 33 66 40 66C47 66 57 62 57 46C52 52 46 50 40 50C34 50 28 52 23 46Z", fill: "#8d8a86" },
      ],
      [
        "path",
        {
          d: "M22 24L25 8L33 17L40 6L47 17L55 8L58 24Z",
          fill: "#f2c744",
          stroke: "#a9801b",
          "stroke-width": 1.6,
          "stroke-linejoin": "round",
        },
      ],
      ["path", { d: "M27 34L37 36M53 34L43 36", ...LINE }],
      eye(33, 40),
      eye(47, 40),
      ["path", { d: "M35 55C39 57 42 57 45 54", ...LINE }],
    ],
  },
];

/** @param {string} spec an agent that is none of the three @returns {Opponent} */
const another = (spec) => ({
  spec,
  words: spec,
  ground: "#8fae8b",
  shapes: [...head("#4d4d4d"), eye(33, 38), eye(47, 38), ["path", { d: "M33 49H47", ...LINE }]],
});

/** @param {import("../../game/types.js").Catalog} catalog @returns {Opponent[]} those of the default game: those of the command line first */
function opponents({ suggested, defaults }) {
  const able = agentsFor(defaults.rules);
  const first = suggested.map((one) => OPPONENTS.find(({ spec }) => spec === one) ?? another(one));
  return [...new Set([...first, ...OPPONENTS.filter(({ spec }) => able.includes(spec))])];
}

/**
 * @param {import("../../game/types.js").Catalog} catalog
 * @param {(agent: string) => void} choose
 * @returns {HTMLElement}
 */
export function opponentList(catalog, choose) {
  const buttons = opponents(catalog).map(({ spec, words, ground, shapes }, place) => {
    const agent = catalog.agents.find((entry) => entry.spec === spec);
    return (
      agent !== undefined &&
      h(
        "button",
        { class: "quiet", autofocus: place === 0, onclick: () => choose(agent.spec) },
        svg(
          "svg",
          { viewBox: "0 0 80 80", "aria-hidden": "true" },
          svg("circle", { cx: 40, cy: 40, r: 40, fill: ground }),
          ...shapes.map(([tag, attributes]) => svg(tag, attributes)),
        ),
        h("span", {}, h("strong", {}, agent.title), " ", h("em", {}, agent.level), h("small", {}, words)),
      )
    );
  });
  return h("div", { class: "opponents", role: "group", "aria-label": "Opponents" }, ...buttons);
}

/**
 * Say that an opponent cannot be loaded, and offer the one before it in the catalogue. Closing the window accepts that.
 *
 * @param {import("../../game/types.js").Catalog} catalog
 * @param {import("../../game/errors.js").PageError} error
 * @param {{again: () => void, playAnother: (agent: string) => void}} ways
 */
export function absentOpponent(catalog, { agent: spec, message }, { again, playAnother }) {
  const own = catalog.agents.filter((entry) => entry.own);
  const other = own[own.findIndex((entry) => entry.spec === spec) - 1];
  let act = () => playAnother(other.spec);
  const buttons = [
    h("button", { class: "primary", onclick: () => dialog.close() }, `Play against ${other.title}`),
    h(
      "button",
      {
        class: "quiet",
        onclick: () => {
          act = again;
          dialog.close();
        },
      },
      "Try again",
    ),
  ];
  const dialog = openDialog(
    "The opponent is not available",
    [h("p", {}, message), h("div", { class: "buttons" }, ...buttons)],
    { onclose: () => act() },
  );
}

/** @param {import("../../game/types.js").Catalog} catalog @param {string} agent @returns {boolean} whether it is one of those */
export const isListed = (catalog, agent) => opponents(catalog).some(({ spec }) => spec === agent);

/** @param {import("../../game/types.js").Catalog} catalog @returns {string} the opponent that is suggested: the first of the command line, else the easiest */
export const firstOpponent = (catalog) => opponents(catalog)[0].spec;
