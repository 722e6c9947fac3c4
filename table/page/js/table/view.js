// @ts-check
/** The table as a whole: draws it, and tells the game which card or choice was pressed. */

import { rulesNamed } from "../../engine/rules.js";
import { rulesTitle } from "../../game/catalogue.js";
import { actionName } from "../../game/deal/words.js";
import { capital, dateText } from "../../game/wording.js";
import { byId, fill, h, write } from "../dom.js";
import { settings } from "../settings.js";
import { isCard, sortCards, suitOrder } from "../words.js";
import { showStock, showTrick } from "./center.js";
import { letDrag } from "./drag.js";
import { CardButtons, inOrder } from "./hand.js";
import { scoreText } from "./result.js";
import { showSeats } from "./seats.js";
import { showStage } from "./stage.js";

export const ASK_AGAIN = "The opponent has failed. Tap to ask again.";

/** @typedef {import("./state.js").Shown} Shown */
/** @typedef {import("../../game/types.js").Session} Session */
/** @typedef {import("../../game/types.js").HandCard} HandCard */

export class TableView {
  /**
   * @param {(action: number) => void} act called when an action is chosen
   * @param {(card: HandCard) => void} refuse called when a card is chosen that must not be played
   */
  constructor(act, refuse) {
    this.act = act;
    this.hand = new CardButtons(byId("hand"), act, refuse);
    letDrag(this.hand.element, (card) => this.hand.drop(card));
    this.open = new CardButtons(
      h("div", { class: "open-cards fan", role: "list", "aria-label": "Face-up cards" }),
      act,
      refuse,
    );
  }

  /** @param {Shown} shown @param {Session} session */
  show(shown, session) {
    const { position } = shown;
    const decision = shown.waiting ? null : position.decision;
    const marked = markedActions(session, shown);
    showTitle(shown, session);
    showStage(shown, session);
    showSeats(shown, session);
    this.showOpenCards(shown, marked);
    showStock(shown, this.open.element);
    showTrick(shown, session);
    this.showChoices(decision, session, marked);
    write(byId("prompt"), prompt(shown, session));
    byId("prompt").classList.toggle("yours", decision !== null);
    byId("near").classList.toggle("waiting", decision?.kind !== "card" && decision?.kind !== "pick");
    const hand = inOrder(position.hand, position.trump).map((card) =>
      shown.waiting ? waitingCard(card, position.result) : card,
    );
    byId("grid").dataset.hand = rows(hand.length);
    this.hand.show(hand, { marked, drawn: position.lastTrick?.takes.you ?? null });
    if (shown.waiting) this.hand.raise(null);
  }

  /** @param {Shown} shown @param {number[]} marked */
  showOpenCards(shown, marked) {
    const { decision, faceUp, trump } = shown.position;
    if (decision?.kind !== "pick" || shown.waiting) return this.open.show([]);
    const cards = sortCards(faceUp, suitOrder("classic", trump)).map((card) => ({
      card,
      playable: true,
      reason: null,
    }));
    return this.open.show(cards, { marked });
  }

  /** @param {import("../../game/types.js").Decision | null} decision @param {Session} session @param {number[]} marked */
  showChoices(decision, session, marked) {
    const choices = decision?.actions.filter((action) => !isCard(action)) ?? [];
    const element = byId("choices");
    element.hidden = choices.length === 0;
    const names = choices.map((action) => actionName(action, rulesNamed(session.rules)));
    if (element.dataset.names !== names.join()) {
      element.dataset.names = names.join();
      fill(
        element,
        ...choices.map((action, place) =>
          h("button", { class: "primary", onclick: () => this.act(action) }, capital(names[place])),
        ),
      );
    }
    choices.forEach((action, place) => element.children[place].classList.toggle("marked", marked.includes(action)));
  }
}

/** @param {Shown} shown @param {Session} session */
function showTitle(shown, session) {
  const { match, kind } = session;
  write(byId("title"), kind === "lesson" ? session.title : rulesTitle(session.rules)); // who plays is said at the seats
  document.title = `${session.title} – German Whist`;
  const score = kind === "play" && session.day === null && (match.format !== null || match.deals > 0);
  const names = { play: "", practice: "Practice", challenge: "Challenge", recording: "Recording", lesson: "" };
  const day = session.day === null ? "" : `Deal of ${dateText(session.day)}`;
  if (session.position.result !== null && shown.position !== session.position) return; // the last trick is still to be seen
  write(byId("match"), score ? scoreText(session) : day || names[kind]);
}

/** @param {Session} session @param {Shown} shown @returns {number[]} the cards that a hint or the lesson points at */
function markedActions(session, shown) {
  if (shown.waiting) return [];
  if (session.hint !== null) return [session.hint.action];
  return session.lesson?.wanted ?? [];
}

/** @param {Shown} shown @param {Session} session @returns {string} */
function prompt(shown, session) {
  const { position, winner } = shown;
  if (winner !== null) return winner === "you" ? "You win the trick" : "The opponent wins the trick";
  if (position.result !== null) return "";
  if (shown.waiting && session.failed?.kind === "refused") return ASK_AGAIN;
  if (shown.waiting)
    return position.turn === "opponent" && shown.trick.opponent === null ? "The opponent is playing…" : "";
  return position.decision?.text ?? "";
}

/**
 * @param {HandCard} card
 * @param {import("../../game/types.js").Result | null} result
 * @returns {HandCard}
 */
function waitingCard(card, result) {
  return { ...card, playable: false, reason: result === null ? "It is not your turn." : "The deal is over." };
}

/** @param {number} count how many cards @returns {import("../settings.js").Settings["hand"]} in which rows they lie: two, one, or what the layout says */
function rows(count) {
  const { hand } = settings;
  return count < (hand === "stacked" ? 2 : 8) ? "row" : hand;
}
