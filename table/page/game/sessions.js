// @ts-check
/**
 * Everything that the page does with sessions, as plain functions. Each reads its session from the store and saves
 * what it has changed, so tabs see each other's games, and a reload or a crash loses nothing.
 */

import { rulesNamed } from "../engine/rules.js";
import { agentTitle, knowsRules } from "./catalogue.js";
import { claimed } from "./coach/claims.js";
import { exerciseData } from "./coach/exercises.js";
import { hintOf } from "./coach/hints.js";
import {
  compareWithSender,
  houseResults,
  tryAction as otherAction,
  watch as replay,
  swapSeats,
} from "./coach/replays.js";
import { review as reviewOf } from "./coach/reviews.js";
import { dataNow, loadData } from "./data.js";
import { Episode } from "./deal/episode.js";
import { unreadable } from "./deal/finished.js";
import { PageError } from "./errors.js";
import { teacherCard } from "./lesson.js";
import { answered as answeredExercise, BOXES, dueOf, exercisesOf, queueOf } from "./practice.js";
import { Rater } from "./rating.js";
import { recordingLine } from "./recording.js";
import { lessonSession, loadedSession, savedSession } from "./saved.js";
import { randomHex, sealOf } from "./seal.js";
import { Session } from "./session.js";
import { sessionData, summaryData } from "./session_data.js";
import { daySetup, randomSeed, setupOf, today } from "./setup.js";
import { challengeOf, codeOf, dealAt, decoded, openRecordings, readDeals } from "./shared_deals.js";
import { accuracyOfDeals, countDeals, summary } from "./statistics.js";
import { Store } from "./store.js";
import { advise, adviseBeside, act as agentActs, isWarm, load, playOut } from "./thinking.js";

/** @typedef {import("./types.js").Session} SessionData */
/** @typedef {import("./types.js").Review} Review */

/**
 * A session that is being worked on.
 *
 * @typedef {object} Entry
 * @property {string} id
 * @property {Session} session
 * @property {number | null} seen the version that was read; null: it is new
 * @property {number} counted finished deals when it was last saved
 * @property {PageError | null} failed why the agent has not played, if it was asked and could not
 */

/** @type {Entry | null} the game that was shown last, while nobody works on it: the next card need not replay its deal */
let atHand = null;

const MAX_SAVED = 2000;
const MAX_REVIEWS = 20; // kept in memory
const EXPORT = "german-whist games";
const EXPORT_VERSION = 1;

export const store = new Store();

/** @type {Map<string, {urgent: boolean, found: Promise<Review>}>} by session and deal */
const reviews = new Map();

let waiting = 0;
let answered = performance.now();

const rater = new Rater({
  isIdle: (length) => waiting === 0 && performance.now() - answered >= length,
  counted: () => store.counted(),
  review: (id, deal, session) => makeReview(id, session, deal - 1, false),
  session: (id) => look(id).catch(() => null),
  rate: (id, deal, rating) => store.rate(id, deal, rating),
});

/**
 * Do what the player waits for; the rater rests meanwhile.
 *
 * @template Answer
 * @param {() => Promise<Answer>} work
 * @returns {Promise<Answer>}
 */
async function inForeground(work) {
  waiting += 1;
  try {
    return await work();
  } catch (error) {
    throw forPlayer(error);
  } finally {
    waiting -= 1;
    answered = performance.now();
  }
}

/** @param {unknown} error @returns {unknown} a plain Error, which reports bad input, as a PageError; subclasses, such as a TypeError, are bugs */
const forPlayer = (error) =>
  error instanceof Error && error.constructor === Error ? new PageError("refused", error.message) : error;

/** @returns {Promise<import("./types.js").Catalog>} what can be played */
export const catalog = () => inForeground(async () => (await loadData()).catalog);

