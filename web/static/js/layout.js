// @ts-check
/** Size and orientation of the table, as attributes of the document for the style sheets. */

import { onSettings, pace, settings } from "./settings.js";
import { redrawCards } from "./table/card.js";

/** @param {() => void} redraw called when the table has to be drawn anew */
export function followLayout(redraw) {
  const root = document.documentElement;
  const update = () => {
    const { innerWidth: width, innerHeight: height } = window;
    const orientation = width >= height * 1.05 ? "landscape" : "portrait";
    const layout = settings.orientation === "auto" ? orientation : settings.orientation;
    const large = width >= 960 && height >= 560;
    root.dataset.layout = layout;
    root.dataset.size = large ? "large" : layout === "landscape" || Math.min(width, height) < 600 ? "small" : "medium";
    root.dataset.faces = settings.faces;
    root.dataset.back = settings.backColor;
    root.dataset.motion = pace() === 0 ? "none" : "some";
    redraw();
  };
  window.addEventListener("resize", update);
  onSettings(() => {
    redrawCards();
    update();
  });
  update();
}
