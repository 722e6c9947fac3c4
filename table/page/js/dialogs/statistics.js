// @ts-check
/** The statistics: results by game and agent, accuracy, luck and skill, streaks. */

import { agentTitle, matchTitle, rulesTitle } from "../../game/catalogue.js";
import * as sessions from "../../game/sessions.js";
import { countText, dateText, percent } from "../../game/wording.js";
import { attempt } from "../attempt.js";
import { barCell } from "../coach/bars.js";
import { fill, h, svg } from "../dom.js";
import { change } from "../settings.js";
import { signed } from "../words.js";
import { confirmDialog, openDialog } from "./dialog.js";
import { nextText, openPractice } from "./practice.js";

/** @typedef {import("../../game/types.js").Statistics} Statistics */
/** @typedef {import("../../game/types.js").PracticeQueue} PracticeQueue */
/** @typedef {import("../../game/types.js").Catalog} Catalog */

const FEW = 10; // deals

/** @type {Record<import("../../game/practice.js").Kind, string>} */
const KINDS = {
  opening: "Opening lead",
  prize: "Taking or leaving the prize",
  lead: "Other leads in the foreplay",
  trumps: "Trumps",
  endgame: "Endgame",
  exchange: "Keeping or swapping the hand",
};

/** @param {Statistics} statistics @param {Catalog} catalog */
export function openStatistics(statistics, catalog) {
  const queue = h("div", { class: "queue" });
  const showQueue = (/** @type {PracticeQueue} */ found) => fill(queue, ...practice(found, showQueue));
  showQueue(statistics.practice);
  const remove = () =>
    confirmDialog(
      "Delete all statistics and mistakes to practise?",
      "Delete",
      () =>
        void attempt(async () => {
          await sessions.clearStatistics();
          change({ dealsKept: 0 });
          dialog.close();
        }),
    );
  const dialog = openDialog(
    "Statistics",
    [
      queue,
      ...(statistics.deals === 0
        ? [h("p", {}, "No deal is finished yet. Play one, and its result will appear here.")]
        : tables(statistics, catalog)),
      statistics.pending > 0 &&
        h("p", {}, `Being worked out: the accuracy and luck of ${countText(statistics.pending, "deal")}.`),
      statistics.deals >= FEW &&
        h(
          "p",
          { class: "note" },
          "Tricks is how many you take in a deal, on average. Luck is how many Champion (in humbug, Textbook) takes when it plays both hands of your deals, and Skill is how many more you take. Luck, Skill and Accuracy appear after ten deals; ± is half the 95 % interval.",
        ),
      h(
        "p",
        { class: "note" },
        "Kept only in this browser. Deals and matches with hints or take-backs are counted separately.",
      ),
      h(
        "div",
        { class: "buttons" },
        (statistics.deals > 0 || statistics.practice.next !== null) &&
          h("button", { class: "quiet", onclick: remove }, "Delete all"),
      ),
    ],
    { kind: "wide" },
  );
}

/** @param {PracticeQueue} queue @param {(queue: PracticeQueue) => void} changed called after practice @returns {HTMLElement[]} the mistakes that come back, by kind */
function practice(queue, changed) {
  const begin = () =>
    attempt(async () => {
      const first = await sessions.nextExercise();
      if (first !== null) openPractice(first, () => void sessions.practiceQueue().then(changed));
    });
  if (queue.kinds.length === 0) return [];
  return [
    plainTable(
      "Your mistakes to practise",
      ["Position", "Due", "All"],
      queue.kinds.map(({ kind, due, all }) => [KINDS[kind], due, all]),
    ),
    queue.due === 0
      ? h("p", {}, nextText(queue))
      : h(
          "div",
          { class: "buttons" },
          h(
            "button",
            { class: "primary", onclick: () => void begin() },
            `Practise ${countText(queue.due, "position")}`,
          ),
        ),
  ];
}

