// @ts-check
/** Fairness: the hash of the deal from its beginning, and the check of it in the browser. */

import { announcedHash } from "../commitments.js";
import { h } from "../dom.js";
import { sha256 } from "../../game/sha256.js";
import { openDialog } from "./dialog.js";

/** @param {import("../../game/types.js").Session} session */
export function openFairness(session) {
  const commitment = announcedHash(session);
  const { disclosure } = session.deal;
  const verdict = h("p", { class: "verdict" });
  openDialog("Is the deal fair?", [
    h("p", {}, "The whole deal is fixed before the first card is played, and this hash of it is shown. After the deal the cards are disclosed. If they give the same hash, nothing was changed in between."),
    h("h3", {}, "Hash of this deal (SHA-256)"),
    h("code", { class: "hash" }, commitment),
    disclosure === null && h("p", {}, "The cards are disclosed when the deal is over."),
    disclosure !== null && h("h3", {}, "Disclosed: salt, dealer and cards in dealing order"),
    disclosure !== null && h("code", { class: "hash" }, disclosure.text),
    disclosure !== null && verdict,
  ]);
  if (disclosure === null) return;
  const hash = sha256(disclosure.text);
  const same = hash === commitment;
  verdict.classList.add(same ? "good" : "bad");
  verdict.textContent = same ? "✓ Your browser computed the same hash: the deal was not changed." : `✗ Your browser computed ${hash}: the deal was changed.`;
}
