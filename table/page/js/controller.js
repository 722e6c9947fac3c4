// @ts-check
/** The game at the table: carries out what the player does, and shows the result. */

import { suitOf } from "../engine/cards.js";
import { PageError } from "../game/errors.js";
import * as sessions from "../game/sessions.js";
import { untilBack, waitFor } from "./attempt.js";
import { showHint, showLesson } from "./coach/panel.js";
import { openQuiz, recallText } from "./coach/recall.js";
import { closeQuestion, pressTool, setTool } from "./dialogs/menu.js";
import { byId } from "./dom.js";
import { alertUser, announce, clearAlert } from "./notices.js";
import { settings, tempo } from "./settings.js";
import { sound } from "./sound.js";
import { showLog } from "./table/log.js";
import { fly, rectOf } from "./table/motion.js";
import { callTrump, Playback } from "./table/playback.js";
import { showResult } from "./table/result.js";
import { tableInWords } from "./table/stage.js";
import { shownNow, shownPlayed } from "./table/state.js";
import { ASK_AGAIN, TableView } from "./table/view.js";
import { tellOtherTabs } from "./tabs.js";
import { isCard } from "./words.js";

/** @typedef {import("../game/types.js").Session} Session */
/** @typedef {import("./table/state.js").Shown} Shown */

const FORCED = 450; // milliseconds for which a forced card can be seen before it is played

export class Controller {
  /** @param {(error: PageError, again: () => void) => void} stuck called when the game cannot go on: its session is gone, or its agent cannot be loaded; `again` tries it again */
  constructor(stuck) {
    this.stuck = stuck;
    /** @type {Session | null} */
    this.session = null;
    /** @type {Shown | null} */
    this.shown = null;
    this.busy = false;
    this.hintHidden = false;
    this.called = ""; // the turn that was announced last
    this.asked = ""; // the deal of the last memory quiz: there is one quiz per deal
    this.view = new TableView(
      (action) => void this.act(action),
      (card) => this.refuse(card),
    );
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
    closeQuestion();
    this.view.show(shown, session);
    const settled = shown.position === session.position;
    const over = settled && session.position.result !== null;
    showResult(session, over && session.kind !== "recording");
    if (session.lesson === null) showHint(settled && !this.hintHidden ? session.hint : null);
    showLesson(session);
    byId("grid").classList.toggle("over", over && session.kind !== "recording");
    byId("tools").hidden = over && session.kind !== "recording"; // the result has its own buttons
    setTool("hint", { enabled: settled && session.can.hint && !this.busy, hidden: session.lesson !== null });
    setTool("takeBack", { enabled: settled && session.can.takeBack && !this.busy });
    const back = session.earlier !== null && session.earlier.session !== null;
    setTool("claim", {
      enabled: settled && !this.busy,
      hidden: !session.can.concede || back,
      words: session.can.claim ? "Claim" : "Concede",
    });
    setTool("review", { enabled: over, hidden: session.kind !== "recording" });
    setTool("back", { hidden: !back });
    if (settled) this.callTurn(session);
    if (settled) this.quiz(session);
  }

  /** Start the memory quiz if it is time and the settings say so. @param {Session} session */
  quiz(session) {
    const deal = `${session.id} ${session.deal.number}`;
    if (!session.can.recall)
      this.asked = ""; // after a take-back it may be time again
    else if (settings.memoryQuiz && this.asked !== deal && document.querySelector("dialog[open]") === null) {
      this.asked = deal;
      openQuiz(
        session,
        (cards) => void this.recall(cards),
        () => this.goOn(session),
      );
    }
  }

  /** Announce once that it is the player's turn; in a lesson, the teacher does so. @param {Session} session */
  callTurn({ id, deal, events, position: { decision }, lesson }) {
    const turn = `${id} ${deal.number} ${events.length}`;
    if (decision === null || lesson !== null || this.called === turn) return;
    this.called = turn;
    announce(`Your turn. ${decision.text}`);
  }

  hideHint() {
    const left = byId("coach").contains(document.activeElement);
    this.hintHidden = true;
    this.redraw();
    if (left) byId("hand").focus({ preventScroll: true });
  }

