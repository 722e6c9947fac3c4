// @ts-check
/** The worker that thinks for the page: what an agent plays, and what each action of a decision is worth. */

import { makeAgent } from "./engine/agents.js";
import { readNetwork } from "./engine/network/network.js";
import { advise } from "./judge/advice.js";

/** @typedef {import("./engine/network/network.js").Network} Network */

/**
 * @typedef {object} Question
 * @property {number} id of the answer
 * @property {"act" | "advise"} what
 * @property {string} spec of the agent that acts
 * @property {import("./engine/rules.js").Rules} rules
 * @property {import("./engine/view.js").View} view what the seat to act knows
 */

/** @type {Promise<Network> | null} */
let network = null;

/** @returns {Promise<Network>} that of `small`, loaded once */
function networkNow() {
  network ??= fetch("small.safetensors").then((answer) => {
    if (!answer.ok) throw new Error();
    return answer.arrayBuffer();
  }).then(readNetwork).catch(() => {
    network = null;
    throw new Error("The page cannot load all of its parts: is there a connection?");
  });
  return network;
}

/** @param {Question} question @returns {Promise<any>} */
async function answerTo({ what, spec, rules, view }) {
  if (what === "advise") return advise(view, rules, rules.humbug ? null : await networkNow());
  return makeAgent(spec, rules, spec === "small" ? await networkNow() : null)(view);
}

self.addEventListener("message", async (/** @type {MessageEvent<Question>} */ { data }) => {
  try {
    postMessage({ id: data.id, answer: await answerTo(data) });
  } catch (error) {
    postMessage({ id: data.id, error: error instanceof Error ? error.message : String(error) });
  }
});
