// @ts-check
/**
 * Who thinks: the server that the page came from (`german-whist serve`) once its kernels are loaded, else a worker of this
 * page. Both answer the same two questions from what a seat has seen: what an agent plays, and what each action of a
 * decision is worth. The page's networks are copies in 8 bits.
 */

import { parseAction } from "../engine/cards.js";
import { constants } from "../engine/constants.js";
import { historyOf } from "../engine/history.js";
import { isLegal } from "../engine/state.js";
import { opponentHandKnown } from "../engine/view.js";
import { agentsFor, agentTitle } from "./catalogue.js";
import { lowestOfEquals } from "./coach/judgement.js";
import { dataNow } from "./data.js";
import { PageError } from "./errors.js";

/** @typedef {import("./deal/episode.js").Episode} Episode */
/** @typedef {import("../judge/advice.js").Advice} Advice */
/** @typedef {import("../worker.js").Question} Question */
/** @typedef {import("../worker.js").Message} Message */

const AWAY = "The server does not answer. Your game is saved and goes on when the server is back.";

/** @type {Worker & {failed?: boolean}} */
const worker = /** @type {any} */ (globalThis).pageWorker ?? new Worker("worker.js", { type: "module" }); // start.js has started one

/** @type {Map<number, {resolve: (answer: any) => void, reject: (error: Error) => void}>} */
const waiting = new Map();
let count = 0;

worker.addEventListener("message", (/** @type {MessageEvent<Message>} */ { data }) => {
  if ("loading" in data) {
    for (const follow of followers) follow(data.loading, data.bytes / bytesOf(data.loading));
    return;
  }
  const asked = waiting.get(data.id);
  waiting.delete(data.id);
  if ("missing" in data) asked?.reject(absent(data.missing));
  else if ("error" in data) asked?.reject(new PageError("refused", data.error));
  else asked?.resolve(data.answer);
});

worker.addEventListener("error", (event) => {
  if (!event.message) worker.failed = true; // it could not be loaded: no question will be answered
  for (const { reject } of waiting.values())
    reject(new PageError("refused", `The page has failed: ${event.message ?? "part of it could not be loaded"}.`));
  waiting.clear();
});

/** @typedef {(agent: string, share: number) => void} Follower hears how much of an agent's network has been loaded, from 0 to 1 */

/** @type {Set<Follower>} */
const followers = new Set();

/** @param {Follower} follow @returns {() => void} ends it */
export function followLoading(follow) {
  followers.add(follow);
  return () => followers.delete(follow);
}

/** @param {string} spec an agent's specification @returns {number} the size of the network that it plays; 0: none */
const bytesOf = (spec) => dataNow().catalog.agents.find((agent) => agent.spec === spec)?.bytes ?? 0;

/** @param {string} agent its network cannot be loaded @returns {PageError} */
const absent = (agent) =>
  new PageError("absent", `${agentTitle(agent)} could not be loaded. Check your connection.`, { agent });

/** @param {Question} question @returns {Promise<any>} */
function askWorker(question) {
  if (worker.failed)
    return Promise.reject(new PageError("refused", "The page has failed: part of it could not be loaded."));
  count += 1;
  const id = count;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, ...question });
  });
}

/**
 * Ask the server, which gets the history of the seat to act: nothing in it is hidden from that seat.
 *
 * @param {"act" | "advise"} what
 * @param {Episode} deal
 * @param {number} step
 * @param {object} [more] fields of the request
 * @returns {Promise<any>}
 */
async function askServer(what, deal, step, more = {}) {
  const seat = deal.stateAt(step).turn;
  const history = historyOf(deal.rules.game, deal.deck, deal.dealer, deal.actions.slice(0, step), seat);
  const body = JSON.stringify({ rules: deal.rules.spec, history, ...more });
  let response;
  let text;
  try {
    response = await fetch(`api/${what}`, {
      method: "POST",
      cache: "no-store",
      headers: { "Content-Type": "application/json" },
      body,
    });
    text = await response.text();
  } catch {
    server = "away";
    throw new PageError("unreachable", AWAY);
  }
  const answer = parsed(text); // a proxy may answer with a page
  if (response.ok && answer !== null) return answer;
  throw new PageError("refused", answer?.error ?? `The server answered with status ${response.status}.`);
}

/** @param {string} text @returns {any} null if it is not JSON */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @type {"warm" | "cold" | "away"} */
let server = "cold";

/** @returns {Promise<boolean>} whether a server answers at once */
export async function isWarm() {
  if (dataNow().server && server !== "warm") {
    const found = await fetch("api/warm", { cache: "no-store" })
      .then((response) => response.json())
      .catch(() => null);
    server = found === null ? "away" : found.warm ? "warm" : "cold";
  }
  return server === "warm";
}

/**
 * @template Answer
 * @param {() => Promise<Answer>} ofServer
 * @param {() => Promise<Answer>} ofPage
 * @returns {Promise<Answer>} the server's, or the page's until the server is warm and while it is away
 */
