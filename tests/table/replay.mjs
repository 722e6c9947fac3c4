/**
 * Replay a recording of `tests/table/replay.py` from standard input in the engine of the page, and stop at the first
 * difference: `node replay.mjs DATA`, where DATA is the folder with the engine's data files.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";

import "./kernels.mjs";
import { greedyAction, heuristicAction, pick } from "../../table/page/engine/agents.js";
import { lowest } from "../../table/page/engine/cards.js";
import { dealDeck } from "../../table/page/engine/dealing.js";
import { bestCard, exactMargins } from "../../table/page/engine/endgame.js";
import { historyOf } from "../../table/page/engine/history.js";
import { kernels } from "../../table/page/engine/kernels.js";
import { evaluate, readNetwork } from "../../table/page/engine/network.js";
import { rulesNamed, setRules } from "../../table/page/engine/rules.js";
import { deal as dealCards, isLegal, played as playedOn, seatReturn } from "../../table/page/engine/state.js";
import { viewOf } from "../../table/page/engine/view.js";

const data = process.argv[2];
setRules(JSON.parse(readFileSync(join(data, "data.json"), "utf8")).rules);
const networks = ["small", "champion"].map((name) => readNetwork(new Uint8Array(readFileSync(join(data, `${name}.safetensors`))).buffer));

/** The deck, of which only the deck's own cards are used. */
const LEFT_OUT = ["deck"];

const NOT_LEGAL_MARGIN = -128;

class Difference extends Error {}

/** Bytes from standard input. */
class Input {
  constructor(stream) {
    this.chunks = stream[Symbol.asyncIterator]();
    this.rest = Buffer.alloc(0);
  }

  async more() {
    const { done, value } = await this.chunks.next();
    if (!done) this.rest = this.rest.length ? Buffer.concat([this.rest, value]) : value;
    return !done;
  }

  async line() {
    for (;;) {
      const end = this.rest.indexOf(10);
      if (end >= 0) {
        const line = this.rest.subarray(0, end).toString();
        this.rest = this.rest.subarray(end + 1);
        return line;
      }
      if (!(await this.more())) return "";
    }
  }

  async bytes(count) {
    const parts = [];
    for (let missing = count; missing > 0;) {
      if (!this.rest.length && !(await this.more())) throw new Error("the recording ends within a block");
      const part = this.rest.subarray(0, missing);
      parts.push(part);
      this.rest = this.rest.subarray(part.length);
      missing -= part.length;
    }
    const buffer = new Uint8Array(count); // starts at 0: typed arrays have to be aligned
    let place = 0;
    for (const part of parts) {
      buffer.set(part, place);
      place += part.length;
    }
    return buffer;
  }
}

const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** The fields of a record that are compared. */
function fieldsOf({ fields }) {
  return Object.entries(fields)
    .filter(([name]) => !LEFT_OUT.includes(name))
    .map(([name, field]) => ({ ...field, name: camelCase(name), count: field.shape.reduce((a, b) => a * b, 1) }));
}

/** A number or mask of a field that may be an array of them, or of arrays. */
function partOf(value, shape, number) {
  if (shape.length < 2) return shape.length ? value[number] : value;
  return value[Math.floor(number / shape[1])][number % shape[1]];
}

/** Compare an object with a record of the recording, at `start` of `bytes`. */
function compareRecord(fields, object, bytes, start, what) {
  for (const { name, offset, bytes: size, count, shape } of fields) {
    for (let number = 0; number < count; number++) {
      const place = start + offset + size * number;
      const part = partOf(object[name], shape, number);
      if (size === 8) {
        const low = part[0] | (part[1] << 13) | (part[2] << 26);
        const high = (part[2] >> 6) | (part[3] << 7) | (part[4] << 20);
        const recorded = [bytes.getInt32(place, true), bytes.getInt32(place + 4, true)];
        if (low === recorded[0] && high === recorded[1]) continue;
        check(`${what}.${name}[${number}]`, hex(high) + hex(low), hex(recorded[1]) + hex(recorded[0]));
      } else if (Number(part) !== bytes.getInt8(place)) check(`${what}.${name}[${number}]`, part, bytes.getInt8(place));
    }
  }
}

const hex = (word) => (word >>> 0).toString(16).padStart(8, "0");

function check(what, value, recorded) {
  if (value !== recorded) throw new Difference(`${what} is ${value}, recorded ${recorded}`);
}

const WEIGHTS = Int32Array.from({ length: 1024 }, (_, i) => Math.imul(2654435761, 2 * i + 1));

/** The sum by which the recording holds a network's inputs. */
function hash(inputs) {
  let sum = 0;
  for (let i = 0; i < inputs.length; i++) sum = (sum + Math.imul(inputs[i], WEIGHTS[i])) | 0;
  return sum >>> 0;
}

const CHOICES = ["random", "greedy", "textbook", "network"];

