// @ts-check
/** The entry point: resumes the last game or deals a new one, and connects the menus. */

import { setRules } from "../engine/rules.js";
import { canBePlayed, rulesTitle, wordsOf } from "../game/catalogue.js";
import { dataNow, notLoaded } from "../game/data.js";
import { PageError } from "../game/errors.js";
import * as sessions from "../game/sessions.js";
import { today } from "../game/setup.js";
import { addressOf } from "../game/shared_deals.js";
import { followLoading, prepare } from "../game/thinking.js";
import { attempt } from "./attempt.js";
import { openRecall } from "./coach/recall.js";
import { Controller } from "./controller.js";
import { closeLast, openDialog } from "./dialogs/dialog.js";
import { openMenu, openQuestion, showTools } from "./dialogs/menu.js";
import { absentOpponent, firstOpponent, isListed, opponentList } from "./dialogs/opponents.js";
import { byId, h } from "./dom.js";
import { followLooks } from "./looks.js";
import { alertUser, alertWhile } from "./notices.js";
import { change, keepSession, keptSession, settings } from "./settings.js";
import { loadCards } from "./table/card.js";
import { openLog } from "./table/log.js";
import { followOtherTabs, tellOtherTabs } from "./tabs.js";

/** @typedef {import("../game/types.js").Session} Session */

/** @type {import("../game/types.js").Catalog} */
let catalog;

/** @type {Promise<typeof import("./windows.js")> | null} */
let loading = null;

/** @returns {Promise<typeof import("./windows.js")>} the functions that open windows; a failed download may be tried again */
async function windows() {
  loading ??= import("./windows.js");
  try {
    return await loading;
  } catch {
    loading = null;
    throw notLoaded();
  }
}

/** @type {Record<string, () => any>} what buttons do, by their `data-command` */
const COMMANDS = {
  hint: () => controller.hint(),
  hideHint: () => controller.hideHint(),
  takeBack: () => controller.takeBack(),
  claim,
  claimMine: () => controller.claim("mine"),
  claimTheirs: () => controller.claim("theirs"),
  concede: () => controller.claim("lost"),
  review: () => review(),
  back: backToReview,
  next: () => controller.next(),
  rematch,
  otherSide: () => otherSide(),
  watch: () => watch(),
  compare: () => compare(),
  recall: () => openRecall(current()),
  share: () => (current().day === null ? share(current(), current().deal.number) : shareDay(current())),
  keep: () => games(true),
  leave: backToGame,
  newGame: newGameDialog,
  statistics,
  settings: async () => (await windows()).openSettings(),
  more,
  lesson,
  day: () => openDay(today()),
  games: () => games(),
  rules,
  fair: () => fair(),
  reveal,
  log: openLog,
  recording: async () => (await windows()).openRecordingDialog(openRecording),
  twoAgents,
};

/** Carry out the command of the button that is pressed. @param {MouseEvent} event */
function obey({ target }) {
  const able = "[data-command]:not([aria-disabled=true])";
  const button = /** @type {HTMLElement | null} */ (target instanceof Element ? target.closest(able) : null);
  if (button !== null) void attempt(COMMANDS[String(button.dataset.command)]);
}

const controller = new Controller((error, again) =>
  error.kind === "absent" ? offerAnother(error, again) : void attempt(newGame),
);

/** @returns {Session} */
function current() {
  if (controller.session === null) throw new Error("no session is open");
  return controller.session;
}

/** Name the session at the table in the address. @param {Session} session */
function keepAddress(session) {
  history.replaceState(history.state ?? {}, "", `#session=${session.id}`);
}

/** Whether the start is over. From then on a new table takes the focus, because the button that was pressed may be gone. */
let isOpen = false;

/** @param {Session} session @param {boolean} [fresh] the deal has just begun */
function enter(session, fresh = false) {
  keepAddress(session);
  if (session.kind === "play") keepSession(session.id);
  controller.open(session, fresh);
  if (isOpen) byId("hand").focus({ preventScroll: true });
  tellOtherTabs(session);
}

