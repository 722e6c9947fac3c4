// @ts-check
/** The stage of the deal and the trump suit. */

import { SUITS } from "../../engine/cards.js";
import { rulesNamed } from "../../engine/rules.js";
import { cardName, SUIT_NAMES } from "../../game/deal/words.js";
import { capital, countText } from "../../game/wording.js";
import { byId, fill, h, reconcile, svg, write } from "../dom.js";
import { pace } from "../settings.js";
import { suitPath } from "./card.js";
import { scoreText } from "./result.js";

/** @typedef {import("./state.js").Shown} Shown */
/** @typedef {import("../../game/types.js").Session} Session */

/** The badge that is shown, kept while its suit is trumps: replacing it would cut its pulse short. */
/** @type {{trump: number, element: SVGElement} | null} */
let badge = null;

const title = h("strong");
const trump = h("small", { "aria-hidden": "true" }); // the badge says it, too
const aim = h("small");
const words = h("div", { class: "stage-words" }, title, trump, aim);

/**
 * @param {Shown} shown
 * @param {Session} session
 */
export function showStage(shown, session) {
  const { position } = shown;
  document.documentElement.dataset.stage = position.stage;
  if (badge?.trump !== position.trump) badge = { trump: position.trump, element: trumpBadge(position.trump) };
  write(title, stageTitle(shown, session));
  write(trump, trumpWords(position.trump));
  write(aim, aimWords(shown, session));
  reconcile(byId("stage"), [badge.element, words]);
}

/** @param {number} trump @returns {SVGElement} */
function trumpBadge(trump) {
  const symbols = trump < 0 ? [0, 1, 2, 3] : [trump];
  const places =
    symbols.length === 1
      ? [[0, 0, 0.6]]
      : [
          [-14, 14, 0.24],
          [14, 14, 0.24],
          [-14, -14, 0.24],
          [14, -14, 0.24],
        ];
  return svg(
    "svg",
    {
      class: `badge${trump < 0 ? " none" : ` suit-${SUITS[trump]}`}`,
      viewBox: "-50 -50 100 100",
      role: "img",
      "aria-label": trumpWords(trump),
    },
    svg("circle", { r: 47, class: "disc" }),
    ...symbols.map((suit, number) => {
      const [x, y, scale] = places[number];
      return svg("path", {
        d: suitPath(suit),
        transform: `translate(${x} ${y}) scale(${scale})`,
        fill: "currentColor",
      });
    }),
  );
}

/** @param {number} trump @returns {string} */
function trumpWords(trump) {
  return trump < 0 ? "No trumps" : `Trumps: ${SUIT_NAMES[trump]}`;
}

/** @param {Shown} shown @param {Session} session @returns {string} */
function stageTitle({ position: { stage, trick } }, session) {
  const { foreplay, tricks } = rulesNamed(session.rules);
  const number = `trick ${Math.min(trick, tricks)} of ${tricks}`;
  return capital(foreplay === 0 ? number : `${stage}, ${number}`);
}

/** @param {Shown} shown @param {Session} session @returns {string} */
function aimWords(shown, session) {
  const { position } = shown;
  const { counts, race } = rulesNamed(session.rules);
  if (race > 0) return `Race: first to ${race} tricks`;
  if (position.low) return position.stage === "endgame" ? "Low: take as few as you can" : "The endgame is played low";
  if (counts === "all") return "Every trick counts";
  return position.stage === "endgame" ? "These tricks count" : "Win good cards for the endgame";
}

/**
 * Return the table in words, which screen readers say when S is pressed.
 *
 * @param {Shown} shown
 * @param {Session} session
 * @returns {string}
 */
export function tableInWords(shown, session) {
  const { position, trick } = shown;
  const { title } = session.agent;
  const { you, opponent } = position.tricks;
  const sentences = [stageTitle(shown, session), trumpWords(position.trump)];
  if (position.faceUp.length > 0)
    sentences.push(
      `Face up: ${position.faceUp.map(cardName).join(", ")}`,
      `${countText(position.stock, "card")} in the stock`,
    );
  if (trick.you !== null) sentences.push(`You played the ${cardName(trick.you)}`);
  if (trick.opponent !== null) sentences.push(`${title} played the ${cardName(trick.opponent)}`);
  if (rulesNamed(session.rules).foreplay > 0)
    sentences.push(`Tricks of the foreplay: you ${you.foreplay}, ${title} ${opponent.foreplay}`);
  sentences.push(`Counted tricks: you ${you.counted}, ${title} ${opponent.counted}`);
  if (session.match.deals > 0) sentences.push(scoreText(session));
  return `${sentences.join(". ")}.`;
}

/**
 * Show a few words large over the table for a moment.
 *
 * @param {string} words
 * @param {string} more
 */
export function showBanner(words, more) {
  if (pace() === 0) return;
  const banner = byId("banner");
  fill(banner, h("strong", {}, words), h("span", {}, more));
  banner.hidden = false;
  const fade = banner.animate(
    [
      { opacity: 0, offset: 0 },
      { opacity: 1, offset: 0.15 },
      { opacity: 1, offset: 0.8 },
      { opacity: 0, offset: 1 },
    ],
    { duration: 1700 * pace() },
  );
  fade.onfinish = () => {
    banner.hidden = true;
  };
}