/** @param {Statistics} statistics @param {Catalog} catalog @returns {HTMLElement[]} */
function tables(statistics, catalog) {
  const plain = statistics.groups.filter((group) => !group.assisted);
  const assisted = statistics.groups.filter((group) => group.assisted);
  const recent = statistics.recent.filter((deal) => !deal.assisted);
  const sum = (/** @type {"deals" | "won" | "lost" | "drawn"} */ key) =>
    plain.reduce((total, group) => total + group[key], 0);
  const figures = h(
    "dl",
    { class: "figures" },
    figure("Deals", sum("deals")),
    figure("Won", sum("won")),
    figure("Drawn", sum("drawn")),
    figure("Lost", sum("lost")),
    figure("Streak", statistics.streak.now),
    figure("Longest", statistics.streak.longest),
  );
  /** @type {HTMLElement[]} */
  const parts = [
    sum("deals") < FEW ? h("p", {}, `Totals appear here after ${FEW} deals.`) : figures,
    ...(statistics.accuracy === null ? [] : [ladder(statistics.accuracy, statistics.playsLike, catalog)]),
    ...(statistics.memory === null ? [] : [memory(statistics.memory)]),
  ];
  if (statistics.trend !== null) parts.push(trendChart(statistics.trend));
  if (recent.length >= FEW) parts.push(recentChart(recent));
  if (plain.length > 0) parts.push(groupTable("By game and opponent", plain));
  if (assisted.length > 0) parts.push(groupTable("Assisted deals", assisted));
  if (statistics.matches.length > 0) parts.push(matchTable(statistics));
  return parts;
}

/** @param {number} accuracy @param {string | null} like @param {Catalog} catalog @returns {HTMLElement} your accuracy among those of the agents */
function ladder(accuracy, like, catalog) {
  const rungs = [
    ...catalog.agents.flatMap(({ title, accuracy: measured }) =>
      measured === null ? [] : [{ title, accuracy: measured, you: false }],
    ),
    { title: "You", accuracy, you: true },
  ].sort((one, other) => other.accuracy - one.accuracy);
  const row = (/** @type {typeof rungs[0]} */ rung) =>
    h(
      "tr",
      { class: rung.you ? "chosen" : "" },
      h("th", { scope: "row" }, rung.title),
      barCell(rung.accuracy / 100),
      h("td", {}, percent(rung.accuracy / 100)),
    );
  return h(
    "div",
    { class: "ladder" },
    h("h3", {}, like === null ? "Accuracy in the classic game" : `In the classic game, you play like ${like}`),
    h(
      "p",
      { class: "note" },
      "Accuracy is how little you gave away of what was at stake: random cards reach 30 %, the coach’s choices 100 %. All figures are from the classic game.",
    ),
    h("table", { class: "bars" }, h("caption", { class: "hidden" }, "Accuracy"), h("tbody", {}, ...rungs.map(row))),
  );
}

/** @param {import("../../game/types.js").Memory} memory @returns {HTMLElement} */
function memory({ deals, share, perfect }) {
  return h(
    "p",
    {},
    h("strong", {}, "Memory: "),
    `${percent(share)} of the opponent’s cards in ${countText(deals, "deal")}${perfect === 0 ? "" : `, ${perfect} without an error`}.`,
  );
}

/** @param {string} word @param {number} number @returns {HTMLElement} */
function figure(word, number) {
  return h("div", {}, h("dt", {}, word), h("dd", {}, number));
}

/** @param {string} caption @param {string[]} heads @param {(string | number)[][]} rows @returns {HTMLElement} */
function plainTable(caption, heads, rows) {
  return h(
    "div",
    { class: "scroller groups", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      { class: "plain" },
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
      h(
        "tbody",
        {},
        ...rows.map((row) =>
          h(
            "tr",
            {},
            ...row.map((cell, place) =>
              place < 1 ? h("th", { scope: "row" }, cell) : h("td", { "data-head": heads[place] }, cell),
            ),
          ),
        ),
      ),
    ),
  );
}

