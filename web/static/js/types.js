// @ts-check
/**
 * The objects of the web API (docs/reference/web-api.md), and what the page makes of them.
 *
 * @typedef {"you" | "opponent"} Side
 * @typedef {"foreplay" | "endgame"} Stage
 *
 * @typedef {{id: string, title: string, rules: string, agents: string[]}} Scoring
 * @typedef {{id: string, title: string, summary: string, rules: string, hand: number, stock: number, cards: number,
 *   choices: boolean, scorings: Scoring[], agents: string[]}} GameEntry
 * @typedef {{spec: string, title: string, level: string, strength: Record<string, string>, description: string}} AgentEntry
 * @typedef {{version: string, games: GameEntry[], agents: AgentEntry[],
 *   matches: {match: string | null, title: string}[],
 *   defaults: {rules: string, agent: string, match: string | null}, today: string}} Catalog
 *
 * @typedef {{card: string, name: string, playable: boolean, reason: string | null, seen: boolean}} HandCard
 * @typedef {{foreplay: number, endgame: number, counted: number}} Tricks
 * @typedef {{kind: "card" | "pick" | "take_or_leave" | "keep_or_swap", text: string,
 *   actions: {action: string, name: string}[]}} Decision
 * @typedef {{number: number, leader: Side, winner: Side, cards: Record<Side, string>,
 *   takes: Record<Side, string | null>}} LastTrick
 * @typedef {{text: string, winner: Side | null, margin: number, points: number, tricks: Record<Side, number>}} Result
 * @typedef {{stage: Stage, trump: string | null, low: boolean, trick: number, stock: number, face_up: string[],
 *   led: {card: string, name: string, by: Side} | null, hand: HandCard[],
 *   opponent: {cards: number, known: string[], voids: Record<string, number>},
 *   tricks: Record<Side, Tricks>, turn: Side | null, decision: Decision | null, last_trick: LastTrick | null,
 *   played: Record<Side, string[]>, discarded: string[], exchanged: Record<Side, boolean | null>, result: Result | null,
 *   open: {you: string[], opponent: string[], stock: string[]} | null}} Position
 *
 * @typedef {{number: number, kind: string, by: Side | null, card: string | null, trump: boolean, trick: number,
 *   text: string}} GameEvent
 * @typedef {{action: string, name: string, value: number, cost: number, win: number, best: boolean,
 *   trick: number | null, text: string}} Option
 * @typedef {{by: string, by_title: string, by_text: string, action: string, name: string, reason: string, exact: boolean, win: number,
 *   options: Option[], opponent: Record<string, {expected: number, void: number}>}} Hint
 * @typedef {{step: number, steps: number, text: string, wanted: string[] | null, done: boolean}} Lesson
 * @typedef {{title: string, text: string, hand: number, stock: number, foreplay: number, tricks: number,
 *   counts: "endgame" | "all", counted: number, race: number, suits: string, open_stock: number,
 *   choices: boolean}} Game
 * @typedef {{format: string | null, title: string, target: number | null, score: Record<Side, number>,
 *   deals_won: Record<Side, number>, deals_drawn: number, deals: number, winner: Side | null}} Match
 * @typedef {{deal: number, text: string, winner: Side | null, margin: number, points: number,
 *   assisted: boolean}} FinishedDeal
 * @typedef {{salt: string, deck: string, text: string}} Disclosure
 * @typedef {{id: string, version: number, kind: "play" | "practice" | "recording" | "lesson", title: string,
 *   rules: string, game: Game, agent: {spec: string, title: string}, day: string | null, match: Match,
 *   deals: FinishedDeal[],
 *   deal: {number: number, seat: number, dealer: Side, assisted: boolean, commitment: string,
 *     disclosure: Disclosure | null},
 *   position: Position, events: GameEvent[],
 *   can: {act: boolean, hint: boolean, take_back: boolean, next: boolean, review: boolean,
 *     swap: boolean},
 *   earlier: {text: string, swapped: boolean} | null, hint: Hint | null, lesson: Lesson | null}} Session
 * @typedef {{id: string, kind: string, title: string, rules: string, agent: string, match: string | null, day: string | null, updated: string, finished: boolean, in_play: boolean}} Summary
 *
 * @typedef {{number: number, trick: number, stage: Stage, by: Side, action: string, name: string, text: string,
 *   best: string, best_name: string, cost: number, win_cost: number, exact: boolean, judge: string,
 *   judge_title: string, reason: string, options: Option[]}} Move
 * @typedef {{you: string[], opponent: string[], face_up: string[], stock: string[],
 *   led: {card: string, by: Side} | null, turn: Side | null, tricks: Record<Side, number>,
 *   score: Record<Side, number>}} OpenPosition
 * @typedef {{deal: number, rules: string, agent: {spec: string, title: string}, seat: number, trump: string | null,
 *   low: boolean, names: Record<Side, string>, result: Result, accuracy: Record<Side, number | null>,
 *   cost: Record<Side, number>, luck: number, win_curve: number[], moves: Move[], mistakes: number[],
 *   positions: OpenPosition[]}} Review
 * @typedef {{number: number, by: Side, action: string, name: string, text: string, yours: string | null}} WatchMove
 * @typedef {{title: string, trump: string | null, recording: string, result: Result, compare: {you: number, agent: number}, moves: WatchMove[],
 *   positions: OpenPosition[]}} Watch
 *
 * @typedef {{rules: string, agent: string, assisted: boolean, deals: number, won: number, drawn: number, lost: number,
 *   margin: number, accuracy: number | null, luck: number | null, skill: number | null, slams: number,
 *   streak: {now: number, longest: number}}} Group
 * @typedef {{deals: number, since: string | null, groups: Group[],
 *   matches: {rules: string, agent: string, match: string, assisted: boolean, won: number, lost: number}[],
 *   streak: {now: number, longest: number},
 *   recent: {time: string, rules: string, agent: string, margin: number, points: number, assisted: boolean,
 *     accuracy: number | null, luck: number | null, day: string | null}[]}} Statistics
 *
 * What the table shows: a position, and the trick that lies on the table. Events change it step by step.
 *
 * @typedef {object} Shown
 * @property {Position} position
 * @property {{you: string | null, opponent: string | null}} trick
 * @property {Side | null} winner  of the trick on the table, once both cards lie there
 * @property {boolean} waiting  the hand cannot be used: events are being shown, or the agent is to play
 */

export {};
