// @ts-check
/** A card that is dragged onto the table, or flicked towards it, is played; any other one springs back. */

import { pace } from "../settings.js";
import { EASE } from "./motion.js";

const SLOP = 10; // pixels that a finger moves when it taps
const FLICK = 0.4; // pixels a millisecond
const RECENT = 80; // milliseconds over which the speed is measured

/**
 * @param {HTMLElement} hand
 * @param {(card: number) => boolean} drop called when a card is let go over the table; whether it is played
 */
export function letDrag(hand, drop) {
  /** @type {{card: HTMLElement, id: number, x: number, y: number, track: PointerEvent[], moved: boolean} | null} */
  let drag = null;
  let [down, wasDragged] = [{ x: 0, y: 0 }, false];

  hand.addEventListener("pointerdown", (event) => {
    const card = event.target instanceof Element ? event.target.closest("button") : null;
    end(false);
    [down, wasDragged] = [{ x: event.clientX, y: event.clientY }, false];
    if (card === null || !event.isPrimary || event.button !== 0) return;
    card.setPointerCapture(event.pointerId);
    drag = { card, id: event.pointerId, x: event.clientX, y: event.clientY, track: [event], moved: false };
  });
  hand.addEventListener("pointermove", (event) => {
    if (drag === null || event.pointerId !== drag.id) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved) {
      if (Math.hypot(x, y) < SLOP) return;
      drag.moved = true;
      drag.card.classList.add("dragged");
    }
    drag.track = [...drag.track.filter(({ timeStamp }) => event.timeStamp - timeStamp < RECENT), event];
    drag.card.style.translate = `${x}px ${y}px`;
  });
  hand.addEventListener("pointerup", (event) => {
    if (drag?.id === event.pointerId) end(drag.moved && isOnTable(drag.card, hand, drag.track));
  });
  for (const kind of ["pointercancel", "lostpointercapture"]) hand.addEventListener(kind, () => end(false));
  hand.addEventListener(
    "click",
    (event) => {
      // The end of a drag is not a tap, even if the page was redrawn meanwhile. In a click by key, `detail` is 0.
      const far = Math.hypot(event.clientX - down.x, event.clientY - down.y) >= SLOP;
      if (event.detail > 0 && (wasDragged || far)) event.stopPropagation();
    },
    true,
  );

  /** @param {boolean} isDropped */
  function end(isDropped) {
    if (drag === null) return;
    const { card, moved } = drag;
    drag = null;
    if (!moved) return;
    wasDragged = true;
    if (!isDropped || !drop(Number(card.dataset.card))) springBack(card);
    card.style.translate = "";
    card.classList.remove("dragged");
  }
}

/** @param {HTMLElement} card @param {HTMLElement} hand @param {PointerEvent[]} track the last moves @returns {boolean} */
function isOnTable(card, hand, track) {
  // The image: the button is only the part of the card that the next one leaves free.
  const box = /** @type {Element} */ (card.firstElementChild).getBoundingClientRect();
  const [first, last] = [track[0], track[track.length - 1]];
  const up = first.clientY - last.clientY;
  const isFlicked =
    up > FLICK * (last.timeStamp - first.timeStamp) && up > Math.abs(first.clientX - last.clientX) && up > 3 * SLOP;
  return isFlicked || (box.top + box.bottom) / 2 < hand.getBoundingClientRect().top;
}

/** @param {HTMLElement} card */
function springBack(card) {
  if (pace() > 0)
    card.animate([{ translate: card.style.translate }, { translate: "0 0" }], { duration: 220 * pace(), easing: EASE });
}