async function newGame() {
  if (!settings.welcomed) return welcome(); // they may have come for the lesson or a shared deal
  const same = settings.defaults === JSON.stringify(catalog.defaults) && canBePlayed(settings.game);
  const { rules, agent, match } = same ? settings.game : catalog.defaults;
  await orAnother(async () => enter(await sessions.create({ rules, agent, match }), true));
}

/** Do something; if its opponent cannot be loaded, offer another one. @param {() => Promise<void>} act */
async function orAnother(act) {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof PageError) || error.kind !== "absent") throw error;
    offerAnother(error, () => void attempt(() => orAnother(act)));
  }
}

/** Offer an opponent for the one that cannot be loaded. @param {PageError} error @param {() => void} again tries it again */
function offerAnother(error, again) {
  const playAnother = (/** @type {string} */ agent) => {
    const { rules, match } = settings.game.rules === "" ? catalog.defaults : settings.game; // a newcomer may not have chosen any
    change({ welcomed: true, game: { rules, agent, match }, defaults: JSON.stringify(catalog.defaults) });
    void attempt(newGame);
  };
  absentOpponent(catalog, error, { again, playAnother });
}

/** Play the same game against the same opponent again, with the seats swapped. */
async function rematch() {
  const {
    rules,
    agent,
    match,
    deal: { seat },
  } = current();
  enter(await sessions.create({ rules, agent: agent.spec, match: match.format, seat: 1 - seat }), true);
}

async function lesson() {
  enter(await sessions.lesson());
  change({ taught: true });
}

/** @param {Session} session @param {number} deal @param {number} [move] of which the address is offered, too */
async function share(session, deal, move) {
  const { openShare } = await windows();
  await openShare(session, deal, move);
}

/** @param {Session} session a deal of the day that is over */
async function shareDay(session) {
  const [others, { sendDay }] = await Promise.all([sessions.house(session.id), windows()]);
  await sendDay(session, others);
}

/** Play the default game, deal after deal. @param {string} agent the opponent */
async function playAgainst(agent) {
  change({
    welcomed: true,
    game: { rules: catalog.defaults.rules, agent, match: null },
    defaults: JSON.stringify(catalog.defaults),
  });
  await newGame();
}

async function newGameDialog() {
  const { gameForm } = await windows();
  const start = (/** @type {() => Promise<void>} */ act) => {
    dialog.close();
    void attempt(act);
  };
  const { rules, agent, match } = settings.game;
  const other = rules !== "" && (rules !== catalog.defaults.rules || !isListed(catalog, agent) || match !== null);
  const dialog = openDialog(
    "New game",
    [
      opponentList(catalog, (chosen) => start(() => playAgainst(chosen))),
      h(
        "details",
        { open: other },
        h("summary", {}, "More: other games, opponents and matches"),
        gameForm(catalog, () => start(newGame)),
      ),
    ],
    { kind: "wide" },
  );
}

/**
 * @param {string} id
 * @returns {Promise<Session | null>} null if the game is gone, or cannot be read, which the player is told
 */
async function readSession(id) {
  try {
    return await sessions.open(id);
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    if (error.kind !== "not_found") alertUser(error.message);
    return error.session;
  }
}

/** Resume the last game, or deal a new one if that game is over. */
async function backToGame() {
  const last = keptSession();
  const session = last === null || last === controller.session?.id ? null : await readSession(last);
  if (session === null || (session.position.result !== null && !session.can.next)) await newGame();
  else enter(session);
}

/** Return from practice to the review where it began, if that session still exists. */
async function backToReview() {
  const { earlier } = current();
  const session = earlier === null || earlier.session === null ? null : await readSession(earlier.session);
  if (earlier === null || session === null) return backToGame();
  enter(session);
  return review(earlier.deal, earlier.move);
}

/** @param {Session} session @returns {boolean} whether another one is at the table by now */
const hasLeft = ({ id }) => controller.session?.id !== id;

/**
 * @param {number} [deal] default: the one on the table, or the last finished one
 * @param {number | null} [move] the move to begin with; default: the biggest mistake
 */
