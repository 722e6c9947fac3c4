// @ts-check
/** Your games: the unfinished ones, the finished ones with their reviews, and all of them as one file. */

import { canBePlayed, knowsRules } from "../../game/catalogue.js";
import { PageError } from "../../game/errors.js";
import * as sessions from "../../game/sessions.js";
import { percent, timeText } from "../../game/wording.js";
import { attempt, waitFor } from "../attempt.js";
import { fill, h, icon, newId } from "../dom.js";
import { confirmDialog, openDialog } from "./dialog.js";
import { saveFile } from "./share.js";

/** @typedef {import("../../game/types.js").ListedSession} ListedSession */

const SHOWN = 20; // finished games, until more are asked for

/**
 * @param {ListedSession[]} all
 * @param {{open: (id: string) => void, review: (id: string) => void, removed: (id: string) => void, saved: () => void}} actions
 *   `saved`: called when all games have been saved as a file
 * @param {boolean} [atFile] whether the file is what the player wants
 */
export function openGames(all, actions, atFile = false) {
  const isOpen = (/** @type {ListedSession} */ session) =>
    !session.finished && (session.inPlay || session.match !== null);
  const canBeReviewed = (/** @type {ListedSession} */ { rules }) => knowsRules(rules);
  const open = h("ul", { class: "games" });
  const over = [false, true].map((assisted) => ({
    assisted,
    list: h("ul", { class: "games" }),
    more: h("button", { class: "quiet" }),
    count: SHOWN,
  }));
  let listed = all;
  const file = fileSection(actions.saved, async () => {
    listed = await sessions.list();
    show();
  });
  show();
  const dialog = openDialog("Your games", [
    h("section", {}, h("h3", {}, "Unfinished"), open),
    ...over.map(({ assisted, list, more }) =>
      h("section", {}, h("h3", {}, assisted ? "Finished, with help" : "Finished, with their reviews"), list, more),
    ),
    file,
  ]);
  if (atFile) file.scrollIntoView();
  else open.querySelector(/** @type {"button"} */ ("button.entry"))?.focus();

  /** @param {() => void} act */
  function leave(act) {
    dialog.close();
    act();
  }

  function show() {
    const played = listed.filter(({ kind }) => kind === "play" || kind === "challenge");
    showList(open, played.filter(isOpen), (id) => leave(() => actions.open(id)), canBePlayed);
    for (const part of over) {
      const some = played.filter(
        (session) => !isOpen(session) && session.outcome !== null && session.assisted === part.assisted,
      );
      showList(part.list, some.slice(0, part.count), (id) => leave(() => actions.review(id)), canBeReviewed);
      part.more.hidden = some.length <= part.count;
      part.more.textContent = `Show all ${some.length}`;
      part.more.onclick = () => {
        part.count = some.length;
        show();
      };
    }
  }

  /** @param {HTMLElement} list @param {ListedSession[]} some @param {(id: string) => void} choose @param {(session: ListedSession) => boolean} isAble whether a game can be chosen */
  function showList(list, some, choose, isAble) {
    fill(list, ...(some.length === 0 ? [none()] : some.map((session) => row(session, choose, isAble))));
  }

  /** @param {ListedSession} session @param {(id: string) => void} choose @param {(session: ListedSession) => boolean} isAble @returns {HTMLElement} */
  function row(session, choose, isAble) {
    const when = timeText(session.updated);
    const accuracy = session.accuracy === null ? null : `accuracy ${percent(session.accuracy / 100)}`;
    const able = isAble(session);
    const words = [
      h("strong", {}, session.title),
      h("small", {}, [session.outcome, accuracy, when, !able && "not played here"].filter(Boolean).join(" · ")),
    ];
    const item = h(
      "li",
      {},
      able
        ? h("button", { class: "entry", onclick: () => choose(session.id) }, ...words)
        : h("div", { class: "entry" }, ...words),
      h(
        "button",
        {
          class: "remove",
          "aria-label": `Delete ${session.title}, ${when}`,
          onclick: () => confirmDialog("Delete this game?", "Delete", () => void attempt(() => remove(session, item))),
        },
        icon("remove"),
      ),
    );
    return item;
  }

  /** @param {ListedSession} session @param {HTMLElement} item */
  async function remove(session, item) {
    await sessions.remove(session.id);
    const rows = item.parentElement?.children ?? open.children;
    const place = [...rows].indexOf(item);
    listed = listed.filter(({ id }) => id !== session.id);
    show();
    const next = rows[Math.min(place, rows.length - 1)]?.querySelector("button");
    (next ?? dialog.querySelector("button"))?.focus();
    actions.removed(session.id);
  }
}

/** @returns {HTMLElement} what stands in an empty list */
const none = () => h("li", {}, h("p", { class: "note" }, "None"));

/** @param {() => void} saved called when the file is saved @param {() => Promise<void>} loaded called when one has been loaded @returns {HTMLElement} */
function fileSection(saved, loaded) {
  const id = newId();
  const said = h("p", { role: "status" });
  const file = h("input", { id, type: "file", accept: ".json" });
  file.addEventListener("change", async () => {
    const given = await file.files?.[0]?.text();
    if (given === undefined) return;
    file.value = ""; // so that the same file can be chosen again
    try {
      const added = await waitFor(() => sessions.importAll(given));
      said.className = "";
      said.textContent =
        added === 0 ? "All of it was already here." : `Loaded. New games, results and mistakes: ${added}.`;
      await loaded();
    } catch (error) {
      if (!(error instanceof PageError)) throw error;
      said.className = "bad";
      said.textContent = error.message;
    }
  });
  const save = async () => {
    saveFile(`german-whist-${new Date().toISOString().slice(0, 10)}.json`, await sessions.exportAll());
    saved();
  };
  return h(
    "section",
    {},
    h("h3", {}, "All in one file"),
    h(
      "p",
      {},
      "Games, statistics and mistakes to practise are kept in this browser, for this address. A file keeps them safe and takes them to another browser.",
    ),
    h(
      "div",
      { class: "buttons" },
      h("button", { class: "quiet", onclick: () => void attempt(save) }, "Save as a file"),
    ),
    h("div", { class: "field" }, h("label", { for: id }, "Load a saved file (adds what is missing here)"), file),
    said,
  );
}
