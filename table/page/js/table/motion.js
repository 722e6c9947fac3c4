// @ts-check
/** Cards that move: short flights from where a card was to where it is. */

import { pace } from "../settings.js";

export const EASE = "cubic-bezier(.2,.75,.3,1)";

/** @typedef {{left: number, top: number, width: number, height: number}} Rect */

/** @param {Element | null} element @returns {Rect | null} null also where nothing moves: asking would force a layout */
export function rectOf(element) {
  if (element === null || pace() === 0) return null;
  const { left, top, width, height } = element.getBoundingClientRect();
  return width > 0 ? { left, top, width, height } : null;
}

/**
 * Move an element from a place to where it is.
 *
 * @param {Element | null} element
 * @param {Rect | null} from
 * @param {number} [length] milliseconds at normal pace
 */
export function fly(element, from, length = 260) {
  const to = rectOf(element);
  if (element === null || from === null || to === null) return;
  const x = from.left + from.width / 2 - to.left - to.width / 2;
  const y = from.top + from.height / 2 - to.top - to.height / 2;
  const size = Math.min(Math.max(from.height / to.height, 0.3), 2);
  element.animate([{ transform: `translate(${x}px, ${y}px) scale(${size})` }, { transform: "none" }], {
    duration: length * pace(),
    easing: EASE,
  });
}

/**
 * Show a copy of a card that flies from one place to another and disappears.
 *
 * @param {HTMLElement} card
 * @param {Rect | null} from
 * @param {Rect | null} to
 */
export function flyGhost(card, from, to) {
  if (from === null || to === null) return;
  card.classList.add("ghost");
  card.setAttribute("aria-hidden", "true");
  Object.assign(card.style, { left: `${from.left}px`, top: `${from.top}px` });
  card.style.setProperty("--w", `${from.width}px`);
  document.body.append(card);
  const x = to.left + to.width / 2 - from.left - from.width / 2;
  const y = to.top + to.height / 2 - from.top - from.height / 2;
  const size = Math.min(Math.max(to.height / from.height, 0.3), 1.2);
  const flight = card.animate(
    [
      { transform: "none", opacity: 1 },
      { transform: `translate(${x}px, ${y}px) scale(${size})`, opacity: 0.6 },
    ],
    { duration: 320 * pace(), easing: EASE, fill: "forwards" },
  );
  flight.onfinish = () => card.remove();
}

/**
 * Let an element pulse, or shake, once.
 *
 * @param {Element | null} element
 * @param {"pulse" | "shake"} kind
 */
export function attract(element, kind) {
  if (element === null || pace() === 0) return;
  const frames =
    kind === "pulse"
      ? [{ transform: "none" }, { transform: "scale(1.25)" }, { transform: "none" }]
      : [0, -6, 5, -3, 0].map((x) => ({ transform: `translateX(${x}px)` }));
  element.animate(frames, { duration: kind === "pulse" ? 600 : 260, iterations: kind === "pulse" ? 2 : 1 });
}