async function review(deal, move = null) {
  const session = current();
  const { deals } = session.match;
  if (deals === 0) return;
  const number = deal ?? deals;
  await attempt(async () => {
    const [answer, { openReview }] = await Promise.all([sessions.review(session.id, number), windows()]);
    if (hasLeft(session)) return;
    openReview(
      answer,
      {
        tryAction: session.can.swap
          ? (move, action) =>
              void attempt(async () => enter(await sessions.tryAction(session.id, number, move, action)))
          : null,
        line: session.can.swap ? (from) => void attempt(() => watchLine(number, from)) : null,
        otherSide: session.can.swap ? () => void attempt(() => otherSide(number)) : null,
        watch: session.can.swap ? () => void attempt(() => watch(number)) : null,
        share: session.kind === "recording" ? null : (move) => void attempt(() => share(session, number, move)),
        close: () => {
          if (controller.session?.kind === "recording") void attempt(backToGame);
        },
      },
      { deals, deal: number, move, choose: (chosen) => void review(chosen) },
    );
  }, "Working out the review…");
}

async function otherSide(deal = current().deal.number) {
  enter(await sessions.swap(current().id, deal), true);
}

/** @param {Promise<import("../game/types.js").Watch>} asked what others make of your cards @param {{title: string, close?: () => void}} window */
async function show(asked, window) {
  const session = current();
  const [answer, { openWatch }] = await Promise.all([asked, windows()]);
  if (!hasLeft(session)) openWatch(answer, window);
}

const watch = (deal = current().deal.number) =>
  show(sessions.watch(current().id, deal), { title: "The computer plays your cards" });

/** Show perfect play from a decision on, then return to the review. @param {number} deal @param {number} move */
const watchLine = (deal, move) =>
  show(sessions.watch(current().id, deal, move), { title: "The best line", close: () => void review(deal, move) });

const compare = () => show(sessions.compare(current().id), { title: "The sender’s deal and yours" });

/** @param {string} text recordings, or a link */
async function openRecording(text) {
  const [kind, value] = addressOf(text.slice(Math.max(text.indexOf("#"), 0)));
  if (kind === "deal") return openLink(value);
  if (kind === "recording") return openPosition(value);
  enter(await sessions.openShared(text));
  return review(1);
}

/** @param {string} value code of recordings, and perhaps the number of the move to begin with: `CODE,MOVE` */
async function openPosition(value) {
  const [code, move] = value.split(",");
  enter(await sessions.openCode(code));
  return review(1, Number(move) || null);
}

/** @param {string} value code of a challenge, or a deal's `SEED,INDEX` or `RULES,SEED,INDEX` */
async function openLink(value) {
  if (value.includes(",")) return enter(await sessions.openDeal(value), true);
  const session = await sessions.openLink(value);
  const isNew = isUntouched(session);
  if (isNew && !settings.welcomed) return introduce(session);
  enter(session, isNew);
  if (isNew) alertUser("The sender has played this deal. Play it too, then compare.");
}

/** Tell a newcomer what a challenge is and how its game is played. @param {Session} session */
async function introduce(session) {
  const { rulesText } = await windows();
  const dialog = openDialog(
    "A challenge in German Whist",
    [
      h("p", {}, `${GAME} The sender has played this deal: play it too, then compare.`),
      h("details", {}, h("summary", {}, "The rules"), ...rulesText(wordsOf(session.rules).text)),
      h(
        "div",
        { class: "buttons" },
        h("button", { class: "primary", autofocus: true, onclick: () => dialog.close() }, "Play"),
      ),
    ],
    { onclose: () => enter(session, true) },
  );
}

function more() {
  const { session } = controller;
  if (session === null) return; // the first deal is on its way
  openMenu("More", [
    ["Learn the game", "A short lesson at the table", "lesson"],
    ["Deal of the day", "The same deal for everyone, one try each", "day"],
    ["Your games", "Resume or review a game, or save all as one file", "games"],
    ["Rules", `How ${rulesTitle(session.rules)} is played`, "rules"],
    ...(session.seal === null ? [] : [fairEntry(session.seal)]),
    ["What happened", "The log of this deal", "log"],
    ["Open a recording", "A shared deal or game", "recording"],
    ["Watch two agents", "They play mirrored deals; you look at every move", "twoAgents"],
  ]);
}

