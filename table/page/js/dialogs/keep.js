// @ts-check
/** All games as one file: saved, or loaded in another browser. */

import { TableError } from "../../game/errors.js";
import * as table from "../../game/table.js";
import { answerTo } from "../attempt.js";
import { h, newId } from "../dom.js";
import { openDialog } from "./dialog.js";
import { download } from "./share.js";

/** @param {() => void} saved called when the file is saved */
export async function openKeep(saved) {
  const text = await table.exportAll();
  const id = newId();
  const said = h("p", { role: "status" });
  const file = h("input", { id, type: "file", accept: ".json" });
  file.addEventListener("change", async () => {
    const given = await file.files?.[0]?.text();
    if (given === undefined) return;
    file.value = ""; // so that the same file can be chosen again
    try {
      const added = await answerTo(() => table.importAll(given));
      said.className = "";
      said.textContent = added === 0 ? "All of it was here already." : `Loaded: ${added} games and results that were not here.`;
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      said.className = "bad";
      said.textContent = error.message;
    }
  });
  const link = download("Save as a file", `german-whist-${new Date().toISOString().slice(0, 10)}.json`, text);
  link.addEventListener("click", saved);
  openDialog("All your games", [
    h("p", {}, "Your games and statistics are kept in this browser, for this address. A file keeps them safe, and brings them to another browser."),
    h("div", { class: "buttons" }, link),
    h("div", { class: "field" }, h("label", { for: id }, "Load such a file: what is not here yet is added"), file),
    said,
  ]);
}
