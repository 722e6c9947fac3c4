// @ts-check
/**
 * The pretrained networks and their forward pass (`agents/policy/agent.py`, `agents/policy/network/forward.py`,
 * `agents/policy/network/forward_kernels.py`). A network comes from a safetensors file, which Python writes: int8 weights
 * with a scale for each input. The outputs equal those of Python with the same weights bit for bit, because the arithmetic
 * is done in the same order and every step is rounded to float32: JavaScript computes in float64, `Math.fround` and
 * storing in a `Float32Array` round.
 */

import { cardsOf } from "../cards.js";
import { canonicalView, decodeAction } from "./canonical.js";
import { networkInputs, SUIT_INPUTS } from "./inputs.js";

/** @import { Rules } from "../rules.js" */
/** @import { View } from "../view.js" */

/**
 * @typedef {object} Layer
 * @property {Float32Array} weights  (inputs, outputs)
 * @property {Float32Array} bias  (outputs)
 */

/**
 * @typedef {object} Network
 * @property {string} name  of the agent that plays it
 * @property {Layer[]} layers
 * @property {Layer[]} value  layers of its value network; none where it has none
 * @property {number} suitLayers  how many of the first layers read each suit with the same weights
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
  /** @param {string} part @returns {Layer[]} */
  const layersOf = (part) => {
    const layers = [];
    for (let i = 0; `${part}.${i}.weight` in header; i++) {
      const [inputs, outputs] = header[`${part}.${i}.weight`].shape;
      const rounded = new Int8Array(tensor(`${part}.${i}.weight`)), scales = new Float32Array(tensor(`${part}.${i}.scale`));
      const weights = new Float32Array(inputs * outputs); // int8 times float32 is exact in float64, so storing it is the only rounding
      for (let input = 0, place = 0; input < inputs; input++) {
        for (let unit = 0; unit < outputs; unit++, place++) weights[place] = rounded[place] * scales[input];
      }
      layers.push({ weights, bias: new Float32Array(tensor(`${part}.${i}.bias`)) });
    }
    return layers;
  };
  return { ...JSON.parse(header.__metadata__.network), layers: layersOf("layer"), value: layersOf("value") };
}

/**
 * Compute a layer: the bias, plus the inputs that are not 0, four at a time as `(a * x + b * y) + (c * z + d * w)`, then
 * the rest one by one, in float32 (`write_layer`). Skipping zeros pays, because most inputs are 0.
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
    if (a === 1 && b === 1 && c === 1 && d === 1) { // most features that are not 0 are 1: nothing to multiply
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
 * Compute the outputs of a network: its layers one after the other, or with suit layers as `Forward` does.
 *
 * @param {Layer[]} layers
 * @param {number} suitLayers
 * @param {ArrayLike<number>} inputs
 * @returns {ArrayLike<number>}
 */
function outputsOf(layers, suitLayers, inputs) {
  const last = layers.length - 1;
  const pass = (/** @type {ArrayLike<number>} */ row, /** @type {number} */ first, /** @type {number} */ end) => {
    let outputs = row;
    for (let i = first; i < end; i++) outputs = layerOutputs(outputs, layers[i], i < last);
    return outputs;
  };
  if (suitLayers === 0) return pass(inputs, 0, layers.length);
  const suits = SUIT_INPUTS.map((places) => pass(places.map((place) => inputs[place]), 0, suitLayers));
  const judgesCards = layers[last].bias.length >= 13; // a value network does not
  const trunkEnd = judgesCards ? last - suitLayers : last;
  const trunk = pass(suits.flatMap((units) => Array.from(units)), suitLayers, trunkEnd);
  if (!judgesCards) return pass(trunk, trunkEnd, layers.length);
  // The first card layer reads a suit's units, then the trunk's, whose share is the same for all suits.
  const { weights, bias } = layers[trunkEnd], own = suits[0].length * bias.length;
  const fromTrunk = layerOutputs(trunk, { weights: weights.subarray(own), bias: new Float32Array(bias.length) }, false);
  const logits = new Float32Array(54);
  suits.forEach((units, suit) => {
    const row = layerOutputs(units, { weights: weights.subarray(0, own), bias }, false);
    for (let unit = 0; unit < row.length; unit++) row[unit] = Math.max(row[unit] + fromTrunk[unit], 0);
    const outputs = pass(row, trunkEnd + 1, layers.length);
    for (let rank = 0; rank < 13; rank++) logits[13 * suit + rank] = outputs[rank];
    for (let choice = 0; choice < 2; choice++) logits[52 + choice] += outputs[13 + choice];
  });
  return logits;
}

/**
 * What a network says of a decision (`PolicyAgent.act`, `PolicyAgent.advantages`, `PolicyAgent.values`).
 *
 * @typedef {object} Evaluation
 * @property {number} action  the one with the highest logit
 * @property {Map<number, number>} advantages  of each legal action over it in tricks of margin: 0 for it, negative for the others
 * @property {{ margin: number, win: number } | null} value  what it expects of the deal after its action; null without a value network
 */

/**
 * @param {Network} network
 * @param {Rules} rules
 * @param {View} view of a seat to act
 * @returns {Evaluation}
 */
export function evaluate(network, rules, view) {
  const { canonical, decoded } = canonicalView(view);
  const inputs = networkInputs(rules.game, canonical);
  const logits = outputsOf(network.layers, network.suitLayers, inputs);
  const legal = cardsOf(canonical.legal);
  const best = legal.reduce((before, one) => (logits[one] > logits[before] ? one : before));
  const below = legal.map((one) => /** @type {const} */ ([decodeAction(one, decoded), fround(logits[one] - logits[best]) / network.logitsPerTrick]));
  return { action: decodeAction(best, decoded), advantages: new Map(below), value: valueOf(network, inputs) };
}

/** @param {Network} network @param {ArrayLike<number>} inputs @returns {Evaluation["value"]} */
function valueOf({ value, suitLayers }, inputs) {
  if (value.length === 0) return null;
  const [margin, winLogit] = Array.from(outputsOf(value, suitLayers, inputs));
  return { margin, win: 1 / (1 + Math.exp(-winLogit)) };
}
