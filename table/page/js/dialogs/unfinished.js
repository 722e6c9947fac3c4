// @ts-check
/** The games that are not over: go on with one, or delete it. */

import { TableError } from "../../game/errors.js";
import * as table from "../../game/table.js";
import { attempt } from "../attempt.js";
import { h, icon } from "../dom.js";
import { confirmDialog, openDialog } from "./dialog.js";

/** @typedef {import("../../game/types.js").ListedSession} ListedSession */

/**
 * @param {ListedSession[]} sessions
 * @param {{open: (id: string) => void, removed: (id: string) => void}} actions
 */
export function openUnfinished(sessions, actions) {
  const list = h("ul", { class: "games" });
  const dialog = openDialog("Unfinished games", [list], { kind: "menu" });
  for (const session of sessions) list.append(row(session));
  list.querySelector("button")?.focus();

  /** @param {ListedSession} session @returns {HTMLElement} */
  function row(session) {
    const time = new Date(session.updated);
    const played = session.day === null ? time.toLocaleString() : time.toLocaleTimeString(); // its title has the date
    const item = h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "entry", onclick: () => { dialog.close(); actions.open(session.id); } },
        h("strong", {}, session.title),
        h("small", {}, played),
      ),
      h(
        "button",
        {
          type: "button",
          class: "remove",
          "aria-label": `Delete ${session.title}, ${played}`,
          onclick: () => confirmDialog("Delete this game?", "Delete", () => void attempt(() => remove(session, item))),
        },
        icon("remove"),
      ),
    );
    return item;
  }

  /** @param {ListedSession} session @param {HTMLElement} item */
  async function remove(session, item) {
    try {
      await table.remove(session.id);
    } catch (error) {
      if (!(error instanceof TableError) || error.kind !== "not_found") {
        dialog.close(); // what went wrong is said behind it
        throw error;
      }
    }
    const next = item.nextElementSibling ?? item.previousElementSibling;
    item.remove();
    if (next === null) dialog.close();
    else next.querySelector("button")?.focus();
    actions.removed(session.id);
  }
}