/** @param {{hash: string}} seal @returns {[string, string, string]} */
const fairEntry = ({ hash }) => ["Is it fair?", `Sealed before the first card: ${hash.slice(0, 12)}…`, "fair"];

const fair = async () => (await windows()).openFair(current());

async function reveal() {
  await controller.reveal();
  await fair();
}

function claim() {
  const {
    agent: { title },
    can,
  } = current();
  /** @type {[string, string, string][]} */
  const ways = [
    ["The rest are mine", "You take all the tricks that are left", "claimMine"],
    ["The rest are yours", `${title} takes all the tricks that are left`, "claimTheirs"],
    ["I concede", `${title} wins the deal`, "concede"],
  ];
  openQuestion("How does the deal end?", can.claim ? ways : ways.slice(2));
}

async function rules() {
  const { rulesText } = await windows();
  openDialog("Rules", rulesText(wordsOf(current().rules).text));
}

async function twoAgents() {
  const { chooseTwoAgents } = await windows();
  const { rules } = current();
  chooseTwoAgents(
    rules,
    (agents, deals) =>
      void attempt(async () => {
        enter(await sessions.exhibit(rules, agents, deals));
        await review(1);
      }, "They play…"),
  );
}

async function statistics() {
  const [found, { openStatistics }] = await Promise.all([sessions.statistics(), windows()]);
  openStatistics(found, catalog);
}

/** @param {string} date */
async function openDay(date) {
  const session = await sessions.dealOfDay(date);
  enter(session, isUntouched(session));
}

/** @param {Session} session @returns {boolean} whether the player has not played yet */
const isUntouched = ({ position, can }) => position.result === null && !can.takeBack;

/** @param {boolean} [atFile] whether the player wants the file of all games */
async function games(atFile = false) {
  const [all, { deals }, { openGames }] = await Promise.all([sessions.list(), sessions.statistics(), windows()]);
  const open = async (/** @type {string} */ id) => enter(await sessions.open(id));
  openGames(
    all,
    {
      open: (id) => void attempt(() => open(id)),
      review: (id) =>
        void attempt(async () => {
          await open(id);
          await review();
        }),
      removed: (id) => id === controller.session?.id && void attempt(newGame),
      saved: () => change({ dealsKept: deals }),
    },
    atFile,
  );
}

function connect() {
  showTools("tools", [
    { name: "Hint", sign: "hint", command: "hint" },
    { name: "Take back", sign: "back", command: "takeBack" },
    { name: "Claim", sign: "claim", command: "claim" },
    { name: "Review", sign: "review", command: "review" },
    { name: "Back to the review", sign: "review", command: "back" },
  ]);
  showTools("menu", [
    { name: "New game", sign: "new", command: "newGame" },
    { name: "Statistics", sign: "statistics", command: "statistics" },
    { name: "Settings", sign: "settings", command: "settings" },
    { name: "More", sign: "more", command: "more" },
  ]);
  document.addEventListener("click", obey);
  document.querySelector(".skip")?.addEventListener("click", (event) => {
    event.preventDefault(); // following the link would replace the session in the address
    byId("hand").focus();
  });
  document.addEventListener("keydown", (event) => controller.key(event));
  document.getElementById("table")?.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("button") === null) controller.skip();
  });
  followLoading((agent, share) => {
    if (share === 1 && !dataNow().server)
      void navigator.serviceWorker?.ready.then(({ active }) => active?.postMessage(`${agent}.safetensors`));
  });
  followOtherTabs(
    () => controller.session,
    (session) => controller.open(session),
  );
  followLooks(() => controller.redraw());
  history.replaceState(history.state ?? {}, "");
  window.addEventListener("popstate", ({ state }) => {
    if (state === null) return; // another address was typed in
    closeLast();
    if (controller.session !== null) keepAddress(controller.session);
  });
  window.addEventListener("hashchange", () => void attempt(() => orAnother(openAddress)));
}

