// @ts-check
/** Messages: alerts, which stay for a moment or as long as they are true, and announcements to screen readers. */

import { byId } from "./dom.js";

/** @type {ReturnType<typeof setTimeout> | undefined} */
let clearing;

/** Show a message in the place of the prompt, near the hand. @param {string} message */
function show(message) {
  const element = byId("alert");
  clearTimeout(clearing);
  element.togglePopover(true);
  if (element.textContent !== message) element.textContent = message; // setting it again would make screen readers repeat it
}

/** @param {string} message a message that is no longer shown */
function clear(message) {
  const element = byId("alert");
  if (element.textContent === message) clearAlert();
}

/** Take away what is said. */
export function clearAlert() {
  const element = byId("alert");
  element.textContent = "";
  element.hidePopover();
}

/**
 * Say something at once, for a few seconds.
 *
 * @param {string} message
 */
export function alertUser(message) {
  show(message);
  clearing = setTimeout(() => clear(message), 4500);
}

/**
 * Say something until it is no longer true, or something else is said.
 *
 * @param {string} message
 * @returns {() => void} ends it
 */
export function alertWhile(message) {
  show(message);
  return () => clear(message);
}

/** @type {string[]} */
let words = [];

/**
 * Tell screen readers something once they have finished speaking. Texts of the same moment are joined, because each would
 * replace the one before.
 *
 * @param {string} text
 */
export function announce(text) {
  words.push(text);
  if (words.length > 1) return;
  setTimeout(() => {
    byId("said").textContent = words.join(" ");
    words = [];
  });
}
