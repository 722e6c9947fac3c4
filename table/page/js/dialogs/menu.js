// @ts-check
/** The bars of buttons: tools for the deal, and the menu of everything else. */

import { byId, fill, h, icon, write } from "../dom.js";
import { openDialog } from "./dialog.js";

/**
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} sign  name of the icon
 * @property {() => void} act
 */

/** @type {Map<string, HTMLButtonElement>} */
const buttons = new Map();

/**
 * @param {string} bar its id
 * @param {Tool[]} tools
 */
export function showTools(bar, tools) {
  fill(
    byId(bar),
    ...tools.map(({ name, sign, act }) => {
      const button = h("button", { class: "tool", "aria-label": name }, icon(sign), h("span", {}, name));
      button.addEventListener("click", () => {
        if (button.getAttribute("aria-disabled") !== "true") act();
      });
      buttons.set(name, button);
      return button;
    }),
  );
}

/** @param {string} name @param {{enabled?: boolean, hidden?: boolean, words?: string}} state `words`: what stands on it */
export function setTool(name, { enabled = true, hidden = false, words = name }) {
  const button = buttons.get(name);
  if (button === undefined) return;
  button.hidden = hidden;
  button.setAttribute("aria-label", words);
  if (button.lastElementChild !== null) write(button.lastElementChild, words);
  // Unlike `disabled`, this leaves the focus on the button.
  if (enabled) button.removeAttribute("aria-disabled");
  else button.setAttribute("aria-disabled", "true");
}

/** @param {string} name of a tool to press; one that is not enabled does nothing */
export function pressTool(name) {
  buttons.get(name)?.click();
}

/** @typedef {[string, string, () => void]} Entry  words, explanation, action */

/** @param {Entry[]} entries @param {() => void} close called before the action @returns {HTMLButtonElement[]} */
function buttonsFor(entries, close) {
  return entries.map(([words, about, act]) => {
    const button = h("button", { class: "entry" }, h("strong", {}, words), h("small", {}, about));
    button.addEventListener("click", () => {
      close();
      act();
    });
    return button;
  });
}

/** Ask beside the cards, which stay in sight. @param {string} title @param {Entry[]} entries */
export function openQuestion(title, entries) {
  const panel = byId("question");
  const close = h("button", { class: "close", "aria-label": "Close", onclick: closeQuestion }, icon("close"));
  const buttons = buttonsFor(entries, closeQuestion);
  fill(panel, h("header", {}, h("h2", {}, title), close), ...buttons);
  panel.setAttribute("aria-label", title);
  panel.togglePopover(true);
  buttons[0].focus();
}

/** Take the question away, if there is one. */
export function closeQuestion() {
  const panel = byId("question");
  if (!panel.matches(":popover-open")) return;
  const left = panel.contains(document.activeElement);
  panel.hidePopover();
  if (left) byId("hand").focus({ preventScroll: true });
}

/**
 * @param {string} title
 * @param {Entry[]} entries
 */
export function openMenu(title, entries) {
  const dialog = openDialog(
    title,
    buttonsFor(entries, () => dialog.close()),
  );
}