/** @param {{rules?: string, agent?: string, match?: string | null, seed?: number, seat?: number}} choices @returns {Promise<SessionData>} a new game */
export function create({ rules, agent, match = null, seed, seat }) {
  return inForeground(async () => {
    const {
      catalog: { defaults },
      seed: fixed,
    } = dataNow();
    const chosen = agent ?? defaults.agent;
    const setup = setupOf({
      rules: rules ?? defaults.rules,
      agent: chosen,
      match,
      seed: seed ?? fixed ?? randomSeed(),
      seat: seat ?? randomSeed() % 2,
    });
    const session = new Session(setup, agentTitle(setup.agent));
    if (seed === undefined && fixed === null) session.seal = await sealOf(setup.seed);
    return add(session);
  });
}

/** @param {string} date as `2026-11-21` @returns {Promise<SessionData>} the deal of that day, which everybody plays once: the game in which it was begun, else a new one */
export const dealOfDay = (date) =>
  inForeground(async () => {
    const setup = daySetup(date);
    const before = (await store.allSessions()).find((saved) => saved.settings.day === date);
    return before === undefined ? add(new Session(setup, agentTitle(setup.agent))) : open(before.id);
  });

/** @param {string} id a deal of the day that is over @returns what agents make of the player's cards */
export const house = (id) => inForeground(async () => houseResults(await look(id)));

/** @returns {Promise<SessionData>} a game with the lesson */
export const lesson = () => inForeground(() => add(lessonSession()));

/** @returns all games, the one played last first */
export const list = () =>
  inForeground(async () => {
    const [saved, { deals }] = await Promise.all([store.allSessions(), store.counted()]);
    saved.sort((one, other) => other.updated - one.updated);
    /** @type {Map<string, import("./store.js").CountedDeal[]>} */
    const counted = new Map(saved.map(({ id }) => [id, []]));
    for (const deal of deals) counted.get(deal.session)?.push(deal);
    return saved.map((row) => summaryData(row, accuracyOfDeals(counted.get(row.id) ?? [])));
  });

/** @param {string} id @returns {Promise<SessionData>} a game; if it is the agent's turn, because it has failed or the page was closed meanwhile, it is asked again */
export const open = (id) =>
  inForeground(async () => {
    const [entry] = await Promise.all([take(id), isWarm()]);
    await reply(entry);
    return shown(entry);
  });

/** @param {string} id @returns {Promise<void>} */
export const remove = (id) => inForeground(() => store.deleteSession(id));

/** @param {SessionData} seen @param {number} action the player's action @returns {Promise<SessionData>} data with the agent's answer */
export const act = (seen, action) => change(seen, (session) => session.act(action));

/** @param {SessionData} seen @param {boolean} choices whether forced cards do not count @returns {Promise<SessionData>} data back at the player's last decision */
export const takeBack = (seen, choices) => change(seen, (session) => session.takeBack(choices));

/** @param {SessionData} seen @param {import("./types.js").Claim} claim @returns {Promise<SessionData>} the deal at its end, if best play ends it so */
export const claim = (seen, claim) =>
  change(seen, async (session) => session.claim(await claimed(session.deal, claim)));

/** @param {SessionData} seen @returns {Promise<SessionData>} data with the next deal */
export const next = (seen) => change(seen, (session) => session.nextDeal());

/** @param {SessionData} seen between two deals @returns {Promise<SessionData>} data at its end, with the seed */
export const reveal = (seen) => change(seen, (session) => session.reveal());

/** @param {SessionData} seen @param {number[]} cards the answer to the memory quiz @returns {Promise<SessionData>} */
export const recall = (seen, cards) => change(seen, (session) => session.recall(cards));

/** @param {SessionData} seen @returns {Promise<SessionData>} data with what the judge would play */
export const hint = (seen) =>
  change(seen, async (session) => {
    const { deal, setup } = session;
    const step = deal.actions.length;
    const advice = await Promise.all([advise(deal, step, false), adviseBeside(deal, step, setup.agent)]);
    session.help(hintOf(deal.view(deal.turn), deal.rules, ...advice));
  });

/** @param {string} id @param {number} deal its number, from 1 @returns {Promise<Review>} what every decision of a finished deal was worth */
export const review = (id, deal) =>
  inForeground(async () => {
    const session = await look(id);
    const found = await makeReview(id, session, deal - 1, true);
    await rater.rate(id, deal, found);
    return found;
  });

