// @ts-check
/** Names for the data that the page shows, each of the type that the function which makes it returns. */

/**
 * @typedef {"best" | "good" | "inaccuracy" | "mistake" | "blunder" | "claimed"} Label
 * @typedef {"deal" | "trump" | "turn_up" | "keep" | "swap" | "play" | "win" | "leave" | "take" | "draw" | "endgame" | "claim" | "result" | "match"} EventKind
 * @typedef {"you" | "opponent"} Side
 * @typedef {"foreplay" | "endgame"} Stage
 * @typedef {"mine" | "theirs" | "lost"} Claim  what a player says of the end of a deal: all tricks left are mine, are the opponent's, or the deal is lost
 * @typedef {"card" | "pick" | "take_or_leave" | "keep_or_swap"} DecisionKind
 * @typedef {"play" | "practice" | "challenge" | "recording" | "lesson"} SessionKind
 */

/**
 * A session: a player against an agent.
 *
 * @typedef {ReturnType<typeof import("./session_data.js").sessionData> & {id: string, failed: import("./errors.js").PageError | null}} Session
 * @typedef {ReturnType<typeof import("./deal/position.js").position>} Position  a deal as you see it
 * @typedef {Position["hand"][number]} HandCard
 * @typedef {ReturnType<typeof import("./deal/position.js").decision>} Decision
 * @typedef {ReturnType<typeof import("./deal/position.js").result>} Result
 * @typedef {NonNullable<ReturnType<typeof import("./deal/position.js").lastTrick>>} LastTrick
 * @typedef {ReturnType<typeof import("./deal/position.js").playedTricks>[number]} PlayedTrick
 * @typedef {NonNullable<ReturnType<typeof import("./deal/snapshots.js").eventSnapshots>[number]>} Snapshot  what you saw of the table after an event
 * @typedef {ReturnType<typeof import("./deal/events.js").eventData>} GameEvent
 * @typedef {ReturnType<typeof import("./session_data.js").summaryData>} ListedSession
 */

/**
 * The coach.
 *
 * @typedef {ReturnType<typeof import("./coach/hints.js").hintOf>} Hint
 * @typedef {Hint["options"][number]} Option
 * @typedef {ReturnType<typeof import("./recall.js").recallData>} Recall
 * @typedef {Awaited<ReturnType<typeof import("./coach/reviews.js").review>>} Review
 * @typedef {Review["moves"][number]} Move
 * @typedef {Review["positions"][number]} OpenPosition
 * @typedef {NonNullable<Awaited<ReturnType<typeof import("./sessions.js").nextExercise>>>} Exercise  a position to practise
 * @typedef {ReturnType<typeof import("./practice.js").queueOf>} PracticeQueue
 * @typedef {ReturnType<typeof import("./coach/replays.js").compareWithSender>} Watch  what another player makes of your cards
 * @typedef {Watch["moves"][number]} WatchMove
 * @typedef {Awaited<ReturnType<typeof import("./coach/replays.js").houseResults>>[number]} HouseResult
 */

/**
 * What a deal brought before: the player in practice, the sender in a challenge.
 *
 * @typedef {object} Earlier
 * @property {string} text  the result in words
 * @property {boolean} swapped  whether you had the other hand then
 * @property {string | null} session  id of the session in which it was played; `null` if unknown
 * @property {number} deal  its number there, from 1
 * @property {number | null} move  number of the decision from which it goes on; `null`: from the start
 */

/**
 * The statistics.
 *
 * @typedef {Awaited<ReturnType<typeof import("./sessions.js").statistics>>} Statistics
 * @typedef {Statistics["groups"][number]} DealGroup
 * @typedef {NonNullable<DealGroup["luck"]>} Estimate
 * @typedef {NonNullable<Statistics["memory"]>} Memory
 */

/** @typedef {import("./data.js").Catalog} Catalog */

export {};
