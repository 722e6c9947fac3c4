// @ts-check
/** The looks that the settings choose, as attributes of the document for the style sheets. */

import { onSettings, pace, settings } from "./settings.js";
import { redrawCards } from "./table/card.js";

/** @param {() => void} redraw called when the settings change */
export function followLooks(redraw) {
  const root = document.documentElement;
  const follow = () => {
    root.dataset.faces = settings.faces;
    root.dataset.cards = settings.cards;
    root.dataset.motion = pace() === 0 ? "none" : "some";
    root.dataset.orientation = settings.orientation;
  };
  onSettings(() => {
    follow();
    redrawCards();
    redraw();
  });
  follow();
}
