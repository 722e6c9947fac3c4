// @ts-check
/** Form fields with their labels. */

import { h, newId } from "../dom.js";

/**
 * @param {string} label
 * @param {{value: string, title: string}[]} choices
 * @param {string} value
 * @param {(value: string) => void} onchange
 * @param {string} [note]
 * @returns {HTMLElement}
 */
export function selectField(label, choices, value, onchange, note = "") {
  const id = newId();
  const select = h("select", { id, "aria-describedby": note === "" ? null : `${id}-note` });
  for (const choice of choices) {
    select.append(h("option", { value: choice.value, selected: choice.value === value }, choice.title));
  }
  select.addEventListener("change", () => onchange(select.value));
  return h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    select,
    note && h("small", { id: `${id}-note` }, note),
  );
}

/**
 * @param {string} label
 * @param {boolean} value
 * @param {(value: boolean) => void} onchange
 * @param {string} [note]
 * @returns {HTMLElement}
 */
export function checkField(label, value, onchange, note = "") {
  const id = newId();
  const box = h("input", {
    id,
    type: "checkbox",
    checked: value,
    "aria-describedby": note === "" ? null : `${id}-note`,
  });
  box.addEventListener("change", () => onchange(box.checked));
  return h(
    "div",
    { class: "field check" },
    box,
    h("label", { for: id }, label),
    note && h("small", { id: `${id}-note` }, note),
  );
}

/**
 * @param {string} legend
 * @param {string} name
 * @param {{value: string, title: string, picture: Node}[]} choices
 * @param {string} value
 * @param {(value: string) => void} onchange
 * @returns {HTMLElement}
 */
export function radioField(legend, name, choices, value, onchange) {
  const group = `${name}-${newId()}`;
  return h(
    "fieldset",
    { class: "radios" },
    h("legend", {}, legend),
    h(
      "div",
      {},
      ...choices.map((choice) =>
        h(
          "label",
          {},
          h("input", {
            type: "radio",
            name: group,
            value: choice.value,
            checked: choice.value === value,
            onchange: () => onchange(choice.value),
          }),
          choice.picture,
          h("span", {}, choice.title),
        ),
      ),
    ),
  );
}
