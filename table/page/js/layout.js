// @ts-check
/** Size and orientation of the table, as attributes of the document for the style sheets. */

import { onSettings, pace, settings } from "./settings.js";
import { redrawCards } from "./table/card.js";

/** @param {() => void} redraw called when the settings or the size class change, not at every size of the window */
export function followLayout(redraw) {
  const root = document.documentElement;
  const update = () => {
    const orientation = window.innerWidth >= window.innerHeight * 1.05 ? "landscape" : "portrait";
    const layout = settings.orientation === "auto" ? orientation : settings.orientation;
    // In em, because letters twice as large, by the browser's settings, leave room for half as much.
    const isLarge = matchMedia("(min-width: 60em) and (min-height: 35em)").matches;
    const isMedium = matchMedia("(min-width: 37.5em) and (min-height: 37.5em)").matches;
    const size = isLarge ? "large" : layout === "landscape" || !isMedium ? "small" : "medium";
    if (root.dataset.layout === layout && root.dataset.size === size) return;
    Object.assign(root.dataset, { layout, size });
    redraw();
  };
  const follow = () => {
    root.dataset.faces = settings.faces;
    root.dataset.motion = pace() === 0 ? "none" : "some";
  };
  window.addEventListener("resize", update);
  onSettings(() => {
    follow();
    redrawCards();
    redraw();
    update();
  });
  follow();
  update();
}
