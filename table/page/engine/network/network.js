// @ts-check
/**
 * The network of the agent `small` and its forward pass (`agents/policy/agent.py`,
 * `agents/policy/network/forward_kernels.py`). It comes from a safetensors file, which Python writes: weights rounded
 * to int8 with a scale for each input. The arithmetic is Python's, in float32 and in its order, so the logits are equal
 * bit for bit to those of Python with the same weights.
 */

import { cardsOf } from "../cards.js";
import { canonicalView, decodeAction } from "./canonical.js";
import { networkInputs } from "./inputs.js";

/** @import { Rules } from "../rules.js" */
/** @import { View } from "../view.js" */

/**
 * @typedef {object} Layer
 * @property {Float32Array} weights  (inputs, outputs)
 * @property {Float32Array} bias  (outputs)
 */

/**
 * @typedef {object} Network
 * @property {Layer[]} layers
 * @property {number} logitsPerTrick  scale of the logits, which are action values
 */

const fround = Math.fround;

/**
 * The network in a file.
 *
 * @param {ArrayBuffer} file safetensors: the length of a JSON header, the header, then the tensors
 * @returns {Network}
 */
export function readNetwork(file) {
  const length = new DataView(file).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 8, length)));
  /** @param {string} name @returns {ArrayBuffer} a copy, aligned */
  const tensor = (name) => {
    const [start, stop] = header[name].data_offsets;
    return file.slice(8 + length + start, 8 + length + stop);
  };
  const about = JSON.parse(header.__metadata__.network);
  const layers = [];
  for (let i = 0; i < about.layers; i++) {
    const [inputs, outputs] = header[`${i}.weight`].shape;
    const rounded = new Int8Array(tensor(`${i}.weight`)), scales = new Float32Array(tensor(`${i}.scale`));
    const weights = new Float32Array(inputs * outputs); // each number rounds to float32 when it is stored
    for (let input = 0, place = 0; input < inputs; input++) {
      for (let unit = 0; unit < outputs; unit++, place++) weights[place] = rounded[place] * scales[input];
    }
    layers.push({ weights, bias: new Float32Array(tensor(`${i}.bias`)) });
  }
  return { ...about, layers };
}

/**
 * One layer: the bias, plus the inputs that are not 0, four at a time as `(a * x + b * y) + (c * z + d * w)`, then the
 * rest one by one, in float32 (`write_layer`).
 *
 * @param {ArrayLike<number>} row
 * @param {Layer} layer
 * @param {boolean} rectify whether negative outputs become 0
 * @returns {Float32Array}
 */
function layerOutputs(row, { weights, bias }, rectify) {
  const outputs = new Float32Array(bias), width = bias.length;
  const places = [];
  for (let place = 0; place < row.length; place++) if (row[place] !== 0) places.push(place);
  let number = 0;
  for (; number + 4 <= places.length; number += 4) {
    const a = row[places[number]], b = row[places[number + 1]], c = row[places[number + 2]], d = row[places[number + 3]];
    const x = places[number] * width, y = places[number + 1] * width;
    const z = places[number + 2] * width, w = places[number + 3] * width;
    if (a === 1 && b === 1 && c === 1 && d === 1) { // most features are 1: nothing to multiply
      for (let unit = 0; unit < width; unit++) {
        const first = fround(weights[x + unit] + weights[y + unit]);
        const second = fround(weights[z + unit] + weights[w + unit]);
        outputs[unit] += fround(first + second);
      }
      continue;
    }
    for (let unit = 0; unit < width; unit++) {
      const first = fround(fround(a * weights[x + unit]) + fround(b * weights[y + unit]));
      const second = fround(fround(c * weights[z + unit]) + fround(d * weights[w + unit]));
      outputs[unit] += fround(first + second);
    }
  }
  for (; number < places.length; number++) {
    const a = row[places[number]], x = places[number] * width;
    for (let unit = 0; unit < width; unit++) outputs[unit] += fround(a * weights[x + unit]);
  }
  if (rectify) for (let unit = 0; unit < width; unit++) if (outputs[unit] < 0) outputs[unit] = 0;
  return outputs;
}

/**
 * The logits of canonical actions.
 *
 * @param {Network} network
 * @param {ArrayLike<number>} inputs
 */
function logitsOf(network, inputs) {
  let row = inputs;
  network.layers.forEach((layer, i) => { row = layerOutputs(row, layer, i < network.layers.length - 1); });
  return row;
}

/**
 * The legal actions with their logits, in the order of canonical actions.
 *
 * @param {Network} network
 * @param {Rules} rules
 * @param {View} view of a seat to act
 * @returns {{ action: number, logit: number }[]}
 */
function actionLogits(network, rules, view) {
  const { canonical, relabeling } = canonicalView(view);
  const logits = logitsOf(network, networkInputs(rules.game, canonical));
  return cardsOf(canonical.legal).map((chosen) => ({ action: decodeAction(chosen, relabeling), logit: logits[chosen] }));
}

/**
 * The action with the highest logit, and the advantage of each legal action over it in tricks of margin: 0 for the best,
 * negative for the others (`PolicyAgent.act`, `PolicyAgent.advantages`).
 *
 * @param {Network} network
 * @param {Rules} rules
 * @param {View} view of a seat to act
 * @returns {{ action: number, advantages: Map<number, number> }} advantages by action
 */
export function evaluate(network, rules, view) {
  const found = actionLogits(network, rules, view);
  const best = found.reduce((before, one) => (one.logit > before.logit ? one : before));
  const below = found.map(({ action, logit }) => /** @type {const} */ ([action, fround(logit - best.logit) / network.logitsPerTrick]));
  return { action: best.action, advantages: new Map(below) };
}
