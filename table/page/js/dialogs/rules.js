// @ts-check
/** The rules in words. */

import { h } from "../dom.js";

/**
 * @param {string} text a title, an empty line, then paragraphs that begin with a word and a colon, their further lines indented
 * @returns {HTMLElement[]} the paragraphs
 */
export function rulesText(text) {
  const [, paragraphs] = text.trim().split("\n\n");
  return paragraphs.split(/\n(?! )/).map((paragraph) => {
    const words = paragraph.replace(/\s+/g, " ");
    const colon = words.indexOf(":");
    return h("p", { class: "rule" }, h("strong", {}, words.slice(0, colon)), words.slice(colon));
  });
}
