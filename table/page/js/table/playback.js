// @ts-check
/** Shows what has happened since the last action of the player, one event after the other. */

import { NO_CARD } from "../../engine/cards.js";
import { rulesNamed } from "../../engine/rules.js";
import { SUIT_NAMES } from "../../game/deal/words.js";
import { byId } from "../dom.js";
import { pace, tempo } from "../settings.js";
import { sound } from "../sound.js";
import { picture } from "./card.js";
import { addToLog } from "./log.js";
import { attract, fly, flyGhost, rectOf } from "./motion.js";
import { showBanner } from "./stage.js";
import { shownNow, shownThen } from "./state.js";

/** @typedef {import("./state.js").Shown} Shown */
/** @typedef {import("../../game/types.js").Session} Session */
/** @typedef {import("../../game/types.js").GameEvent} GameEvent */

/** Pauses after an event, in milliseconds at normal pace. */
/** @type {Record<string, number>} */
const PAUSES = {
  deal: 350,
  trump: 250,
  turn_up: 160,
  play: 390,
  win: 720,
  take: 210,
  draw: 210,
  leave: 400,
  endgame: 1300,
  keep: 600,
  swap: 600,
};
const OWN_CARD = 160; // it lies on the table already
const LAST_TRICK = 1300; // the result would hide it

/** Events whose result does not stay on the table. Without animation, only these get a pause. */
const REPLIES = ["play", "win", "leave", "keep", "swap"];

export class Playback {
  /** @param {(shown: Shown) => void} render */
  constructor(render) {
    this.render = render;
    this.run = 0; // counts playbacks, each of which ends the one before
    /** @type {(() => void) | null} */
    this.wake = null;
    this.hurry = false;
  }

  /** @returns {boolean} whether events are being shown */
  get active() {
    return this.wake !== null;
  }

  /** Show what is left of the running events at once. */
  skip() {
    this.hurry = true;
    this.wake?.();
  }

  /** Forget the running events: another session or position is shown. */
  stop() {
    this.run += 1;
    this.wake?.();
  }

  /**
   * Show events, then the position of the session.
   *
   * @param {Shown} start
   * @param {GameEvent[]} events
   * @param {Session} session
   * @returns {Promise<boolean>} whether it came to the end; false if something else is shown by now
   */
  async play(start, events, session) {
    this.stop();
    const run = this.run;
    this.hurry = false;
    let shown = { ...start, waiting: true };
    for (const [place, event] of events.entries()) {
      const length = this.hurry ? 0 : lengthOf(event, events[place + 1]) * tempo();
      shown = this.step(shown, event, session, length);
      addToLog(event, session);
      await this.pause(length);
      if (run !== this.run) return false;
    }
    this.sweep(shown);
    this.render(shownNow(session));
    return true;
  }

  /** @param {Shown} shown @param {GameEvent} event @param {Session} session @param {number} length the pause after it; without one, nobody sees it @returns {Shown} */
  step(shown, event, session, length) {
    const after = event.snapshot === null ? shown : shownThen(event.snapshot, session);
    if (this.hurry) return after;
    const moving = pace() > 0;
    if (after.winner === null) this.sweep(shown);
    const from = moving ? source(event, shown) : null;
    if (length > 0) this.render(after);
    // Your own card went to the table, and was heard, when you chose it.
    if (event.kind === "play" && event.by === "you" && shown.trick.you === event.card) return after;
    makeSound(event);
    if (event.trump && ["trump", "turn_up", "play"].includes(event.kind)) callTrump();
    if (moving) move(event, from, after);
    if (event.kind === "endgame") announceEndgame(after, session);
    return after;
  }

  /**
   * Let the cards of a finished trick fly to its winner.
   *
   * @param {Shown} shown
   */
  sweep({ winner }) {
    if (winner === null || this.hurry || pace() === 0) return;
    const to = rectOf(byId(winner === "you" ? "near-plate" : "far-plate"));
    for (const card of document.querySelectorAll("#trick .card")) {
      flyGhost(/** @type {HTMLElement} */ (card.cloneNode(true)), rectOf(card), to);
    }
  }

  /** @param {number} length milliseconds @returns {Promise<void>} */
  pause(length) {
    if (length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wake?.(), length);
      this.wake = () => {
        clearTimeout(timer);
        this.wake = null;
        resolve();
      };
    });
  }
}

/** @param {GameEvent} event @param {GameEvent | undefined} next @returns {number} the pause after an event, in milliseconds at normal pace */
function lengthOf(event, next) {
  if (pace() === 0 && !REPLIES.includes(event.kind)) return 0;
  if (event.kind === "win" && next?.kind === "result") return LAST_TRICK;
  return event.kind === "play" && event.by === "you" ? OWN_CARD : (PAUSES[event.kind] ?? 0);
}

/** @param {GameEvent} event @param {Shown} shown @returns {import("./motion.js").Rect | null} where the card is before the event */
function source(event, shown) {
  if (event.kind === "play") {
    const selector = event.by === "you" ? `#hand button[data-card="${event.card}"]` : "#far-hand .card:nth-child(1)";
    return rectOf(document.querySelector(selector)) ?? rectOf(byId("far-hand"));
  }
  if (event.kind === "take") {
    const cards = [...document.querySelectorAll("#stock .stock-cards .card:not(.layer)")];
    const place = shown.position.faceUp.indexOf(event.card ?? NO_CARD);
    return rectOf(cards[place] ?? cards[0] ?? null);
  }
  return rectOf(document.querySelector("#stock .pile .card:last-child")) ?? rectOf(byId("stock"));
}

/** Let the trump suit be seen and heard: a trump was turned up or played. */
export function callTrump() {
  attract(document.querySelector("#stage .badge"), "pulse");
  sound.trump();
}

/** @param {GameEvent} event */
function makeSound({ kind }) {
  if (kind === "deal") sound.deal();
  if (kind === "play") sound.card();
  if (kind === "take" || kind === "draw") sound.draw();
  if (kind === "win") sound.trick();
  if (kind === "endgame") sound.endgame();
}

/** @param {GameEvent} event @param {import("./motion.js").Rect | null} from the card's former place @param {Shown} after the event */
function move(event, from, after) {
  if (event.kind === "play") fly(document.querySelector(`#trick .slot.${event.by} .card`), from);
  if (event.kind === "turn_up") {
    const place = after.position.faceUp.indexOf(event.card ?? NO_CARD);
    fly(document.querySelectorAll("#stock .prize")[place] ?? null, from, 200);
  }
  if (event.kind !== "take" && event.kind !== "draw") return;
  if (event.by === "you" && event.card !== null) {
    fly(document.querySelector(`#hand button[data-card="${event.card}"]`), from, 340);
  } else {
    flyGhost(picture(event.card ?? NO_CARD), from, rectOf(byId("far-hand")));
  }
}

/** @param {Shown} shown @param {Session} session */
function announceEndgame(shown, session) {
  const { low, trump } = shown.position;
  const aim = low ? "take as few as you can" : "take as many as you can";
  const { tricks, foreplay } = rulesNamed(session.rules);
  showBanner("Endgame", `${tricks - foreplay} tricks${trump < 0 ? "" : `, ${SUIT_NAMES[trump]} are trumps`}: ${aim}`);
}