/** @param {string} id @param {number | null} deal null: all finished deals @returns as text and, of one deal, as a code */
export const recording = (id, deal) =>
  inForeground(async () => {
    const session = await look(id);
    const deals = deal === null ? session.finished : [session.finished[deal - 1]];
    const lines = deals.map((one) => recordingLine(one.deal, session.recordedNames)).join("\n");
    return { recording: lines, code: deal === null ? null : await codeOf(lines) };
  });

/** @param {string} id @param {number} deal @param {number} move @param {number} action @returns {Promise<SessionData>} practice from a decision on, with another action */
export const tryAction = (id, deal, move, action) =>
  derive(id, (session) => otherAction(session, deal - 1, move, action));

/** @param {string} id @param {number} deal @returns {Promise<SessionData>} practice with the seats swapped */
export const swap = (id, deal) => derive(id, (session) => swapSeats(session, deal - 1));

/** @param {string} id @param {number} deal @param {number | null} [move] @returns what the agent makes of the player's cards, or perfect play from a decision on */
export const watch = (id, deal, move = null) => inForeground(async () => replay(await look(id), deal - 1, move));

/** @param {string} id a challenge @returns what the sender made of the same cards */
export const compare = (id) => inForeground(async () => compareWithSender(await look(id)));

/**
 * Let two agents play mirrored deals: each twice, the second time with the seats swapped.
 *
 * @param {string} rules
 * @param {[string, string]} agents the agents by seat in the first deal
 * @param {number} deals how many mirrored deals
 * @returns {Promise<SessionData>} a game that holds them
 */
export const exhibit = (rules, agents, deals) =>
  inForeground(async () => {
    const seed = dataNow().seed ?? randomSeed();
    /** @type {[string, string]} */
    const swapped = [agents[1], agents[0]];
    const played = [];
    for (let index = 0; index < deals; index++)
      for (const names of [agents, swapped])
        played.push({ deal: await playOut(Episode.atAddress(rulesNamed(rules), seed, index), names), names });
    return add(openRecordings(played));
  });

/** @param {string} text recordings @returns {Promise<SessionData>} a game that holds them */
export const openShared = (text) => inForeground(async () => add(openRecordings(readDeals(text))));

/** @param {string} code recordings as text @returns {Promise<SessionData>} a game that holds them */
export const openCode = (code) => inForeground(async () => add(openRecordings(readDeals(await decoded(code)))));

/** @param {string} address `SEED,INDEX` or `RULES,SEED,INDEX` @returns {Promise<SessionData>} practice with that deal */
export const openDeal = (address) => inForeground(() => add(dealAt(address, dataNow().catalog.defaults)));

/** @param {string} code a challenge's code @returns {Promise<SessionData>} the challenge in it; it is played once */
export const openLink = (code) =>
  inForeground(async () => {
    const line = await decoded(code);
    const before = (await store.allSessions()).find(({ sent }) => sent === line);
    return before === undefined ? add(challengeOf(line)) : open(before.id);
  });

export const statistics = () =>
  inForeground(async () => {
    const [counted, practice] = await Promise.all([store.counted(), practiceQueue()]);
    return { ...summary(counted), pending: rater.pending(counted.deals), practice };
  });

/** @returns {Promise<import("./practice.js").Exercise[]>} the mistakes to practise in games that the page plays */
const exercises = async () => (await store.allExercises()).filter(({ rules }) => knowsRules(rules));

/** @returns how many mistakes there are to practise */
export const practiceQueue = () => inForeground(async () => queueOf(await exercises(), today()));

/** @returns the next mistake to practise, and how many are due with it; null: none is */
export const nextExercise = () =>
  inForeground(async () => {
    const due = dueOf(await exercises(), today());
    return due.length === 0 ? null : { due: due.length, ...(await exerciseData(due[0])) };
  });

/** @param {import("./practice.js").Exercise} exercise @param {boolean} right @returns {Promise<void>} */
export const answerExercise = (exercise, right) =>
  inForeground(() => store.putExercise(answeredExercise(exercise, right, today())));

