// @ts-check
/** A modal window over the table. */

import { h, icon, newId, setAttributes } from "../dom.js";

const OPENED = "window"; // marks the entry of the history from which Back closes a window

/**
 * Open a window; Escape, its button, a click beside it and Back close it.
 *
 * @param {string} title
 * @param {(Node | string | null | false)[]} content
 * @param {{kind?: string, onclose?: () => void}} [look]
 * @returns {HTMLDialogElement}
 */
export function openDialog(title, content, { kind = "", onclose = () => {} } = {}) {
  const id = newId();
  const close = h("button", { class: "close", "aria-label": "Close" }, icon("close"));
  const body = h("div", { class: "dialog-body" });
  for (const part of content) if (part !== null && part !== false) body.append(part);
  if (body.querySelector("button, a, input, select, textarea, summary, [tabindex]") === null) {
    // A window of text alone can be scrolled with the keys only if it can take the focus.
    setAttributes(body, { tabindex: 0, role: "region", "aria-labelledby": id });
  }
  const dialog = h(
    "dialog",
    { class: kind, "aria-labelledby": id },
    h("header", {}, h("h2", { id }, title), close),
    body,
  );
  close.addEventListener("click", () => dialog.close());
  let isBeside = false; // whether the press began beside it: text may be selected from inside to beyond its edge
  dialog.addEventListener("pointerdown", ({ target }) => {
    isBeside = target === dialog;
  });
  dialog.addEventListener("click", ({ target }) => {
    if (isBeside && target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    onclose();
  });
  document.body.append(dialog);
  dialog.showModal();
  noteInHistory();
  return dialog;
}

/** Add an entry for the same page to the history, so that Back closes the window instead of leaving. One serves all windows. */
function noteInHistory() {
  if (!history.state?.[OPENED]) history.pushState({ [OPENED]: true }, "");
}

/** Close the window on top, if there is one, as Back does. */
export function closeLast() {
  const open = [...document.querySelectorAll("dialog")];
  open.at(-1)?.close();
  if (open.length > 1) noteInHistory();
}

/**
 * Ask before something that cannot be undone.
 *
 * @param {string} question
 * @param {string} yes
 * @param {() => void} act
 */
export function confirmDialog(question, yes, act) {
  const dialog = openDialog(question, [
    h(
      "div",
      { class: "buttons" },
      h(
        "button",
        {
          class: "danger",
          onclick: () => {
            dialog.close();
            act();
          },
        },
        yes,
      ),
      h("button", { class: "quiet", onclick: () => dialog.close() }, "Cancel"),
    ),
  ]);
}
