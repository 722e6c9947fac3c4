// @ts-check
/** The stage of the deal, the trump suit, and the tricks that count. */

import { byId, fill, h, reconcile, svg } from "../dom.js";
import { SUIT_NAMES, cardName, counted } from "../words.js";
import { pace } from "../settings.js";
import { suitPath } from "./card.js";
import { scoreText } from "./result.js";

/** @typedef {import("./state.js").Shown} Shown */
/** @typedef {import("../../game/types.js").Session} Session */

/** The badge that is shown, kept while its suit is trumps: replacing it would cut its pulse short. */
/** @type {{trump: string | null, element: HTMLElement} | null} */
let badge = null;

/**
 * @param {Shown} shown
 * @param {Session} session
 */
export function showStage(shown, session) {
  const { position } = shown;
  document.documentElement.dataset.stage = position.stage;
  document.documentElement.dataset.low = String(position.low);
  if (badge?.trump !== position.trump) badge = { trump: position.trump, element: trumpBadge(position.trump) };
  reconcile(byId("stage"), [
    badge.element,
    h("div", { class: "stage-words" }, h("strong", {}, stageTitle(shown, session)), h("small", {}, aim(shown, session))),
    track(shown, session),
  ]);
}

/** @param {string | null} trump @returns {HTMLElement} */
function trumpBadge(trump) {
  const symbols = trump === null ? [..."CDHS"] : [trump];
  const places = symbols.length === 1 ? [[0, 0, 0.6]] : [[-14, 14, 0.24], [14, 14, 0.24], [-14, -14, 0.24], [14, -14, 0.24]];
  const badge = svg(
    "svg",
    { class: `badge${trump === null ? " none" : ` suit-${trump}`}`, viewBox: "-50 -50 100 100", "aria-hidden": "true" },
    svg("circle", { r: 47, class: "disc" }),
    ...symbols.map((suit, number) => {
      const [x, y, scale] = places[number];
      return svg("path", { d: suitPath(suit), transform: `translate(${x} ${y}) scale(${scale})`, fill: "currentColor" });
    }),
  );
  return h("div", { class: "trump", id: "trump" }, badge, h("span", {}, trumpWords(trump)));
}

/** @param {string | null} trump @returns {string} */
function trumpWords(trump) {
  return trump === null ? "No trumps" : `Trumps: ${SUIT_NAMES[trump]}`;
}

/** @param {Shown} shown @param {Session} session @returns {string} */
function stageTitle(shown, session) {
  const { position } = shown;
  const { foreplay, tricks } = session.figures;
  if (foreplay === 0) return `Trick ${Math.min(position.trick, tricks)} of ${tricks}`;
  if (position.stage === "foreplay") return `Foreplay, trick ${Math.min(position.trick, foreplay)} of ${foreplay}`;
  return `Endgame, trick ${Math.min(Math.max(position.trick - foreplay, 1), tricks - foreplay)} of ${tricks - foreplay}`;
}

/** @param {Shown} shown @param {Session} session @returns {string} */
function aim(shown, session) {
  const { position } = shown;
  const { counts, race } = session.figures;
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
  if (position.face_up.length > 0) sentences.push(`Face up: ${position.face_up.map(cardName).join(", ")}`, `${counted(position.stock, "card")} in the stock`);
  if (trick.you !== null) sentences.push(`You played the ${cardName(trick.you)}`);
  if (trick.opponent !== null) sentences.push(`${title} played the ${cardName(trick.opponent)}`);
  if (session.figures.foreplay > 0) sentences.push(`Tricks of the foreplay: you ${you.foreplay}, ${title} ${opponent.foreplay}`);
  sentences.push(`Counted tricks: you ${you.counted}, ${title} ${opponent.counted}`);
  if (session.match.deals > 0) sentences.push(`${session.match.format === null ? "Score" : session.match.title}: ${scoreText(session)}`);
  return `${sentences.join(". ")}.`;
}

/** @param {Shown} shown @param {Session} session @returns {HTMLElement} dots for the counted tricks, yours from the left */
function track(shown, session) {
  const { you, opponent } = shown.position.tricks;
  const total = session.figures.race > 0 ? 2 * session.figures.race - 1 : session.figures.counted;
  const dots = Array.from({ length: total }, (_, place) => {
    const kind = place < you.counted ? "you" : place >= total - opponent.counted ? "opponent" : "";
    return h("i", { class: `${kind}${place === Math.floor(total / 2) ? " middle" : ""}` });
  });
  const words = `Counted tricks: you ${you.counted}, ${session.agent.title} ${opponent.counted}, of ${total}`;
  return h(
    "div",
    { class: "track", role: "img", "aria-label": words },
    h("b", { "aria-hidden": "true" }, you.counted),
    h("span", { class: "dots" }, ...dots),
    h("b", { "aria-hidden": "true" }, opponent.counted),
  );
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
    [{ opacity: 0, offset: 0 }, { opacity: 1, offset: 0.15 }, { opacity: 1, offset: 0.8 }, { opacity: 0, offset: 1 }],
    { duration: 1700 * pace() },
  );
  fade.onfinish = () => {
    banner.hidden = true;
  };
}