/** @returns {Promise<void>} */
export const clearStatistics = () => inForeground(() => store.clearCounted());

/** @returns {Promise<string>} all games, everything that has been counted, and the mistakes to practise, as JSON */
export const exportAll = () =>
  inForeground(async () => {
    const [saved, counted, practised] = await Promise.all([store.allSessions(), store.counted(), store.allExercises()]);
    return JSON.stringify({
      format: EXPORT,
      version: EXPORT_VERSION,
      sessions: saved,
      ...counted,
      exercises: practised,
    });
  });

/** @param {string} text what `exportAll` wrote @returns {Promise<number>} how many games, counted deals and mistakes were not here before @throws {PageError} if it is something else */
export const importAll = (text) =>
  inForeground(async () => {
    let given;
    try {
      given = JSON.parse(text);
    } catch {
      given = null;
    }
    const { format, version, sessions: saved, deals, matches, exercises: practised = [] } = given ?? {};
    if (format !== EXPORT || version !== EXPORT_VERSION || ![saved, deals, matches, practised].every(Array.isArray)) {
      throw new PageError("refused", "This is not a file of games saved by German Whist.");
    }
    const isSession = (/** @type {any} */ row) =>
      typeof row?.id === "string" &&
      typeof row.updated === "number" &&
      typeof row.settings?.rules === "string" &&
      Array.isArray(row.deals);
    const isCounted = (/** @type {any} */ row) =>
      typeof row?.session === "string" && typeof row.time === "string" && typeof row.rules === "string";
    const isDeal = (/** @type {any} */ row) => isCounted(row) && Number.isInteger(row.deal);
    const isExercise = (/** @type {any} */ row) =>
      [row?.rules, row?.deck, row?.actions, row?.due].every((text) => typeof text === "string") && row.box in BOXES;
    if (!saved.every(isSession) || !deals.every(isDeal) || !matches.every(isCounted) || !practised.every(isExercise))
      throw new PageError("refused", "This file of games is damaged.");
    for (const deal of saved.flatMap((/** @type {any} */ row) => row.deals)) delete deal?.result; // a file may say anything
    const added = await store.merge(saved, { deals, matches }, practised);
    if (added === null) throw new PageError("refused", "Your browser saves nothing here.");
    return added;
  });

/** @param {string} id @returns {Promise<Entry>} an entry that nobody else works on @throws {PageError} if there is no such game, or it is damaged */
async function take(id) {
  const saved = await store.session(id);
  if (saved === null) throw new PageError("not_found", "There is no such game in this browser.");
  if (atHand?.id === id && atHand.session.version === saved.version) {
    const entry = atHand;
    atHand = null;
    entry.failed = null;
    entry.session.hint = null;
    return entry;
  }
  try {
    const session = loadedSession(saved);
    return { id, session, seen: saved.version, counted: session.finished.length, failed: null };
  } catch (error) {
    throw error instanceof PageError ? error : unreadable(error);
  }
}

/** @param {string} id @returns {Promise<Session>} a session to look at its finished deals, which nothing changes any more */
async function look(id) {
  const entry = await take(id);
  atHand = entry;
  return entry.session;
}

/** Save a game; its finished deals are counted and will be rated. @param {Entry} entry */
async function save(entry) {
  const { id, session, seen, counted } = entry;
  const { deals, match } = (await isReplay(entry)) ? { deals: [], match: null } : countDeals(id, session, counted);
  if (!(await store.save(savedSession(id, session), seen, deals, match))) throw await moved(id);
  [entry.seen, entry.counted] = [session.version, session.finished.length];
  if (deals.length > 0) rater.wake();
}

/** @param {Entry} entry @returns {Promise<boolean>} whether it is a deal of a day that has been counted before: only the first try counts */
async function isReplay({
  id,
  session: {
    setup: { day },
  },
}) {
  return day !== null && (await store.counted()).deals.some((deal) => deal.day === day && deal.session !== id);
}

/** @param {string} id @returns {Promise<PageError>} */
const moved = async (id) =>
  new PageError("moved", "The game has moved on in another window.", { session: shown(await take(id)) });

