// @ts-check
/** The worker that thinks for the page: what an agent plays, and what each action of a decision is worth. */

import { makeAgent } from "./engine/agents.js";
import { setConstants } from "./engine/constants.js";
import { loadKernels } from "./engine/kernels.js";
import { NETWORKS, readNetwork } from "./engine/network.js";
import { opponentHandKnown } from "./engine/view.js";
import { advise } from "./judge/advice.js";

/** @typedef {import("./engine/network.js").Network} Network */
/** @typedef {import("./engine/constants.js").Constants} Constants */
/** @typedef {import("./engine/rules.js").Rules} Rules */
/** @typedef {import("./engine/view.js").View} View */

/**
 * What the page asks: what an agent plays, what each action is worth, that a network be loaded, or the bots alone; the view
 * is that of the seat to act.
 *
 * @typedef {{what: "act", spec: string, rules: Rules, view: View} | {what: "advise", rules: Rules, view: View, constants: Constants, patient: boolean} | {what: "load", name: string} | {what: "prepare"}} Question
 */

/**
 * What the page hears: an answer, what went wrong, or how many bytes of a network have come.
 *
 * @typedef {{id: number, answer: any} | {id: number, error: string} | {id: number, missing: string} | {loading: string, bytes: number}} Message
 */

/** Thrown if a network cannot be loaded; its message is the name. */
class MissingNetwork extends Error {}

/** @type {Map<string, Promise<Network>>} by name */
const networks = new Map();

/** @param {string} name @returns {Promise<Network>} loaded once; a failed attempt may be made again */
function networkOf(name) {
  const loading = networks.get(name) ?? load(name);
  networks.set(name, loading);
  loading.catch(() => networks.delete(name));
  return loading;
}

/** @param {string} name @returns {Promise<Network>} @throws {MissingNetwork} if its file does not come */
async function load(name) {
  const parts = [];
  let bytes = 0;
  try {
    const { ok, body } = await fetch(`${name}.safetensors`);
    if (!ok || body === null) throw new Error();
    const reader = body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      bytes += part.value.length;
      say({ loading: name, bytes });
    }
  } catch {
    throw new MissingNetwork(name);
  }
  return readNetwork(await new Blob(parts).arrayBuffer());
}

/** @param {string} file @returns {Promise<Response>} */
async function part(file) {
  const answer = await fetch(file).catch(() => null);
  if (!answer?.ok) throw new Error("The page has failed: part of it could not be loaded.");
  return answer;
}

/** @returns {Promise<unknown>} when the rules and the bots are loaded; a failed attempt is made again */
const loadBots = () => Promise.all([loadKernels("rules", part), loadKernels("bots", part)]);

const SOON = 1000; // milliseconds after which a player who waits hears the weaker network

/** @param {boolean} patient whether nobody waits @returns {Promise<Network>} the strongest one that can be loaded; for those who wait, the weaker one while the other is on its way */
async function judge(patient) {
  const [weaker, strongest] = NETWORKS;
  const best = networkOf(strongest).catch(() => networkOf(weaker));
  if (patient) return best;
  const soon = new Promise((resolve) => setTimeout(resolve, SOON)).then(() => networkOf(weaker));
  return Promise.race([best, soon.catch(() => best)]);
}

/** @param {Question} question @returns {Promise<any>} */
async function answerTo(question) {
  await loadBots();
  if (question.what === "prepare") return null;
  if (question.what === "load") {
    await networkOf(question.name);
    return null;
  }
  const { rules, view } = question;
  if (question.what === "advise") {
    setConstants(question.constants);
    return advise(view, rules, rules.humbug || opponentHandKnown(view) ? null : await judge(question.patient));
  }
  return makeAgent(
    question.spec,
    rules,
    NETWORKS.includes(question.spec) ? await networkOf(question.spec) : null,
  )(view);
}

/** @param {Message} message */
const say = (message) => postMessage(message);

self.addEventListener(
  "message",
  async (/** @type {MessageEvent<Question & {id: number}>} */ { data: { id, ...question } }) => {
    try {
      say({ id, answer: await answerTo(question) });
    } catch (error) {
      if (error instanceof MissingNetwork) say({ id, missing: error.message });
      else say({ id, error: error instanceof Error ? error.message : String(error) });
    }
  },
);
