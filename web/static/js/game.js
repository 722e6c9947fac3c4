// @ts-check
/** The game at the table: sends what the person does, and shows what the server answers. */

import { ApiError, api } from "./api.js";
import { announcedHash } from "./commitments.js";
import { byId } from "./dom.js";
import { settings } from "./settings.js";
import { sound } from "./sound.js";
import { isCard } from "./words.js";
import { alertUser, tellOtherTabs, untilBack } from "./tabs.js";
import { showHint } from "./coach/hint.js";
import { showLesson } from "./coach/lesson.js";
import { recallText } from "./coach/recall.js";
import { setTool } from "./dialogs/menu.js";
import { showLog } from "./table/log.js";
import { fly, rectOf } from "./table/motion.js";
import { Playback, callTrump } from "./table/playback.js";
import { showResult } from "./table/result.js";
import { shownNow, shownPlayed } from "./table/state.js";
import { TableView } from "./table/view.js";

/** @typedef {import("./types.js").Session} Session */
/** @typedef {import("./table/state.js").Shown} Shown */

export class Game {
  /**
   * @param {import("./table/result.js").ResultActions & {lost: () => void, quiz: () => void}} actions
   *   `lost`: the session is gone; `quiz`: it is time for the memory quiz
   */
  constructor(actions) {
    this.actions = actions;
    /** @type {Session | null} */
    this.session = null;
    /** @type {Shown | null} */
    this.shown = null;
    this.busy = false;
    this.hintHidden = false;
    this.view = new TableView((action) => void this.act(action), (card) => this.refuse(card));
    this.playback = new Playback((shown) => this.show(shown));
  }

  /** Draw the table again, as after a change of settings. */
  redraw() {
    if (this.shown !== null) this.show(this.shown);
  }

  /** @param {Shown} shown */
  show(shown) {
    const { session } = this;
    if (session === null) return;
    this.shown = shown;
    this.view.show(shown, session);
    const settled = shown.position === session.position;
    const over = settled && session.position.result !== null;
    showResult(session, over && session.kind !== "recording", this.actions);
    if (session.lesson === null) showHint({ ...session, hint: settled && !this.hintHidden ? session.hint : null }, () => this.hideHint());
    showLesson(session, this.actions.leave);
    setTool("Hint", { enabled: settled && session.can.hint && !this.busy, hidden: session.lesson !== null });
    setTool("Take back", { enabled: settled && session.can.take_back && !this.busy });
    const back = session.earlier !== null && session.earlier.session !== null;
    setTool("Review", {
      enabled: back || session.deals.length > 0,
      hidden: over && session.kind !== "recording" && session.can.review,
      words: back && document.documentElement.dataset.size !== "small" ? "Back to the review" : "Review",
    });
    if (settled && session.can.recall) this.actions.quiz();
  }

  hideHint() {
    this.hintHidden = true;
    this.redraw();
    byId("hand").focus({ preventScroll: true });
  }

  /**
   * Show a session: from its first event if its deal is new, else as it is.
   *
   * @param {Session} session
   * @param {boolean} [fromTheStart] show the events of the deal one by one
   */
  open(session, fromTheStart = false) {
    this.session = session;
    this.busy = false;
    this.hintHidden = false;
    announcedHash(session);
    this.playback.stop();
    if (fromTheStart) {
      showLog([], session);
      void this.playEvents(shownNow(session), session.events);
    } else {
      showLog(session.events, session);
      this.show(shownNow(session));
    }
  }

  /**
   * @param {Shown} start
   * @param {import("./types.js").GameEvent[]} events
   */
  async playEvents(start, events) {
    const session = /** @type {Session} */ (this.session);
    const finished = await this.playback.play(start, events, session);
    if (!finished || session.position.result === null || events.length === 0) return;
    if (session.position.result.winner === "you") sound.won();
    else if (session.position.result.winner === "opponent") sound.lost();
  }

