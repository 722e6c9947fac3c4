// @ts-check
/** Elements of the page. Nothing here parses HTML, so no text can become markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Return an element. Attributes that are `false`, `null` or `undefined` are left out; functions are listeners.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [attributes] `class`, `onclick`, `aria-label`, ...
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

/**
 * Return an SVG element.
 *
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes
 */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @param {Element} element
 * @param {(Node | string | number | null | undefined | false)[]} children
 */
function append(element, children) {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
  }
}

/** @param {string} id @returns {HTMLElement} @throws {Error} if there is none */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`there is no element #${id}`);
  return element;
}

/**
 * Replace the children of an element.
 *
 * @param {Element} element
 * @param {...(Node | string | null | false)} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/** Give an element a text. The same one stays as it is: replacing it would force a layout. @param {Element} element @param {string | number} text */
export function write(element, text) {
  if (element.textContent !== String(text)) element.textContent = String(text);
}

/**
 * Give an element exactly these children, in order. Those already in place are not moved: a moved node loses the focus.
 *
 * @param {Element} element
 * @param {Element[]} nodes
 */
export function reconcile(element, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...element.children]) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, place) => {
    if (element.children[place] !== node) element.insertBefore(node, element.children[place] ?? null);
  });
}

let ids = 0;

/** @returns {string} an id that no other element has */
export function newId() {
  ids += 1;
  return `id${ids}`;
}

/** @type {Record<string, string>} */
const ICONS = {
  hint: "M9 18h6M10 21h4M12 3a6 6 0 0 0-3.5 10.9c.7.5 1 1.3 1 2.1h5c0-.8.3-1.6 1-2.1A6 6 0 0 0 12 3z",
  back: "M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  claim: "M6 21V4M6 5h12l-3 4 3 4H6",
  review: "M3 20h18M4 15l5-5 4 3 7-8M16 5h4v4",
  new: "M12 5v14M5 12h14",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M16 4.5v5M8 14.5v5",
  statistics: "M5 20v-7M12 20V4M19 20v-11",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  close: "M6 6l12 12M18 6L6 18",
  remove: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  first: "M18 5l-8 7 8 7M6 5v14",
  previous: "M15 5l-7 7 7 7",
  following: "M9 5l7 7-7 7",
  last: "M6 5l8 7-8 7M18 5v14",
};

/**
 * Return a small drawing in the colour of the text, hidden from screen readers.
 *
 * @param {string} name a key of `ICONS`
 * @returns {SVGElement}
 */
export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}
