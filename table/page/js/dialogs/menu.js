// @ts-check
/** The bars of buttons: tools for the deal, and the menu of everything else. */

import { byId, fill, h, icon } from "../dom.js";
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
  if (button.lastElementChild !== null) button.lastElementChild.textContent = words;
  // Unlike `disabled`, this leaves the focus on the button.
  if (enabled) button.removeAttribute("aria-disabled");
  else button.setAttribute("aria-disabled", "true");
}

/** @param {string} name of a tool to press; one that is not enabled does nothing */
export function pressTool(name) {
  buttons.get(name)?.click();
}

/**
 * @param {string} title
 * @param {[string, string, () => void][]} entries words, explanation, action
 */
export function openMenu(title, entries) {
  const dialog = openDialog(
    title,
    entries.map(([words, about, act]) =>
      h(
        "button",
        {
          class: "entry",
          onclick: () => {
            dialog.close();
            act();
          },
        },
        h("strong", {}, words),
        h("small", {}, about),
      ),
    ),
  );
}
