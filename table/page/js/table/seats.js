// @ts-check
/** The two players: name, whose turn, tricks won in each stage, and the opponent's hand from behind. */

import { NO_CARD } from "../../engine/cards.js";
import { rulesNamed } from "../../engine/rules.js";
import { cardName, SUIT_NAMES } from "../../game/deal/words.js";
import { countText } from "../../game/wording.js";
import { byId, fill, h } from "../dom.js";
import { settings } from "../settings.js";
import { picture } from "./card.js";

/** @typedef {import("./state.js").Shown} Shown */
/** @typedef {import("../../game/types.js").Session} Session */
/** @typedef {import("../../game/types.js").Side} Side */

/**
 * @param {Shown} shown
 * @param {Session} session
 */
export function showSeats(shown, session) {
  byId("far").setAttribute("aria-label", session.agent.title);
  for (const side of /** @type {Side[]} */ (["you", "opponent"])) {
    fill(byId(side === "you" ? "near-plate" : "far-plate"), plate(side, shown, session));
  }
  showOpponentHand(shown);
}

/** @param {Side} side @param {Shown} shown @param {Session} session @returns {HTMLElement} */
function plate(side, shown, session) {
  const { position } = shown;
  const turn = position.turn === side;
  const tricks = position.tricks[side];
  const name = side === "you" ? "You" : session.agent.title;
  const { foreplay, counts } = rulesNamed(session.rules);
  const bothStages = foreplay > 0;
  const notes = [];
  if (side === "opponent" && session.agent.copy) notes.push("this page’s copy");
  if (session.deal.dealer === side) notes.push("dealer");
  const exchanged = position.exchanged[side];
  if (exchanged !== null) notes.push(exchanged ? "swapped the hand" : "kept the hand");
  return h(
    "div",
    { class: `plate${turn ? " turn" : ""}` },
    h("span", { class: "light", "aria-hidden": "true" }),
    h(
      "span",
      { class: "who" },
      h("strong", {}, name),
      turn && h("span", { class: "hidden" }, side === "you" ? ", your turn" : ", to play"),
      notes.length > 0 && h("small", {}, notes.join(", ")),
    ),
    h(
      "span",
      { class: "counters" },
      bothStages && counter(tricks.foreplay, "foreplay", counts === "all"),
      counter(tricks.endgame, bothStages ? "endgame" : "tricks", true),
    ),
  );
}

/** @param {number} number @param {string} word @param {boolean} counts @returns {HTMLElement} */
function counter(number, word, counts) {
  return h("span", { class: `counter${counts ? " counts" : ""}` }, h("b", {}, number), h("small", {}, word));
}

/** @param {Shown} shown */
function showOpponentHand(shown) {
  const { cards, known, voids } = shown.position.opponent;
  const faces = settings.known ? known : [];
  const element = byId("far-hand");
  const shownCards = [...faces, ...Array(Math.max(cards - faces.length, 0)).fill(NO_CARD)];
  const notes = settings.known ? voids.map((suit) => `showed no ${SUIT_NAMES[suit]}`) : [];
  const names = faces.map(cardName);
  const words = [countText(cards, "card"), ...(names.length > 0 ? [`known: ${names.join(", ")}`] : []), ...notes];
  fill(
    element,
    ...shownCards.map((card, place) => {
      const node = picture(card);
      node.style.setProperty("--i", String(place));
      return node;
    }),
    h("span", { class: "hidden" }, words.join("; ")),
  );
  element.classList.toggle("known", faces.length > 0);
  element.style.setProperty("--n", String(cards));
}
