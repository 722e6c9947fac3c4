// @ts-check
/** Proof that a game is fair: the hash fixed before its first card and, when it is over, the seed and the salt behind it. */

import { h } from "../dom.js";
import { openDialog } from "./dialog.js";
import { copyField } from "./share.js";

/** @param {import("../../game/types.js").Session} session one with a seal */
export function openFair({ seal, can }) {
  if (seal === null) return;
  const { hash, opened } = seal;
  const dialog = openDialog("Is it fair?", [
    h(
      "p",
      {},
      "This SHA-256 hash of the game’s seed and a random salt was fixed before the first card, and both are told when the game is over. If “seed, blank, salt” has this hash, and deal n of the game is deal n − 1 of the seed, as german-whist draw --deal shows, no card was chosen afterwards.",
    ),
    copyField("Hash", hash, 2),
    opened && copyField("Seed and salt", `${opened.seed} ${opened.salt}`, 2),
    can.next &&
      h(
        "div",
        { class: "buttons" },
        h(
          "button",
          { class: "quiet", "data-command": "reveal", onclick: () => dialog.close() },
          "End the game here and tell me",
        ),
      ),
  ]);
}
