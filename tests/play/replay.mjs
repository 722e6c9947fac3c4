/**
 * Replay a recording of `tests/play/record.py` from standard input in the engine of the page, and stop at the first
 * difference: `node replay.mjs DATA`, where DATA is the folder with the engine's data files.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";

import * as engine from "../../docs/play/local/engine/engine.js";

const data = process.argv[2];
engine.setRules(JSON.parse(readFileSync(join(data, "rules.json"), "utf8")));
const networks = engine.readNetworks(new Uint8Array(readFileSync(join(data, "small.safetensors"))).buffer);

/** Fields of humbug, which this engine does not play; and the deck, of which only the deck's own cards are used. */
const LEFT_OUT = ["discarded", "exchanged", "exchanged_self", "exchanged_opponent", "deck"];

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

/** Readers of the fields of a record: [name in JavaScript, offset, bytes of a number, how many]. */
function fieldsOf(layout) {
  return Object.entries(layout.fields)
    .filter(([name]) => !LEFT_OUT.includes(name))
    .map(([name, { offset, bytes, shape }]) => [camelCase(name), offset, bytes, shape.reduce((a, b) => a * b, 1), shape]);
}

/** Compare an object with a record of the recording, at `start` of `bytes`. */
function compareRecord(fields, object, bytes, start, what) {
  for (const [name, offset, size, count, shape] of fields) {
    const value = object[name];
    for (let number = 0; number < count; number++) {
      const place = start + offset + size * number;
      const part = shape.length === 0 ? value : shape.length === 1 ? value[number] : value[(number / shape[1]) | 0][number % shape[1]];
      if (size === 8) {
        const low = part[0] | (part[1] << 13) | (part[2] << 26);
        const high = (part[2] >> 6) | (part[3] << 7) | (part[4] << 20);
        if (low !== bytes.getInt32(place, true) || high !== bytes.getInt32(place + 4, true)) {
          throw new Difference(`${what}.${name}[${number}] is ${hex(high)}${hex(low)}, recorded ${hex(bytes.getInt32(place + 4, true))}${hex(bytes.getInt32(place, true))}`);
        }
      } else if (Number(part) !== bytes.getInt8(place)) {
        throw new Difference(`${what}.${name}[${number}] is ${part}, recorded ${bytes.getInt8(place)}`);
      }
    }
  }
}

const hex = (word) => (word >>> 0).toString(16).padStart(8, "0");

function check(what, value, recorded) {
  if (value !== recorded) throw new Difference(`${what} is ${value}, recorded ${recorded}`);
}

const WEIGHTS = Int32Array.from({ length: 512 }, (_, i) => Math.imul(2654435761, 2 * i + 1));

/** The sum by which the recording holds a network's inputs. */
function hash(inputs) {
  let sum = 0;
  for (let i = 0; i < inputs.length; i++) sum = (sum + Math.imul(inputs[i], WEIGHTS[i])) | 0;
  return sum >>> 0;
}

/** Replay one block, and return how many positions and exact endgames were compared. */
async function replayBlock(header, input) {
  const { rules: spec, seed, first, deals } = header;
  const columns = {};
  for (const { name, size } of header.columns) columns[name] = await input.bytes(size);
  const stateFields = fieldsOf(header.layouts.state), viewFields = fieldsOf(header.layouts.view);
  const stateSize = header.layouts.state.size, viewSize = header.layouts.view.size;
  const states = new DataView(columns.state.buffer), ends = new DataView(columns.end.buffer);
  const views = [new DataView(columns.view0.buffer), new DataView(columns.view1.buffer)];
  const deal = new Int16Array(columns.deal.buffer);
  const [action, random, textbook, network] = ["action", "random", "textbook", "network"].map((name) => new Int8Array(columns[name].buffer));
  const uniform = new Float64Array(columns.uniform.buffer), advantage = new Float64Array(columns.advantage.buffer);
  const inputs = new Uint32Array(columns.inputs.buffer);
  const margins = new Int8Array(columns.margins.buffer), perfect = new Int8Array(columns.perfect.buffer);

  const rules = engine.rulesNamed(spec);
  const { game } = rules;
  const net = engine.networkFor(networks, rules);
  const played = [], steps = new Array(deals).fill(0);
  let judged = 0, exact = 0, row = 0, current = 0;
  try {
    for (current = 0; current < deals; current++) {
      const index = first + current;
      const state = engine.deal(game, engine.dealDeck(rules.cards, seed, index), index % 2);
      played.push(state);
      const offset = header.layouts.state.fields.deck.offset + stateSize * current; // the first step has all deals
      state.deck.forEach((card, place) => check(`state.deck[${place}]`, card, states.getInt8(offset + place)));
    }
    for (; row < deal.length; row++) {
      current = deal[row];
      const state = played[current];
      compareRecord(stateFields, state, states, stateSize * row, "state");
      const seen = [0, 1].map((seat) => engine.viewOf(game, state, seat));
      for (const seat of [0, 1]) compareRecord(viewFields, seen[seat], views[seat], viewSize * row, `view of seat ${seat}`);
      const view = seen[state.turn];
      check("random", engine.pick(view.legal, uniform[row]), random[row]);
      check("textbook", engine.heuristicAction(view), textbook[row]);
      if (columns.judged[row]) {
        const { canonical } = engine.canonicalView(view, net.rankedByUnplayed);
        check("inputs", hash(engine.networkInputs(game, canonical, net.universal)), inputs[judged]);
        const found = engine.evaluate(net, rules, view);
        check("network", found.action, network[judged]);
        check("advantage", found.advantages.get(engine.lowest(view.legal)), advantage[judged]);
        judged += 1;
      }
      if (columns.exact[row]) {
        const values = engine.exactMargins(view);
        for (let card = 0; card < 52; card++) check(`margins[${card}]`, values.get(card) ?? -128, margins[52 * exact + card]);
        check("perfect", engine.bestCard(engine.openHands(view)), perfect[exact]);
        exact += 1;
      }
      check("legal", engine.isLegal(state, action[row]), true);
      engine.play(game, state, action[row]);
      steps[current] += 1;
    }
    for (current = 0; current < deals; current++) {
      compareRecord(stateFields, played[current], ends, stateSize * current, "end");
      for (const reward of ["margin", "win", "points"]) {
        check(reward, engine.seatReturn(game, played[current], reward), new Float64Array(columns[reward].buffer)[current]);
      }
    }
  } catch (error) {
    if (!(error instanceof Difference)) throw error;
    throw new Difference(`${spec}, deal ${first + current} of seed ${seed}, action ${steps[current] + 1}: ${error.message}`);
  }
  return { deals, positions: deal.length, exact };
}

const input = new Input(process.stdin);
const total = { deals: 0, positions: 0, exact: 0 };
try {
  for (let line = await input.line(); line; line = await input.line()) {
    const compared = await replayBlock(JSON.parse(line), input);
    for (const what of Object.keys(total)) total[what] += compared[what];
  }
  const count = (number, what) => `${number.toLocaleString("en")} ${what}`;
  process.stdout.write(`${count(total.deals, "deals")}, ${count(total.positions, "positions")}, ${count(total.exact, "exact endgames")}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Difference ? error.message : error.stack}\n`);
  process.exitCode = 1;
  process.stdin.destroy();
}