  /**
   * Show a session as it is now, or from the first event of its deal.
   *
   * @param {Session} session
   * @param {boolean} [fromTheStart] show the events of the deal one by one
   */
  open(session, fromTheStart = false) {
    this.session = session;
    this.busy = false;
    this.hintHidden = false;
    this.playback.stop();
    if (fromTheStart) {
      showLog([], session);
      void this.playEvents(shownNow(session), session.events);
    } else {
      showLog(session.events, session);
      this.show(shownNow(session));
      this.goOn(session);
    }
  }

  /** Play a forced card, or say why the agent has not played. @param {Session} session as the table shows it */
  goOn(session) {
    const { failed } = session;
    if (failed === null) this.playForced(session);
    else if (failed.kind === "refused") {
      alertUser(failed.message);
      announce(ASK_AGAIN);
    } else void this.recover(failed, session);
  }

  /** Play the only legal card, if the settings say so; in a lesson, only the last card. @param {Session} session */
  playForced(session) {
    const {
      position: { decision, hand },
      kind,
    } = session;
    if (
      !settings.forced ||
      decision?.kind !== "card" ||
      decision.actions.length > 1 ||
      (kind === "lesson" && hand.length > 1)
    )
      return;
    setTimeout(() => {
      const dialog = document.querySelector("dialog[open]");
      if (!settings.forced || this.session !== session) return;
      if (dialog === null) void this.act(decision.actions[0]);
      else dialog.addEventListener("close", () => this.playForced(session), { once: true });
    }, FORCED * tempo());
  }

  /**
   * @param {Shown} start
   * @param {import("../game/types.js").GameEvent[]} events
   */
  async playEvents(start, events) {
    const session = /** @type {Session} */ (this.session);
    const finished = await this.playback.play(start, events, session);
    if (finished) this.goOn(session);
    if (finished && events.length > 0) soundResult(session);
  }

  /** @param {number} action */
  async act(action) {
    const { session, shown } = this;
    if (session === null || shown === null || this.busy || !session.can.act) return;
    const before = session.events.length;
    let start = shown;
    if (isCard(action) && session.position.decision?.kind === "card") {
      const from = rectOf(document.querySelector(`#hand button[data-card="${action}"]`));
      start = shownPlayed(shown, action);
      this.show(start);
      fly(document.querySelector("#trick .slot.you .card"), from);
      sound.card();
      if (suitOf(action) === shown.position.trump) callTrump();
    } else {
      this.show({ ...shown, waiting: true });
      byId("hand").focus({ preventScroll: true }); // the button that was pressed is gone
    }
    const answer = await this.request(() => sessions.act(session, action));
    if (answer === null) return;
    this.session = answer;
    this.hintHidden = false;
    void this.playEvents(start, answer.events.slice(before));
  }

  /** @param {import("../game/types.js").HandCard} card */
  refuse(card) {
    if (this.skip()) return;
    sound.refused();
    if (card.reason !== null) alertUser(card.reason);
  }

  async hint() {
    const { session } = this;
    if (session === null) return;
    this.hintHidden = false;
    if (session.hint !== null) {
      this.redraw();
      return;
    }
    const answer = await this.request(() => sessions.hint(session));
    if (answer === null) return;
    this.session = answer;
    this.show(shownNow(answer));
    if (answer.hint !== null) announce(`${answer.hint.title}. ${answer.hint.reason}`);
  }

  /** @param {import("../game/types.js").Claim} claim how the player says that the deal ends */
  async claim(claim) {
    const { session } = this;
    if (session === null) return;
    const answer = await this.request(() => sessions.claim(session, claim));
    if (answer === null) return;
    this.open(answer);
    soundResult(answer);
  }

  /** @param {number[]} cards the answer to the memory quiz */
  async recall(cards) {
    const { session } = this;
    if (session === null) return;
    const answer = await this.request(() => sessions.recall(session, cards));
    if (answer === null) return;
    this.session = answer;
    this.show(shownNow(answer));
    if (answer.recall !== null) alertUser(`${recallText(answer.recall)}. After the deal you will see which.`);
    this.goOn(answer);
  }

