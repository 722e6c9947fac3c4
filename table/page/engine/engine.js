// @ts-check
/**
 * The engine of German Whist in plain JavaScript. Python is the authority: the modules port its kernels, function by
 * function, and `tests/table` replays recorded deals through both.
 *
 * | module | port of |
 * | --- | --- |
 * | `cards.js` | `envs/engine/cards.py`, `actions.py`, `envs/utils/bit_kernels.py` |
 * | `rules.js` | holds what Python writes |
 * | `dealing.js` | `envs/engine/dealing_kernels.py`: deal `index` of `seed` is the same deal |
 * | `state.js` | `envs/engine/state_kernels.py`, `scoring.py`, `write_begins_endgame` in `envs/simulator/batch_kernels.py` |
 * | `view.js` | `envs/observation/view_kernels.py` |
 * | `history.js` | `envs/observation/history_kernels.py` |
 * | `greedy.js` | `agents/bots/greedy_kernels.py` |
 * | `heuristic/` | `agents/bots/heuristic/`: the textbook bot |
 * | `network/` | `agents/policy/`: canonical views, inputs, forward pass of `small` and `champion` |
 * | `solver/` | `solver/search/`: exact endgames |
 * | `open_hands.js` | `agents/endgame/open_hands.py`: exact margins of cards, the perfect card |
 * | `agents.js` | the agents by specification |
 *
 * How a deal is played:
 *
 *     setRules((await (await fetch("data.json")).json()).rules);
 *     const network = readNetwork(await (await fetch("small.safetensors")).arrayBuffer());
 *     const rules = rulesNamed("classic"), agent = makeAgent("small", rules, network);
 *     const state = deal(rules.game, dealDeck(rules.cards, randomSeed(), 0), 0);
 *     while (!state.done) play(rules.game, state, agent(viewOf(rules.game, state)));
 *     seatReturn(rules.game, state, "points");
 *
 * Everything is synchronous and keeps no state but the rules and the solver's transposition tables, so a worker may load
 * the same modules. An exact 13-card endgame takes milliseconds, at worst tenths of a second.
 */

export * from "./agents.js";
export * from "./cards.js";
export * from "./dealing.js";
export { greedyAction } from "./greedy.js";
export { heuristicAction } from "./heuristic/bot.js";
export { canonicalView, decodeAction } from "./network/canonical.js";
export { networkInputs } from "./network/inputs.js";
export { evaluate, readNetwork } from "./network/network.js";
export { bestCard, cardMargins, exactMargins, openHands } from "./open_hands.js";
export { historyOf } from "./history.js";
export * from "./rules.js";
export { endgameMoveValues, solveEndgame } from "./solver/values.js";
export { raceMoveMargins } from "./solver/races.js";
export * from "./state.js";
export * from "./view.js";
