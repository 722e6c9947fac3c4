// @ts-check
/** The layout of the table, and the looks that the settings choose, as attributes of the document for the style sheets. */

import { onSettings, pace, settings } from "./settings.js";
import { redrawCards } from "./table/card.js";

/** In em, because letters twice as large, by the browser's settings, leave room for half as much. */
const narrow = matchMedia("(width < 37.5em)");
const narrowest = matchMedia("(width < 30em)");

/** @returns {boolean} whether the table is that of a phone held upright */
export const isNarrow = () => narrow.matches && document.documentElement.dataset.layout === "portrait";

/** @param {() => void} redraw called when the settings or the layout change, not at every size of the window */
export function followLayout(redraw) {
  const root = document.documentElement;
  const update = () => {
    const isWide = window.innerWidth >= window.innerHeight * 1.05 && !narrowest.matches;
    const layout = settings.orientation === "auto" ? (isWide ? "landscape" : "portrait") : settings.orientation;
    if (root.dataset.layout === layout) return;
    root.dataset.layout = layout;
    redraw();
  };
  const follow = () => {
    root.dataset.faces = settings.faces;
    root.dataset.motion = pace() === 0 ? "none" : "some";
  };
  window.addEventListener("resize", update);
  narrow.addEventListener("change", redraw);
  onSettings(() => {
    follow();
    redrawCards();
    redraw();
    update();
  });
  follow();
  update();
}
