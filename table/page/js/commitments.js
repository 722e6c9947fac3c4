// @ts-check
/** The announced hash of each deal, kept in the browser so that a changed deal is found out even after a reload. */

import { keep, kept } from "./settings.js";

const KEY = "german-whist.commitments";
const MOST = 50; // deals
const SHORT = 8; // digits

/** @type {Map<string, string>} */
const seen = new Map();

/** @returns {[string, string][]} deals and their hashes, the oldest first */
function entries() {
  try {
    return Object.entries(JSON.parse(kept(KEY) ?? "{}"));
  } catch {
    return [];
  }
}

/**
 * @param {import("../game/types.js").Session} session
 * @returns {string} the hash of its deal, as this browser first saw it
 */
export function announcedHash(session) {
  const deal = `${session.id} ${session.deal.number}`;
  const known = entries();
  const before = seen.get(deal) ?? known.find(([name]) => name === deal)?.[1];
  const hash = before ?? session.deal.commitment;
  seen.set(deal, hash);
  if (before === undefined) keep(KEY, JSON.stringify(Object.fromEntries([...known, [deal, hash]].slice(-MOST))));
  return hash;
}

/** @param {string} hash @returns {string} its beginning, to compare by eye */
export function shortHash(hash) {
  return hash.slice(0, SHORT);
}
