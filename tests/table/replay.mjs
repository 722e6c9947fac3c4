/**
 * Replay a recording of `tests/table/replay.py` from standard input in the kernels of the page, and stop at the first
 * difference: `node replay.mjs DATA`, where DATA is the folder with the page's data files.
 */

import { readFileSync, readSync } from "node:fs";
import { join } from "node:path";

import "./kernels.mjs";
import { pick } from "../../table/page/engine/agents.js";
import { kernels } from "../../table/page/engine/kernels.js";
import { evaluate, readNetwork } from "../../table/page/engine/network.js";
import { rulesNamed, setRules } from "../../table/page/engine/rules.js";

const data = process.argv[2];
setRules(JSON.parse(readFileSync(join(data, "data.json"), "utf8")).rules);
const networks = ["small", "champion"].map((name) =>
  readNetwork(new Uint8Array(readFileSync(join(data, `${name}.safetensors`))).buffer),
);
const { rules: engine, bots } = kernels;
const engineMemory = new Uint8Array(engine.memory);
const botsMemory = new Uint8Array(bots.memory);
const { state, view, deal: log } = engine.records;
const REWARDS = ["margin", "win", "points"];

class Difference extends Error {}

/** So many bytes from standard input; null at its end. */
function read(count) {
  const bytes = new Uint8Array(count); // starts at 0: typed arrays have to be aligned
  for (let filled = 0; filled < count; ) {
    const more = readSync(0, bytes, filled, count - filled);
    if (more === 0) return null;
    filled += more;
  }
  return bytes;
}

function check(what, value, recorded) {
  if (!Object.is(value, recorded)) throw new Difference(`${what} is ${value}, recorded ${recorded}`);
}

/** Compare bytes of a memory with a row of a column. */
function checkBytes(what, memory, address, { bytes, row: size }, row) {
  const recorded = bytes.subarray(size * row, size * (row + 1));
  for (let place = 0; place < size; place++)
    check(`byte ${place} of the ${what}`, memory[address + place], recorded[place]);
}

/** Check that a record survives being read into an object and written again. */
function checkRecord(what, record, column, row) {
  const object = record.read();
  engineMemory.fill(0, record.at, record.at + column.row);
  record.write(object);
  checkBytes(`${what} as an object`, engineMemory, record.at, column, row);
}

/** Replay one block, and return how much was compared. */
function replayBlock({ rules: spec, seed, first, deals, columns }) {
  const column = {};
  for (const { name, size, row, kind } of columns) {
    const bytes = read(size);
    column[name] = Object.assign(new globalThis[kind](bytes.buffer), { bytes, row });
  }
  const rules = rulesNamed(spec);
  const game = engine.records.rules.write(rules.game);
  bots.records.rules.write(rules.game);
  const states = [];
  const actions = Array.from({ length: deals }, () => []);
  let judged = 0;
  let exact = 0;
  let row = 0;
  let current = 0;
  const stateSize = column.state.row;
  const viewSize = column.view0.row;
  const keep = () => engineMemory.slice(state.at, state.at + stateSize);
  try {
    for (current = 0; current < deals; current++) {
      engineMemory.fill(0, state.at, state.at + stateSize);
      engine.call.write_deck(game, state.at, BigInt(seed), BigInt(first + current));
      engine.call.deal(game, state.at, (first + current) % 2);
      states.push(keep());
    }
    for (; row < column.deal.length; row++) {
      current = column.deal[row];
      engineMemory.set(states[current], state.at);
      checkBytes("state", engineMemory, state.at, column.state, row);
      const turn = engineMemory[state.field.turn];
      for (const seat of [1 - turn, turn]) {
        engine.call.see(game, state.at, seat, view.at);
        checkBytes(`view of seat ${seat}`, engineMemory, view.at, column[`view${seat}`], row);
      }
      if (row % 8 === 0) {
        checkRecord("view", view, column[`view${turn}`], row);
        checkRecord("state", state, column.state, row);
      }
      botsMemory.set(engineMemory.subarray(view.at, view.at + viewSize), bots.at.view);
      const seen = view.read();
      check("random", pick(seen.legal, column.uniform[row]), column.random[row]);
      check("greedy", bots.call.greedy(bots.at.view), column.greedy[row]);
      check("textbook", bots.call.heuristic(bots.at.view), column.textbook[row]);
      if (column.judged[row]) {
        const found = evaluate(networks[column.judged[row] - 1], rules, seen);
        checkBytes("inputs", botsMemory, bots.records.evaluation.field.inputs, column.inputs, judged);
        check("network", found.action, column.network[judged]);
        column.advantages.subarray(54 * judged, 54 * (judged + 1)).forEach((recorded, action) => {
          check(`advantage of ${action}`, found.advantages.get(action) ?? NaN, recorded);
        });
        check("expected", found.value?.margin ?? NaN, column.expected[judged]);
        check("chance", (found.value?.win ?? NaN).toFixed(12), column.chance[judged].toFixed(12)); // the exponential is not rounded alike
        judged += 1;
      }
      if (column.exact[row]) {
        bots.call.solve_cards(bots.at.view, bots.at.solver);
        checkBytes("margins", botsMemory, bots.records.solver.field.margins, column.margins, exact);
        check("perfect", bots.call.best_card(bots.at.view, bots.at.solver), column.perfect[exact]);
        exact += 1;
      }
      check("legal", engine.call.legality(state.at, column.action[row]), 1);
      engine.call.play(game, state.at, column.action[row]);
      states[current] = keep();
      actions[current].push(column.action[row]);
    }
    for (current = 0; current < deals; current++) {
      engineMemory.set(states[current], state.at);
      checkBytes("end", engineMemory, state.at, column.end, current);
      REWARDS.forEach((reward, number) =>
        check(reward, engine.call.seat_return(game, state.at, number), column[reward][current]),
      );
      log.write({ actions: actions[current] });
      for (const seat of [0, 1]) {
        const length = engine.call.history(
          game,
          state.at,
          log.at,
          actions[current].length,
          seat,
          engine.at.scratchState,
        );
        check(`events of seat ${seat}`, length, column[`events${seat}`][current]);
        checkBytes(`history of seat ${seat}`, engineMemory, log.field.tokens, column[`history${seat}`], current);
      }
    }
  } catch (error) {
    if (!(error instanceof Difference)) throw error;
    throw new Difference(
      `${spec}, deal ${first + current} of seed ${seed}, action ${actions[current].length + 1}: ${error.message}`,
    );
  }
  return { deals, positions: column.deal.length, "exact endgames": exact };
}

const total = { deals: 0, positions: 0, "exact endgames": 0 };
try {
  for (let size = read(4); size !== null; size = read(4)) {
    const header = JSON.parse(new TextDecoder().decode(read(new DataView(size.buffer).getUint32(0, true))));
    const compared = replayBlock(header);
    for (const what of Object.keys(total)) total[what] += compared[what];
  }
  const counts = Object.entries(total).map(([what, count]) => `${count.toLocaleString("en")} ${what}`);
  process.stdout.write(`${counts.join(", ")}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Difference ? error.message : error.stack}\n`);
  process.exitCode = 1;
}