/** @param {string} caption @param {import("../../game/types.js").DealGroup[]} groups @returns {HTMLElement} */
function groupTable(caption, groups) {
  const estimate = (
    /** @type {import("../../game/types.js").Estimate | null} */ found,
    /** @type {(value: number) => string} */ words,
  ) => (found === null ? "–" : `${words(found.mean)} ± ${found.error.toFixed(1)}`);
  const number = (/** @type {number} */ value) => value.toFixed(1);
  return plainTable(
    caption,
    ["Game", "Against", "Deals", "Won", "Drawn", "Lost", "Tricks", "Luck", "Skill", "Accuracy", "Streak"],
    groups.map((group) => [
      rulesTitle(group.rules),
      agentTitle(group.agent),
      group.deals,
      group.won,
      group.drawn,
      group.lost,
      group.tricks === null ? "–" : number(group.tricks),
      estimate(group.luck, number),
      estimate(group.skill, signed),
      group.accuracy === null ? "–" : percent(group.accuracy / 100),
      `${group.streak.now} (best ${group.streak.longest})`,
    ]),
  );
}

/** @param {Statistics} statistics @returns {HTMLElement} */
function matchTable(statistics) {
  return plainTable(
    "Matches",
    ["Game", "Against", "Match", "Won", "Lost"],
    statistics.matches.map((match) => [
      rulesTitle(match.rules),
      agentTitle(match.agent),
      matchTitle(match.match) + (match.assisted ? ", assisted" : ""),
      match.won,
      match.lost,
    ]),
  );
}

/** @param {Statistics["recent"]} recent @returns {HTMLElement} margins as bars */
function recentChart(recent) {
  const step = 600 / Math.max(recent.length, 25);
  const most = Math.max(...recent.map((deal) => Math.abs(deal.margin)), 1);
  const bars = recent.map((deal, place) => {
    const height = (55 * Math.abs(deal.margin)) / most;
    return svg("rect", {
      class: deal.margin > 0 ? "won" : deal.margin < 0 ? "lost" : "drawn",
      x: place * step + step * 0.15,
      width: step * 0.7,
      y: deal.margin > 0 ? 60 - height : 60,
      height: Math.max(height, 1.5),
    });
  });
  return h(
    "figure",
    { class: "chart" },
    svg(
      "svg",
      {
        viewBox: "0 0 600 120",
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": `Margins of the last ${recent.length} deals`,
      },
      svg("line", { x1: 0, x2: 600, y1: 60, y2: 60, class: "axis" }),
      ...bars,
    ),
    h("figcaption", {}, `Margins of the last ${countText(recent.length, "deal")}, the newest on the right.`),
  );
}

/** @param {NonNullable<Statistics["trend"]>} trend @returns {HTMLElement} accuracy over time as a line */
function trendChart({ deals, from, to, points }) {
  const most = 100;
  const least = Math.min(50, 10 * Math.floor(Math.min(...points) / 10));
  const height = (/** @type {number} */ accuracy) => (120 * (most - accuracy)) / (most - least);
  const x = (/** @type {number} */ place) => (600 * place) / (points.length - 1);
  const last = points[points.length - 1];
  const grid = [most, (most + least) / 2, least];
  return h(
    "figure",
    { class: "chart trend" },
    h(
      "div",
      { class: "axis-words", "aria-hidden": "true" },
      ...grid.map((value) => h("span", {}, percent(value / 100))),
    ),
    svg(
      "svg",
      {
        viewBox: "0 0 600 120",
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": `Accuracy over time: ${percent(points[0] / 100)} at first, ${percent(last / 100)} now`,
      },
      ...grid.map((value) => svg("line", { x1: 0, x2: 600, y1: height(value), y2: height(value), class: "axis" })),
      svg("polyline", {
        points: points.map((value, place) => `${x(place)},${height(value)}`).join(" "),
        class: "line",
      }),
    ),
    h(
      "figcaption",
      {},
      `Accuracy over time, from ${dateText(from)} to ${dateText(to)}: each point is that of ${deals} deals. Now ${percent(last / 100)}.`,
    ),
  );
}