/** Open what the address names; if that is nothing, resume the last game, else deal a new one. */
async function openAddress() {
  const [kind, value] = addressOf(location.hash);
  if (kind === "") return resume();
  if (kind === "session" && controller.session?.id === value) return undefined;
  try {
    if (kind === "deal") return await openLink(value);
    if (kind === "recording") return await openPosition(value);
    if (kind === "day") return await openDay(value);
    if (kind === "session") return enter(await sessions.open(value));
    throw new PageError("refused", `This page has nothing at ${location.hash}.`);
  } catch (error) {
    if (!(error instanceof PageError) || error.kind === "absent") throw error;
    const isElsewhere = kind === "session" && error.kind === "not_found";
    const advice = isElsewhere
      ? "A game stays in the browser in which it is played: “Share” makes a link for others."
      : ["deal", "recording"].includes(kind) && "Ask for the link again.";
    openDialog("The link cannot be opened", [h("p", {}, error.message), advice && h("p", {}, advice)], {
      onclose: () => void attempt(resume),
    });
    return undefined;
  }
}

/** Resume the last game, unless the command line has asked for another one since. */
async function resume() {
  const { rules, agent, match } = catalog.defaults;
  const defaults = JSON.stringify(catalog.defaults);
  const known = settings.defaults === defaults;
  if (!known) change({ defaults, game: { rules, agent, match } });
  const last = keptSession();
  const all = await sessions.list();
  const unfinished = all
    .filter((entry) => !entry.finished && entry.kind === "play" && canBePlayed(entry))
    .filter((entry) => known || (entry.rules === rules && entry.agent === agent));
  const mine = unfinished.find((entry) => known && entry.id === last);
  const [entry] = mine === undefined ? unfinished : [mine];
  if (entry === undefined) return newGame();
  const session = await readSession(entry.id);
  if (session === null) return newGame();
  // A game other than the last one here is resumed only in the middle of a deal or a match.
  if (mine === undefined && session.position.result !== null && session.match.format === null) return newGame();
  return enter(session);
}

const GAME = "Win good cards while the stock lasts, then take tricks with them."; // the game in a sentence

/** Greet a new player, who chooses an opponent or the lesson; closing the window chooses the easiest opponent. */
function welcome() {
  let chosen = false;
  const leave = (/** @type {() => Promise<void>} */ act) => {
    chosen = true;
    dialog.close();
    void attempt(act);
  };
  const dialog = openDialog(
    "Welcome to German Whist",
    [
      h("p", {}, `${GAME} Choose your opponent.`),
      opponentList(catalog, (agent) => leave(() => playAgainst(agent))),
      h(
        "div",
        { class: "buttons" },
        !settings.taught &&
          h("button", { class: "quiet", onclick: () => leave(lesson) }, "Teach me first: a three-minute lesson"),
      ),
    ],
    { kind: "wide", onclose: () => chosen || void attempt(() => playAgainst(firstOpponent(catalog))) },
  );
}

const AFTER = 2000; // milliseconds: caching the page must not delay the first card

/** Make later visits work without a connection; a page from `german-whist serve` needs its server anyway. */
function keepForLater() {
  if (dataNow().server) return;
  setTimeout(() => void navigator.serviceWorker?.register("service_worker.js").catch(() => {}), AFTER); // a private window may forbid it
}

async function start() {
  sessions.store.notify = alertUser;
  try {
    [catalog] = await Promise.all([sessions.catalog(), loadCards()]);
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    alertWhile(error.message); // there is no table
    return;
  }
  connect();
  await orAnother(openAddress);
  isOpen = true;
  prepare();
  await windows(); // while there is a connection
  keepForLater();
}

// What scripts of the console, and the tests, play with.
Object.assign(globalThis, { germanWhist: { sessions, dataNow, setRules } });

void attempt(start);