async function serverFirst(ofServer, ofPage) {
  if (!(await isWarm())) return ofPage();
  try {
    return await ofServer();
  } catch (error) {
    if (!(error instanceof PageError) || error.kind !== "unreachable") throw error;
    return ofPage();
  }
}

/** @param {string} spec an agent's specification @returns {boolean} whether this page plays it by itself */
const isOwn = (spec) => dataNow().catalog.agents.some((agent) => agent.spec === spec && agent.own);

/** @param {string} spec an agent's specification @returns {boolean} whether the page's copy of its network plays, though there is a server */
export const isCopy = (spec) => dataNow().server && server !== "warm" && isOwn(spec) && bytesOf(spec) > 0;

/** Load the bots, so that the first reply does not wait for them; if it fails, the first question tries again. */
export const prepare = () => void askWorker({ what: "prepare" }).catch(() => {});

/** Load what an agent needs to play here. @param {string} spec @returns {Promise<void>} @throws {PageError} if it cannot be loaded */
export async function load(spec) {
  if (bytesOf(spec) > 0 && !(await isWarm())) await askWorker({ what: "load", name: spec });
}

/**
 * @param {string} spec the agent's specification
 * @param {Episode} deal the deal in which it acts
 * @param {boolean} [here] whether the page's copy of a network plays even if there is a server
 * @returns {Promise<number>} its action
 * @throws {PageError} if it cannot be asked, or plays what it must not
 */
export async function act(spec, deal, here = false) {
  const ofPage = () => askWorker({ what: "act", spec, rules: deal.rules, view: deal.view(deal.turn) });
  const ofServer = () => playedByServer(spec, deal);
  if (isOwn(spec)) return here || bytesOf(spec) === 0 ? ofPage() : serverFirst(ofServer, ofPage);
  if (!dataNow().server)
    throw new PageError("refused", `${spec} does not play on this page: it needs german-whist serve.`);
  if (!(await isWarm()))
    throw new PageError(
      "unreachable",
      server === "away" ? AWAY : `The server is not ready: ${agentTitle(spec)} plays as soon as it is.`,
    );
  return ofServer();
}

/** @param {string} spec @param {Episode} deal @returns {Promise<number>} */
async function playedByServer(spec, deal) {
  const { action } = await askServer("act", deal, deal.actions.length, { agent: spec });
  const played = parseAction(String(action), deal.rules);
  if (!isLegal(deal.state, played))
    throw new PageError("refused", `${agentTitle(spec)} plays ${action}, which is not legal.`); // its legal cards are hidden
  return played;
}

/**
 * @param {Episode} deal
 * @param {number} [step] the decision; by default the one to be made now
 * @param {boolean} [patient] whether to wait for the strongest network
 * @returns {Promise<Advice>} what each of its actions is worth, by what the seat to act knows
 */
export async function advise(deal, step = deal.actions.length, patient = true) {
  const view = deal.view(deal.stateAt(step).turn, step);
  const ofPage = () => askWorker({ what: "advise", rules: deal.rules, view, constants, patient });
  // Where both hands are known, the solver of the page is exact, too, and saves a request.
  const advice = opponentHandKnown(view)
    ? await ofPage()
    : await serverFirst(() => advisedByServer(deal, step), ofPage);
  return lowestOfEquals(advice, view);
}

/**
 * @param {Episode} deal
 * @param {number} step the decision
 * @param {string} opponent the player's opponent
 * @returns {Promise<Advice | null>} what an agent of the command line, the opponent or else the first, says of the decision; null if none of them knows values in this game, the server does not answer, or the values are exact
 */
export async function adviseBeside(deal, step, opponent) {
  const able = dataNow().catalog.agents.filter(
    ({ spec, judges }) => judges && agentsFor(deal.rules.spec).includes(spec),
  );
  const { spec } = able.find((agent) => agent.spec === opponent) ?? able[0] ?? {};
  if (spec === undefined || opponentHandKnown(deal.view(deal.stateAt(step).turn, step)) || !(await isWarm()))
    return null;
  return advisedByServer(deal, step, spec).catch(() => null);
}

/** @param {Episode} deal @param {number} step @param {string} [agent] the judge; by default the strongest @returns {Promise<Advice>} */
async function advisedByServer(deal, step, agent) {
  const found = await askServer("advise", deal, step, { agent });
  return {
    ...found,
    actions: found.actions.map((/** @type {string} */ word) => parseAction(word, deal.rules)),
    trick: found.trick.map((/** @type {number | null} */ chance) => chance ?? NaN),
  };
}

/** @param {Episode} deal @param {[string, string]} specs agents' specifications by seat @param {{rest?: () => Promise<void>, here?: boolean}} [how] `rest` waits, between two actions, while others need the worker; `here`: as in `act` @returns {Promise<Episode>} the same deal, played to its end */
export async function playOut(deal, specs, { rest = async () => {}, here = false } = {}) {
  while (!deal.done) {
    deal.play(await act(specs[deal.turn], deal, here));
    await rest();
  }
  return deal;
}
