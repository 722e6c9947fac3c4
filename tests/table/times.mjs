/**
 * How long the engine of the page takes: `python -m german_whist.table.page_data DATA && node tests/table/times.mjs DATA [DEALS]`.
 *
 * Times of moves of the networks in the foreplay, and of endgames of 13 cards from cold: the values of all cards, then the
 * perfect card with its ties broken.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";

import * as engine from "../../table/page/engine/engine.js";
import { raceSearchOf } from "../../table/page/engine/solver/races.js";
import { searchOf } from "../../table/page/engine/solver/values.js";

const [data, deals = "200"] = process.argv.slice(2);
engine.setRules(JSON.parse(readFileSync(join(data, "data.json"), "utf8")).rules);
const networks = engine.NETWORKS.map((name) => engine.readNetwork(new Uint8Array(readFileSync(join(data, `${name}.safetensors`))).buffer));

function report(what, times) {
  const sorted = [...times].sort((a, b) => a - b);
  const [median, most] = [sorted[sorted.length >> 1], sorted[sorted.length - 1]].map((time) => time.toFixed(2));
  console.log(`${what}: median ${median} ms, most ${most} ms of ${times.length}`);
}

function timed(times, call) {
  const start = performance.now();
  const found = call();
  times.push(performance.now() - start);
  return found;
}

for (const spec of ["classic", "no_trump", "high_low", "race9"]) {
  const rules = engine.rulesNamed(spec), agents = networks.map((network) => engine.makeAgent(network.name, rules, network));
  const moves = agents.map(() => []), values = [], cards = [];
  for (let index = 0; index < Number(deals); index++) {
    const state = engine.deal(rules.game, engine.dealDeck(rules.cards, 1, index), index % 2);
    while (!state.done && !engine.beginsEndgame(rules.game, state)) {
      const view = engine.viewOf(rules.game, state), [action] = agents.map((agent, place) => timed(moves[place], () => agent(view)));
      engine.play(rules.game, state, action);
    }
    if (state.done) continue; // a race may end in the foreplay
    const view = engine.viewOf(rules.game, state);
    const plain = searchOf(view.trump >= 0, view.low === 1);
    for (const { lows, highs } of [plain.transpositions, raceSearchOf(view.trump >= 0)]) {
      lows.fill(0);
      highs.fill(0);
    }
    timed(values, () => engine.exactMargins(view));
    timed(cards, () => engine.bestCard(engine.openHands(view)));
  }
  networks.forEach(({ name }, place) => report(`${spec}, a move of ${name}`, moves[place]));
  report(`${spec}, values of all cards`, values);
  report(`${spec}, the perfect card after that`, cards);
}
