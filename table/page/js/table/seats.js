// @ts-check
/** The two players: name, whose turn, tricks won in each stage, and the opponent's hand from behind. */

import { NO_CARD } from "../../engine/cards.js";
import { rulesNamed } from "../../engine/rules.js";
import { cardName, SUIT_NAMES } from "../../game/deal/words.js";
import { countText } from "../../game/wording.js";
import { byId, h, reconcile, write } from "../dom.js";
import { settings } from "../settings.js";
import { pictures } from "./card.js";

/** @typedef {import("./state.js").Shown} Shown */
/** @typedef {import("../../game/types.js").Session} Session */
/** @typedef {import("../../game/types.js").Side} Side */

/** Name, tricks and turn of a seat. */
class Plate {
  constructor() {
    this.name = h("strong");
    this.turn = h("span", { class: "hidden" });
    this.notes = h("small");
    this.foreplay = new Counter();
    this.endgame = new Counter();
    this.counters = h("span", { class: "counters" });
    const light = h("span", { class: "light", "aria-hidden": "true" });
    const who = h("span", { class: "who" }, this.name, this.turn, this.notes);
    this.element = h("div", { class: "plate" }, light, who, this.counters);
  }

  /** @param {Side} side @param {Shown} shown @param {Session} session */
  show(side, { position }, session) {
    const isMine = side === "you";
    const isTurn = position.turn === side;
    const exchanged = position.exchanged[side];
    const { foreplay, counts } = rulesNamed(session.rules);
    const notes = [
      ...(!isMine && session.agent.copy ? ["this page’s copy"] : []),
      ...(session.deal.dealer === side ? ["dealer"] : []),
      ...(exchanged === null ? [] : [exchanged ? "swapped the hand" : "kept the hand"]),
    ];
    this.element.classList.toggle("turn", isTurn);
    write(this.name, isMine ? "You" : session.agent.title);
    write(this.turn, !isTurn ? "" : isMine ? ", your turn" : ", to play");
    write(this.notes, notes.join(", "));
    this.notes.hidden = notes.length === 0;
    const tricks = position.tricks[side];
    this.foreplay.show(tricks.foreplay, "foreplay", counts === "all");
    this.endgame.show(tricks.endgame, foreplay > 0 ? "endgame" : "tricks", true);
    reconcile(this.counters, [...(foreplay > 0 ? [this.foreplay.element] : []), this.endgame.element]);
  }
}

class Counter {
  constructor() {
    this.number = h("b");
    this.word = h("small");
    this.element = h("span", { class: "counter" }, this.number, this.word);
  }

  /** @param {number} number @param {string} word @param {boolean} counts */
  show(number, word, counts) {
    write(this.number, number);
    write(this.word, word);
    this.element.classList.toggle("counts", counts);
  }
}

const plates = { you: new Plate(), opponent: new Plate() };
const inWords = h("span", { class: "hidden" }); // the opponent's hand

/**
 * @param {Shown} shown
 * @param {Session} session
 */
export function showSeats(shown, session) {
  byId("far").setAttribute("aria-label", session.agent.title);
  for (const side of /** @type {Side[]} */ (["you", "opponent"])) {
    plates[side].show(side, shown, session);
    reconcile(byId(side === "you" ? "near-plate" : "far-plate"), [plates[side].element]);
  }
  showOpponentHand(shown);
}

/** @param {Shown} shown */
function showOpponentHand(shown) {
  const { cards, known, voids } = shown.position.opponent;
  const faces = settings.known ? known : [];
  const element = byId("far-hand");
  const notes = settings.known ? voids.map((suit) => `showed no ${SUIT_NAMES[suit]}`) : [];
  const names = faces.map(cardName);
  const words = [countText(cards, "card"), ...(names.length > 0 ? [`known: ${names.join(", ")}`] : []), ...notes];
  const held = pictures(
    element,
    [...faces, ...Array(Math.max(cards - faces.length, 0)).fill(NO_CARD)].map((card) => [card]),
  );
  write(inWords, words.join("; "));
  reconcile(element, [inWords, ...held]);
  element.classList.toggle("known", faces.length > 0);
}