  async takeBack() {
    const { session } = this;
    if (session === null) return;
    const answer = await this.request(() => sessions.takeBack(session, settings.forced));
    if (answer === null) return;
    sound.draw();
    announce("Taken back.");
    this.open(answer);
  }

  async reveal() {
    const { session } = this;
    if (session === null) return;
    const answer = await this.request(() => sessions.reveal(session));
    if (answer !== null) this.open(answer);
  }

  async next() {
    const { session } = this;
    if (session === null) return;
    const answer = await this.request(() => sessions.next(session));
    if (answer === null) return;
    this.open(answer, true);
    byId("hand").focus({ preventScroll: true });
  }

  /**
   * Send a change of the session. If it fails, the player is told, and the table shows the session as it is.
   *
   * @param {() => Promise<Session>} send
   * @returns {Promise<Session | null>} null if it failed, or another session is at the table by now
   */
  async request(send) {
    const { session } = this;
    if (this.busy) return null;
    this.busy = true;
    try {
      const answer = await waitFor(send);
      if (this.session !== session) return null;
      tellOtherTabs(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof PageError)) throw error;
      if (this.session === session && session !== null) await this.recover(error, session);
      return null;
    } finally {
      this.busy = false;
    }
  }

  /** @param {PageError} error @param {Session} session */
  async recover(error, session) {
    if (error.kind === "unreachable") {
      this.show({ ...shownNow(session), waiting: true });
      await untilBack(error.message);
      await this.reopen(session);
      return;
    }
    if (error.kind === "absent" && error.agent === session.agent.spec) {
      this.show({ ...shownNow(session), waiting: true });
      this.stuck(error, () => void this.reopen(session));
      return;
    }
    alertUser(error.message);
    if (error.kind === "illegal") sound.refused();
    if (error.kind === "not_found") this.stuck(error, () => void this.reopen(session));
    else if (this.session === session) this.open(error.session ?? session);
  }

  /** Show the session as it was saved, and let the agent act if it is its turn. @param {Session} session the one at the table */
  async reopen(session) {
    try {
      const current = await waitFor(() => sessions.open(session.id));
      if (this.session === session) this.open(current);
    } catch (error) {
      if (!(error instanceof PageError)) throw error;
      if (this.session === session) await this.recover(error, session);
    }
  }

  /** Show the rest of the running events at once, or ask an agent that has failed again. @returns {boolean} whether there was anything to do */
  skip() {
    if (this.playback.active) this.playback.skip();
    else if (this.session?.failed?.kind === "refused") void this.askAgain(this.session);
    else return false;
    return true;
  }

  /** @param {Session} failed the session in which the agent has failed */
  async askAgain(failed) {
    const session = { ...failed, failed: null };
    this.session = session;
    this.redraw();
    const answer = await this.request(() => sessions.open(session.id));
    if (answer === null) return;
    this.session = answer;
    void this.playEvents(shownNow(session), answer.events.slice(session.events.length));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
    if (event.key === "Escape") {
      clearAlert();
      closeQuestion();
      if (this.session?.hint) this.hideHint();
    }
    if (!settings.shortcuts) return;
    if (
      event.target instanceof HTMLInputElement ||
      event.target instanceof HTMLTextAreaElement ||
      event.target instanceof HTMLSelectElement
    )
      return;
    const { session } = this;
    if (session === null) return;
    const key = event.key.toLowerCase();
    if (key === "h") pressTool("hint");
    else if (key === "u") pressTool("takeBack");
    else if (key === "r") pressTool(session.earlier?.session ? "back" : "review");
    else if (key === "s" && this.shown !== null) announce(tableInWords(this.shown, session));
    else if (key === "n" && session.can.next && this.shown?.position.result) void this.next();
  }
}

/** @param {Session} session its deal may have ended */
function soundResult({ position: { result } }) {
  if (result?.winner === "you") sound.won();
  else if (result?.winner === "opponent") sound.lost();
}