/** Replay one block, and return how much was compared. */
async function replayBlock(header, input) {
  const { rules: spec, seed, first, deals, layouts } = header;
  const bytes = {};
  for (const { name, size } of header.columns) bytes[name] = (await input.bytes(size)).buffer;
  const stateFields = fieldsOf(layouts.state), viewFields = fieldsOf(layouts.view);
  const states = new DataView(bytes.state), ends = new DataView(bytes.end);
  const views = [new DataView(bytes.view0), new DataView(bytes.view1)];
  const deal = new Int16Array(bytes.deal), inputs = new Uint32Array(bytes.inputs);
  const names = ["judged", "exact", "action", ...CHOICES, "margins", "perfect", "tricks"];
  const column = Object.fromEntries(names.map((name) => [name, new Int8Array(bytes[name])]));
  const realNames = ["uniform", "advantage", "expected", "chance", "margin", "win", "points"];
  const real = Object.fromEntries(realNames.map((name) => [name, new Float64Array(bytes[name])]));

  const rules = rulesNamed(spec);
  const { game } = rules;
  const played = [], steps = new Array(deals).fill(0), actions = Array.from({ length: deals }, () => []);
  const histories = [0, 1].map((seat) => new Uint32Array(bytes[`history${seat}`]));
  let judged = 0, exact = 0, row = 0, current = 0;
  try {
    for (current = 0; current < deals; current++) {
      const index = first + current;
      const state = dealCards(game, dealDeck(rules, seed, index), index % 2);
      played.push(state);
      const offset = layouts.state.size * current + layouts.state.fields.deck.offset; // the first step has all deals
      state.deck.forEach((card, place) => check(`state.deck[${place}]`, card, states.getInt8(offset + place)));
    }
    for (; row < deal.length; row++) {
      current = deal[row];
      const state = played[current];
      compareRecord(stateFields, state, states, layouts.state.size * row, "state");
      const seen = [0, 1].map((seat) => viewOf(game, state, seat));
      seen.forEach((view, seat) => {
        compareRecord(viewFields, view, views[seat], layouts.view.size * row, `view of seat ${seat}`);
      });
      histories.forEach((sums, seat) => {
        const tokens = historyOf(game, state.deck, state.dealer, actions[current], seat);
        check(`history of seat ${seat}`, (hash(tokens.flat()) + tokens.length) >>> 0, sums[row]);
      });
      const view = seen[state.turn];
      check("random", pick(view.legal, real.uniform[row]), column.random[row]);
      check("greedy", greedyAction(view), column.greedy[row]);
      check("textbook", heuristicAction(view), column.textbook[row]);
      if (column.judged[row]) {
        const found = evaluate(networks[column.judged[row] - 1], rules, view);
        check("inputs", hash(new Int8Array(kernels.bots.memory, kernels.bots.records.evaluation.field.inputs, 456)), inputs[judged]);
        check("network", found.action, column.network[judged]);
        check("advantage", found.advantages.get(lowest(view.legal)), real.advantage[judged]);
        check("has a value", found.value !== null, !Number.isNaN(real.expected[judged]));
        if (found.value !== null) {
          check("expected", found.value.margin, real.expected[judged]);
          check("chance", found.value.win.toFixed(12), real.chance[judged].toFixed(12)); // the exponential is not rounded alike
        }
        judged += 1;
      }
      if (column.exact[row]) {
        const margins = exactMargins(view);
        for (let card = 0; card < 52; card++) {
          check(`margins[${card}]`, margins.get(card) ?? NOT_LEGAL_MARGIN, column.margins[52 * exact + card]);
        }
        check("perfect", bestCard(view), column.perfect[exact]);
        exact += 1;
      }
      check("legal", isLegal(state, column.action[row]), true);
      played[current] = playedOn(game, state, column.action[row]);
      actions[current].push(column.action[row]);
      steps[current] += 1;
    }
    for (current = 0; current < deals; current++) {
      compareRecord(stateFields, played[current], ends, layouts.state.size * current, "end");
      for (const reward of ["margin", "win", "points"]) {
        check(reward, seatReturn(game, played[current], reward), real[reward][current]);
      }
    }
  } catch (error) {
    if (!(error instanceof Difference)) throw error;
    const where = `${spec}, deal ${first + current} of seed ${seed}, action ${steps[current] + 1}`;
    throw new Difference(`${where}: ${error.message}`);
  }
  return { deals, positions: deal.length, "exact endgames": exact };
}

const input = new Input(process.stdin);
const total = { deals: 0, positions: 0, "exact endgames": 0 };
try {
  for (let line = await input.line(); line; line = await input.line()) {
    const compared = await replayBlock(JSON.parse(line), input);
    for (const what of Object.keys(total)) total[what] += compared[what];
  }
  const counts = Object.entries(total).map(([what, count]) => `${count.toLocaleString("en")} ${what}`);
  process.stdout.write(`${counts.join(", ")}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Difference ? error.message : error.stack}\n`);
  process.exitCode = 1;
  process.stdin.destroy();
}
