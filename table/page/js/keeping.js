// @ts-check
/** Games exist only in this browser: it is asked to keep them, and now and then the page offers to save them to a file. */

import * as sessions from "../game/sessions.js";
import { h } from "./dom.js";
import { change, settings } from "./settings.js";

const EVERY = 50; // deals

/** Ask the browser not to clear the page's storage when space runs short. */
export function askToKeep() {
  navigator.storage?.persist?.().catch(() => {}); // the answer changes nothing here
}

/**
 * Offer a file of all games below the result, if many deals have been finished since the last one.
 *
 * @param {HTMLElement} place
 * @param {() => void} open
 */
export async function offerFile(place, open) {
  const { deals } = await sessions.statistics();
  if (deals < settings.dealsKept + EVERY) return;
  place.append(h("p", { class: "keep" }, `Your ${deals} deals are kept only in this browser. `, h("button", { type: "button", class: "quiet", onclick: open }, "Save them to a file")));
  change({ dealsKept: deals });
}
