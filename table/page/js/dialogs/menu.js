// @ts-check
/** The bars of buttons: tools for the deal, and the menu of everything else. */

import { byId, fill, h, icon, write } from "../dom.js";
import { openDialog } from "./dialog.js";

/**
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} sign  name of the icon
 * @property {string} command
 */

/**
 * @param {string} bar its id
 * @param {Tool[]} tools
 */
export function showTools(bar, tools) {
  fill(
    byId(bar),
    ...tools.map(({ name, sign, command }) =>
      h("button", { class: "tool", "aria-label": name, "data-command": command }, icon(sign), h("span", {}, name)),
    ),
  );
}

/** @param {string} command @returns {HTMLButtonElement | null} */
const toolOf = (command) => document.querySelector(`.tool[data-command=${command}]`);

/** @param {string} command @param {{enabled?: boolean, hidden?: boolean, words?: string}} state `words`: what stands on the tool */
export function setTool(command, { enabled = true, hidden = false, words }) {
  const button = toolOf(command);
  if (button === null) return;
  button.hidden = hidden;
  if (words !== undefined) {
    button.setAttribute("aria-label", words);
    write(button.children[1], words);
  }
  // Unlike `disabled`, this leaves the focus on the button.
  if (enabled) button.removeAttribute("aria-disabled");
  else button.setAttribute("aria-disabled", "true");
}

/** @param {string} command the command of a tool to press; one that is not enabled does nothing */
export function pressTool(command) {
  toolOf(command)?.click();
}

/** @typedef {[string, string, string]} Entry  words, explanation, command */

/** @param {Entry[]} entries @param {() => void} close called before the command is carried out @returns {HTMLButtonElement[]} */
function buttonsFor(entries, close) {
  return entries.map(([words, about, command]) =>
    h(
      "button",
      { class: "entry", "data-command": command, onclick: close },
      h("strong", {}, words),
      h("small", {}, about),
    ),
  );
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
