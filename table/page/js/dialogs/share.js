// @ts-check
/** Share a deal as a link or a text, and open one that was shared. */

import { TableError } from "../../game/errors.js";
import * as table from "../../game/table.js";
import { answerTo } from "../attempt.js";
import { h, newId } from "../dom.js";
import { openDialog } from "./dialog.js";

/**
 * @param {import("../../game/types.js").Session} session
 * @param {number | null} deal null: all finished deals
 */
export async function openShare(session, deal) {
  const { recording, code } = await table.recording(session.id, deal);
  const link = code === null ? null : `${location.origin}${location.pathname}#recording=${code}`;
  openDialog("Share this deal", [
    h("p", {}, "The link has the whole deal in it: whoever opens it sees the deal. The text can be opened with “Open a recording” on any page of German Whist, or with german-whist review FILE."),
    link !== null && copyField("Link", link),
    copyField("Text", recording, 6),
    h("div", { class: "buttons" }, download("Save as a file", "deal.jsonl", `${recording}\n`)),
  ]);
}

/** @param {string} label @param {string} text @param {number} [rows] @returns {HTMLElement} */
function copyField(label, text, rows = 2) {
  const id = newId();
  const area = h("textarea", { id, rows, readonly: true, spellcheck: "false" }, text);
  const button = h("button", { type: "button", class: "quiet" }, `Copy the ${label.toLowerCase()}`);
  button.addEventListener("click", async () => {
    area.select();
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      document.execCommand("copy");
    }
    button.textContent = "Copied";
  });
  return h("div", { class: "field copy" }, h("label", { for: id }, label), area, button);
}

/** @param {string} words @param {string} file @param {string} text @returns {HTMLElement} a link that saves a text */
export function download(words, file, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  return h("a", { class: "button quiet", href: address, download: file }, words);
}

/** @param {(recording: string) => Promise<void>} open called with the text or the code of a recording */
export function openRecordingDialog(open) {
  const id = newId();
  const wrong = h("p", { class: "bad", role: "alert" });
  const area = h("textarea", { id, rows: 6, spellcheck: "false", placeholder: '{"version":1, …}' });
  const file = h("input", { id: `${id}-file`, type: "file", accept: ".jsonl,.json,.txt" });
  file.addEventListener("change", async () => {
    area.value = (await file.files?.[0]?.text()) ?? "";
  });
  const dialog = openDialog("Open a recording", [
    h("div", { class: "field" }, h("label", { for: id }, "Text, code or link"), area),
    h("div", { class: "field" }, h("label", { for: `${id}-file` }, "Or a file"), file),
    h("div", { class: "buttons" }, h("button", {
      type: "button",
      class: "primary",
      onclick: async () => {
        const text = area.value.trim();
        if (text === "") return;
        try {
          await answerTo(() => open(text.split("#recording=").pop() ?? text));
        } catch (error) {
          if (!(error instanceof TableError)) throw error;
          wrong.textContent = error.message; // the window stays, and the text with it
          return;
        }
        dialog.close();
      },
    }, "Open")),
    wrong,
  ]);
}