/** Let the agent act until it is the player's turn, the deal is over or the agent fails, and save what it did. @param {Entry} entry */
async function reply(entry) {
  const { session } = entry;
  try {
    while (session.waitsForAgent) {
      const scripted = session.setup.kind === "lesson" ? teacherCard(session.deal) : null;
      session.play(scripted ?? (await agentActs(session.setup.agent, session.deal)));
    }
  } catch (error) {
    const failed = forPlayer(error);
    if (!(failed instanceof PageError)) throw failed;
    entry.failed = failed;
  }
  if (session.version !== entry.seen) await save(entry);
}

/**
 * Change a game that is still as the page shows it, save it, let the agent act and return it.
 *
 * @param {SessionData} seen
 * @param {(session: Session) => void | Promise<void>} work
 * @returns {Promise<SessionData>}
 */
function change({ id, version }, work) {
  return inForeground(async () => {
    const entry = await take(id);
    if (entry.session.version !== version) throw await moved(id);
    await work(entry.session);
    await save(entry); // safe before the agent thinks
    await reply(entry);
    return shown(entry);
  });
}

/** @param {Session} session @returns {Promise<SessionData>} data in which the agent has begun if it is its turn */
async function add(session) {
  /** @type {Entry} */
  const entry = { id: randomHex(8), session, seen: null, counted: 0, failed: null };
  const loading = load(session.setup.agent);
  if (session.waitsForAgent) await loading;
  else loading.catch(() => {}); // there may be a connection when it is needed
  await forgetOld();
  await save(entry);
  await reply(entry);
  return shown(entry);
}

/** @param {string} id @param {(session: Session) => Session} make @returns {Promise<SessionData>} a new game that is made from another one, and remembers it */
function derive(id, make) {
  return inForeground(async () => {
    const made = make(await look(id));
    if (made.earlier !== null) made.earlier.session = id;
    return add(made);
  });
}

/** If there are too many games, delete the oldest of those that are over, not of kind `play`, or between two deals without a match. */
async function forgetOld() {
  const saved = await store.allSessions();
  if (saved.length < MAX_SAVED) return;
  const idle = saved.filter(
    ({ finished, settings: setup, inPlay }) => finished || setup.kind !== "play" || (setup.match === null && !inPlay),
  );
  idle.sort((one, other) => one.updated - other.updated);
  for (const { id } of idle.slice(0, saved.length - MAX_SAVED + 1)) await store.deleteSession(id);
}

/** @param {string} id @param {Session} session @param {number} place @param {boolean} urgent whether somebody waits for it @returns {Promise<Review>} worked out once */
async function makeReview(id, session, place, urgent) {
  const key = `${id} ${place}`;
  const known = reviews.get(key);
  if (known !== undefined) {
    known.urgent ||= urgent;
    return known.found;
  }
  const asked = { urgent }; // once somebody waits for it, it stops resting
  const rest = () => (asked.urgent ? Promise.resolve() : rater.idle(() => asked.urgent));
  const found = workOut(session, place, rest);
  reviews.set(key, Object.assign(asked, { found }));
  found.catch(() => reviews.delete(key));
  const [oldest] = reviews.keys(); // a map keeps the order of insertion
  if (reviews.size > MAX_REVIEWS) reviews.delete(oldest);
  return found;
}

/** @param {Session} session @param {number} place @param {() => Promise<void>} rest @returns {Promise<Review>} a review whose mistakes come back for practice, but for those of a recording, and those before and at the card that was tried */
async function workOut(session, place, rest) {
  const { deal } = session.finished[place];
  const found = await reviewOf(deal, session, rest);
  const chosen = session.setup.kind === "recording" ? [] : found.moves.slice(session.earlier?.move ?? 0);
  await store.addExercises(exercisesOf(deal, chosen, session.title, today()));
  return found;
}

/** @param {Entry} entry which is at hand from now on @returns {SessionData} as the page shows it */
function shown(entry) {
  atHand = entry;
  const { id, session, failed } = entry;
  return { id, failed, ...sessionData(session) };
}
