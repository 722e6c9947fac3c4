// @ts-check
/** What the table shows, changed event by event between two positions of the server. */

import { cardName } from "../words.js";

/**
 * What the table shows: a position, and the trick that lies on the table. Events change it step by step.
 *
 * @typedef {object} Shown
 * @property {Position} position
 * @property {{you: string | null, opponent: string | null}} trick
 * @property {Side | null} winner  of the trick on the table, once both cards lie there
 * @property {boolean} waiting  the hand cannot be used: events are being shown, or the agent is to play
 */
/** @typedef {import("../types.js").Position} Position */
/** @typedef {import("../types.js").Session} Session */
/** @typedef {import("../types.js").GameEvent} GameEvent */
/** @typedef {import("../types.js").Side} Side */

/** @param {Session} session @returns {Shown} the table as the server has it now */
export function shownNow(session) {
  const { position } = session;
  const trick = { you: null, opponent: null };
  if (position.led !== null) Object.assign(trick, { [position.led.by]: position.led.card });
  return { position, trick, winner: null, waiting: !session.can.act };
}

/** @param {Session} session @returns {Shown} the table before the first event of a deal */
export function shownAtDeal(session) {
  const { position, game } = session;
  const none = { foreplay: 0, endgame: 0, counted: 0 };
  return {
    position: {
      ...position,
      stage: game.foreplay > 0 ? "foreplay" : "endgame",
      trick: 1,
      stock: game.stock,
      face_up: [],
      led: null,
      opponent: { cards: game.hand, known: [], voids: {} },
      tricks: { you: none, opponent: none },
      turn: null,
      decision: null,
      last_trick: null,
      exchanged: { you: null, opponent: null },
      result: null,
      open: null,
    },
    trick: { you: null, opponent: null },
    winner: null,
    waiting: true,
  };
}

/** @param {Shown} shown @param {string} card @returns {Shown} with your card on the table before the server answers */
export function shownPlayed(shown, card) {
  const hand = shown.position.hand.filter((held) => held.card !== card);
  return {
    ...shown,
    position: { ...shown.position, hand, turn: "opponent", decision: null },
    trick: { ...shown.trick, you: card },
    waiting: true,
  };
}

/** @param {Shown} shown @returns {Shown} with the finished trick taken off the table */
export function shownSwept(shown) {
  const { you, opponent } = shown.trick;
  const { winner, position } = shown;
  if (winner === null || you === null || opponent === null) return shown;
  const leader = position.led?.by ?? winner;
  /** @type {Position["last_trick"]} */
  const last = {
    number: position.trick, leader, winner, cards: { you, opponent }, takes: { you: null, opponent: null },
  };
  return {
    ...shown,
    position: { ...position, last_trick: last, led: null, trick: position.trick + 1 },
    trick: { you: null, opponent: null },
    winner: null,
  };
}

/**
 * Return the table after an event.
 *
 * @param {Shown} shown
 * @param {GameEvent} event
 * @param {Session} session
 * @returns {Shown}
 */
export function shownAfter(shown, event, session) {
  const { position } = shown;
  const { card, by } = event;
  switch (event.kind) {
    case "trump":
      return { ...shown, position: { ...position, trump: card === null ? null : card[0] } };
    case "turn_up":
      if (card === null || position.face_up.includes(card)) return shown;
      return { ...shown, position: { ...position, face_up: [...position.face_up, card] } };
    case "keep":
    case "swap":
      if (by === null) return shown;
      return {
        ...shown,
        position: {
          ...position,
          hand: by === "you" && event.kind === "swap" ? session.position.hand : position.hand,
          exchanged: { ...position.exchanged, [by]: event.kind === "swap" },
        },
      };
    case "play":
      return card === null || by === null ? shown : played(shown, card, by);
    case "win":
      return by === null ? shown : won(shown, by, session);
    case "take":
    case "draw":
      return by === null ? shown : received(shown, event.kind, card, by);
    case "endgame":
      return { ...shown, position: { ...position, stage: "endgame", stock: 0, face_up: [] } };
    default:
      return shown;
  }
}

/** @param {Shown} before @param {string} card @param {Side} by @returns {Shown} */
function played(before, card, by) {
  const shown = before.winner === null ? before : shownSwept(before);
  const { position, trick } = shown;
  const led = position.led ?? { card, name: cardName(card), by };
  if (by === "you") {
    const hand = position.hand.filter((held) => held.card !== card);
    return { ...shown, position: { ...position, hand, led }, trick: { ...trick, you: card } };
  }
  const opponent = {
    ...position.opponent,
    cards: Math.max(position.opponent.cards - 1, 0),
    known: position.opponent.known.filter((held) => held !== card),
  };
  return { ...shown, position: { ...position, opponent, led }, trick: { ...trick, opponent: card } };
}

/** @param {Shown} shown @param {Side} by @param {Session} session @returns {Shown} */
function won(shown, by, session) {
  const { position } = shown;
  const counts = session.game.counts === "all" || position.stage === "endgame" ? 1 : 0;
  const before = position.tricks[by];
  const after = {
    ...before,
    [position.stage]: before[position.stage] + 1,
    counted: before.counted + counts,
  };
  return { ...shown, winner: by, position: { ...position, turn: null, tricks: { ...position.tricks, [by]: after } } };
}

/** @param {Shown} shown @param {string} kind @param {string | null} card @param {Side} by @returns {Shown} */
function received(shown, kind, card, by) {
  const { position } = shown;
  const next = {
    ...position,
    stock: Math.max(position.stock - 1, 0),
    face_up: kind === "take" ? position.face_up.filter((up) => up !== card) : position.face_up,
  };
  if (by === "opponent") {
    const known = kind === "take" && card !== null ? [...position.opponent.known, card] : position.opponent.known;
    next.opponent = { ...position.opponent, cards: position.opponent.cards + 1, known };
  } else if (card !== null && !position.hand.some((held) => held.card === card)) {
    const held = { card, name: cardName(card), playable: false, reason: null, seen: kind === "take" };
    next.hand = [...position.hand, held];
  }
  return { ...shown, position: next };
}