  /** @param {string} action */
  async act(action) {
    const { session, shown } = this;
    if (session === null || shown === null || this.busy || !session.can.act) return;
    const before = session.events.length;
    let start = shown;
    if (isCard(action) && session.position.decision?.kind === "card") {
      const from = rectOf(document.querySelector(`#hand [data-name="${action}"]`));
      start = shownPlayed(shown, action);
      this.show(start);
      fly(document.querySelector("#trick .slot.you .card"), from);
      sound.card();
      if (action[0] === shown.position.trump) callTrump();
    } else {
      this.show({ ...shown, waiting: true });
    }
    const answer = await this.request(() => api.act(session, action));
    if (answer === null) return;
    this.session = answer;
    this.hintHidden = false;
    void this.playEvents(start, answer.events.slice(before));
  }

  /** @param {import("./types.js").HandCard} card */
  refuse(card) {
    if (this.playback.active) {
      this.playback.skip();
      return;
    }
    sound.refused();
    alertUser(card.reason ?? "It is not your turn.");
  }

  async hint() {
    const { session } = this;
    if (session === null || this.shown?.position !== session.position) return; // as the button: cards are moving
    this.hintHidden = false;
    if (session.hint !== null) {
      this.redraw();
      return;
    }
    document.body.classList.add("thinking");
    const answer = await this.request(() => api.hint(session));
    document.body.classList.remove("thinking");
    if (answer === null) return;
    this.session = answer;
    this.show(shownNow(answer));
  }

  /** @param {string[]} cards the answer to the memory quiz */
  async recall(cards) {
    const { session } = this;
    if (session === null) return;
    const answer = await this.request(() => api.recall(session, cards));
    if (answer === null) return;
    this.session = answer;
    this.show(shownNow(answer));
    if (answer.recall !== null) alertUser(`${recallText(answer.recall)}. After the deal you see which.`);
  }

  async takeBack() {
    const { session } = this;
    if (session === null) return;
    const answer = await this.request(() => api.takeBack(session));
    if (answer === null) return;
    sound.draw();
    this.open(answer);
  }

  async next() {
    const { session } = this;
    if (session === null) return;
    const answer = await this.request(() => api.next(session));
    if (answer === null) return;
    this.open(answer, true);
    byId("hand").focus({ preventScroll: true });
  }

  /**
   * Send a request about the session; a refusal is said, and the table shows what the server has.
   *
   * @param {() => Promise<Session>} send
   * @returns {Promise<Session | null>} null if nothing came of it
   */
  async request(send) {
    const { session } = this;
    if (this.busy) return null;
    this.busy = true;
    const slow = setTimeout(() => alertUser("A moment: the first card after the start takes longer."), 5000);
    try {
      const answer = await send();
      if (this.session !== session) return null;
      tellOtherTabs(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (this.session === session && session !== null) await this.recover(error, session);
      return null;
    } finally {
      clearTimeout(slow);
      this.busy = false;
    }
  }

  /** @param {ApiError} error @param {Session} session */
  async recover(error, session) {
    alertUser(error.message);
    if (error.code === "illegal_action") sound.refused();
    let current = error.session ?? session;
    let gone = error.code === "not_found";
    if (error.code === "unreachable") {
      this.show({ ...shownNow(session), waiting: true });
      try {
        current = await untilBack(session.id);
        alertUser("The server is back.");
      } catch (answer) {
        if (!(answer instanceof ApiError)) throw answer;
        alertUser(answer.message);
        gone = answer.code === "not_found";
      }
    }
    if (gone) {
      this.actions.lost();
      return;
    }
    if (this.session === session) this.open(current);
  }

  /** Show at once what is being shown event by event. */
  skip() {
    if (this.playback.active) this.playback.skip();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!settings.shortcuts || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLSelectElement) return;
    const { session } = this;
    if (session === null) return;
    const key = event.key.toLowerCase();
    if (key === "h" && session.can.hint) void this.hint();
    else if (key === "u" && session.can.take_back) void this.takeBack();
    else if (key === "n" && session.can.next && this.shown?.position.result) void this.next();
    else if (key === "r" && session.earlier?.session) this.actions.back();
    else if (key === "r" && session.deals.length > 0) this.actions.review();
  }
}
