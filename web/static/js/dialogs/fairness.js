// @ts-check
/** Fairness: the hash of the deal from its beginning, and the check of it in the browser. */

import { announcedHash } from "../commitments.js";
import { h } from "../dom.js";
import { openDialog } from "./dialog.js";

/** @param {string} text @returns {Promise<string>} its SHA-256 in hexadecimal */
async function sha256(text) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {import("../types.js").Session} session */
export async function openFairness(session) {
  const commitment = announcedHash(session);
  const { disclosure } = session.deal;
  const verdict = h("p", { class: "verdict" });
  openDialog("Is the deal fair?", [
    h("p", {}, "Before the first card the cards of the deal are fixed, and this hash of them is shown. After the deal the cards are disclosed. If their hash is the same, nothing was changed in between."),
    h("h3", {}, "Hash of this deal (SHA-256)"),
    h("code", { class: "hash" }, commitment),
    disclosure === null && h("p", {}, "The cards are disclosed when the deal is over."),
    disclosure !== null && h("h3", {}, "Disclosed: salt, dealer and cards in dealing order"),
    disclosure !== null && h("code", { class: "hash" }, disclosure.text),
    disclosure !== null && verdict,
  ]);
  if (disclosure === null) return;
  if (!window.isSecureContext || crypto.subtle === undefined) {
    verdict.textContent = "This browser computes no hashes here: compare with another tool.";
    return;
  }
  const hash = await sha256(disclosure.text);
  const same = hash === commitment;
  verdict.classList.add(same ? "good" : "bad");
  verdict.textContent = same ? "✓ Your browser computed the same hash: the deal was not changed." : `✗ Your browser computed ${hash}: the deal was changed.`;
}
