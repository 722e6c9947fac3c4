// @ts-check
/** The end of a deal: who won, what it means for the match, and what can be done next. */

import { rulesNamed } from "../../engine/rules.js";
import * as sessions from "../../game/sessions.js";
import { capital, countText } from "../../game/wording.js";
import { recallText } from "../coach/recall.js";
import { byId, fill, h, icon } from "../dom.js";
import { change, settings } from "../settings.js";

/** @typedef {import("../../game/types.js").Session} Session */

const EVERY = 50; // deals after which the page offers a file of all games

/**
 * Show the result, or hide it while the deal goes on.
 *
 * @param {Session} session
 * @param {boolean} visible
 */
export function showResult(session, visible) {
  const panel = byId("result");
  const result = session.position.result;
  if (!visible || result === null) {
    panel.hidden = true;
    delete panel.dataset.version;
    byId("result-text").textContent = "";
    fill(byId("result-more"));
    return;
  }
  if (panel.dataset.version === `${session.id} ${session.version}`) return;
  panel.dataset.version = `${session.id} ${session.version}`;
  panel.dataset.winner = result.winner ?? "";
  panel.hidden = false;
  byId("result-text").textContent = result.text;
  const buttons = buttonsOf(session);
  fill(
    byId("result-more"),
    tricksInOrder(session),
    ...lines(session).map((line) => h("p", {}, line)),
    h("div", { class: "buttons" }, ...buttons),
  );
  buttons[0].focus({ preventScroll: true });
  if (session.kind === "play") {
    askToKeep();
    void offerFile(session, byId("result-more"));
    if (session.day !== null) void showHouse(session, result, byId("result-more"));
  }
}

/** @param {Session} session @returns {HTMLElement} the tricks that counted, in order; the result says in words how many there were */
function tricksInOrder({ events, rules }) {
  const { counts, foreplay } = rulesNamed(rules);
  const won = events.filter(({ kind, trick }) => kind === "win" && (counts === "all" || (trick ?? 0) > foreplay));
  return h("div", { class: "tricks", "aria-hidden": "true" }, ...won.map(({ by }) => h("i", { class: by })));
}

/** @param {Session} session @returns {boolean} whether its result is still shown */
const isShown = ({ id, version }) => byId("result").dataset.version === `${id} ${version}`;

/**
 * Compare a deal of the day with what agents make of the same cards.
 *
 * @param {Session} session
 * @param {import("../../game/types.js").Result} result
 * @param {HTMLElement} below
 */
async function showHouse(session, { tricks }, below) {
  const others = await sessions.house(session.id).catch(() => null); // the result stands without it
  if (others === null || !isShown(session)) return;
  const rows = [{ title: "You", tricks: tricks.you }, ...others].sort((one, other) => other.tricks - one.tricks);
  below
    .querySelector(".buttons")
    ?.before(
      h(
        "p",
        { class: "house" },
        "With these cards: ",
        ...rows.flatMap((row, number) => [
          number > 0 && " · ",
          h(row.title === "You" ? "b" : "span", {}, `${row.title} ${row.tricks}`),
        ]),
      ),
    );
}

/** @param {Session} session @returns {string[]} what the result means */
function lines(session) {
  const result = session.position.result;
  const { match, kind, deal, earlier } = session;
  const lines = result?.claim ? [result.claim] : [];
  if (result !== null && result.winner !== null && session.day === null) {
    const whose = result.winner === "you" ? "for you" : `for ${session.agent.title}`;
    lines.push(`${countText(result.points, "point")} ${whose}`);
  }
  if (earlier !== null)
    lines.push(
      kind === "challenge"
        ? earlier.text
        : `The first time${earlier.swapped ? ", on the other side" : ""}: ${earlier.text}`,
    );
  if (kind === "practice" || kind === "challenge") lines.push(`${capital(kind)}: this deal does not count.`);
  else if (deal.assisted) lines.push("Assisted: your statistics count this deal separately.");
  if (match.winner !== null) {
    lines.push(...session.events.filter(({ kind: what }) => what === "match").map(({ text }) => text));
  }
  return lines;
}

/** @param {Session} session @returns {string} "Best of 5: you trail 0 to 2" */
export function scoreText({
  match: {
    format,
    title,
    score: { you, opponent },
    winner,
  },
}) {
  const what = format === null ? "Score" : title;
  if (you === opponent) return `${what}: level at ${you}`;
  const [ahead, behind] = winner === null ? ["lead", "trail"] : ["win", "lose"];
  return `${what}: you ${you > opponent ? ahead : behind} ${you} to ${opponent}`;
}

/** @param {Session} session @returns {HTMLButtonElement[]} */
function buttonsOf(session) {
  /** @type {HTMLButtonElement[]} */
  const buttons = [];
  const add = (/** @type {string} */ words, /** @type {string} */ command, kind = "", sign = "") =>
    buttons.push(h("button", { class: kind, "data-command": command }, sign !== "" && icon(sign), words));
  const { earlier, recall } = session;
  if (session.can.next) add("Next deal", "next", "primary");
  else if (earlier !== null && earlier.session !== null) {
    add("Back to the review", "back", "primary");
    add("Back to the game", "leave", "quiet");
  } else if (session.kind === "challenge") {
    add("Compare", "compare", "primary");
    add("Back to the game", "leave", "quiet");
  } else if (session.kind === "lesson") add("Play a game", "leave", "primary");
  else if (session.kind === "practice") add("Back to the game", "leave", "primary");
  else {
    const isOver = session.kind === "play" && session.day === null;
    if (isOver) add("Rematch", "rematch", "primary");
    add("New game", "newGame", isOver ? "quiet" : "primary");
  }
  add("Review", "review", session.position.result?.winner === "opponent" ? "primary" : "", "review");
  add("Share", "share", "quiet");
  if (recall !== null) add(recallText(recall), "recall", "quiet");
  if (session.can.swap) {
    add("Play the other side", "otherSide", "quiet");
    add("Watch the computer", "watch", "quiet");
  }
  return buttons;
}

/** Ask the browser, which alone has the games, not to clear the page's storage when space runs short. */
function askToKeep() {
  navigator.storage?.persist?.().catch(() => {}); // the answer changes nothing here
}

/**
 * Offer a file of all games below the result, if many deals have been finished since the last one.
 *
 * @param {Session} session
 * @param {HTMLElement} below
 */
async function offerFile(session, below) {
  const { deals } = await sessions.statistics();
  if (!isShown(session) || deals < settings.dealsKept + EVERY) return;
  below.append(
    h(
      "p",
      {},
      `Your ${deals} deals are kept only in this browser. `,
      h("button", { class: "quiet", "data-command": "keep" }, "Save them to a file"),
    ),
  );
  change({ dealsKept: deals });
}
