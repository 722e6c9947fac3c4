// @ts-check
/** What the table shows: the position as it is now, or as it was after an event. */

/** @typedef {import("../../game/types.js").Position} Position */
/** @typedef {import("../../game/types.js").Session} Session */
/** @typedef {import("../../game/types.js").Side} Side */

/**
 * What the table shows: a position, and the trick that lies on the table.
 *
 * @typedef {object} Shown
 * @property {Position} position
 * @property {Record<Side, number | null>} trick
 * @property {Side | null} winner  of the trick on the table, once both cards lie there
 * @property {boolean} waiting  the hand cannot be used: events are being shown, or the agent is to play
 */

/** @param {Session} session @returns {Shown} the table as it is now */
export function shownNow(session) {
  const { position } = session;
  /** @type {Record<Side, number | null>} */
  const trick = { you: null, opponent: null };
  if (position.led !== null) trick[position.led.by] = position.led.card;
  return { position, trick, winner: null, waiting: !session.can.act };
}

/** @param {Shown} shown @param {number} card @returns {Shown} the table with your card on the table before the agent answers */
export function shownPlayed(shown, card) {
  const hand = shown.position.hand.filter((held) => held.card !== card);
  return {
    ...shown,
    position: { ...shown.position, hand, turn: "opponent", decision: null },
    trick: { ...shown.trick, you: card },
    waiting: true,
  };
}

/**
 * @param {import("../../game/types.js").Snapshot} snapshot what was seen of it after an event
 * @param {Session} session
 * @returns {Shown}
 */
export function shownThen({ cards, winner, ...snapshot }, session) {
  const hand = snapshot.hand.map((card) => ({ card, playable: false, reason: null }));
  const position = { ...session.position, ...snapshot, hand, decision: null, result: null };
  return { position, trick: cards, winner, waiting: true };
}
