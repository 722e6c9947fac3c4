// @ts-check
/** Games lie in this browser alone: it is asked to keep them, and who has many is offered a file of them now and then. */

import * as table from "../game/table.js";
import { h } from "./dom.js";
import { change, settings } from "./settings.js";

const EVERY = 50; // deals

/** Ask the browser, once something is worth it, not to clear the page's store when room is short. */
export function askToKeep() {
  navigator.storage?.persist?.().catch(() => {}); // what the browser answers changes nothing here
}

/**
 * Offer a file of all games below the result, if many deals have been finished since the last one.
 *
 * @param {HTMLElement} place
 * @param {() => void} open
 */
export async function offerFile(place, open) {
  const { deals } = await table.statistics();
  if (deals < settings.dealsKept + EVERY) return;
  place.append(h("p", { class: "keep" }, `Your ${deals} deals are kept only in this browser. `, h("button", { type: "button", class: "quiet", onclick: open }, "Save them to a file")));
  change({ dealsKept: deals });
}
