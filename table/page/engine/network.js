// @ts-check
/** The pretrained networks (`agents/policy/`). Python writes their files; the weights are 8 bits with a scale for each input. */

import { kernels } from "./kernels.js";

/** @import { Rules } from "./rules.js" */
/** @import { View } from "./view.js" */

/**
 * @typedef {object} Network
 * @property {string} name  of the agent that plays it
 * @property {boolean} hasValue  whether it has a value network
 */

/** The agents that play a network, the stronger one last. */
export const NETWORKS = ["small", "champion"];

export const STRONGEST = "champion";

/**
 * Unpack the network in a file into the memory of the kernels.
 *
 * @param {ArrayBuffer} file safetensors: the length of a JSON header, the header, then the tensors
 * @returns {Network}
 */
export function readNetwork(file) {
  const length = new DataView(file).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 8, length)));
  const { parts, ...network } = JSON.parse(header.__metadata__.network);
  /** @param {string} name @returns {ArrayBuffer} a copy, aligned */
  const tensor = (name) => {
    const [start, stop] = header[name].data_offsets;
    return file.slice(8 + length + start, 8 + length + stop);
  };
  for (const [part, { layers, ...settings }] of Object.entries(parts)) {
    const record = kernels.bots.records[part === "policy" ? network.name : `${network.name}Value`];
    record.write({ ...settings, layers, numLayers: layers.length });
    const rounded = new Int8Array(tensor(`${part}.weights`));
    const scales = new Float32Array(tensor(`${part}.scales`));
    const biases = new Float32Array(tensor(`${part}.biases`));
    const weights = new Float32Array(kernels.bots.memory, record.field.memory);
    let place = 0;
    let input = 0;
    let bias = 0;
    for (const [start, rows, units] of layers) {
      let to = start;
      for (let row = 1; row < rows; row++, input++) {
        for (let unit = 0; unit < units; unit++) weights[to++] = rounded[place++] * scales[input]; // storing rounds to float32
      }
      for (let unit = 0; unit < units; unit++) weights[to++] = biases[bias++];
    }
  }
  return { ...network, hasValue: "value" in parts };
}

/**
 * What a network says of a decision (`PolicyAgent.act` and `PolicyAgent.evaluate`).
 *
 * @typedef {object} Evaluation
 * @property {number} action  the one with the highest logit
 * @property {Map<number, number>} advantages  of each legal action over it in tricks of margin: 0 for it, negative for the others
 * @property {{ margin: number, win: number } | null} value  what it expects of the deal after its action; null without a value network
 */

/**
 * @param {Network} network
 * @param {Rules} rules
 * @param {View} view a view of the seat to act
 * @returns {Evaluation}
 */
export function evaluate({ name, hasValue }, rules, view) {
  const { call, records, memory, at } = kernels.bots;
  const { evaluation } = records;
  const action = call.evaluate(
    records.rules.write(rules.game),
    records.view.write(view),
    at[name],
    at[`${name}Value`],
    at.evaluation,
  );
  const below = new Float64Array(memory, evaluation.field.advantages, 54);
  const advantages = new Map([...below.entries()].filter(([, margin]) => !Number.isNaN(margin)));
  const [margin, winLogit] = new Float64Array(memory, evaluation.field.margin, 2);
  return { action, advantages, value: hasValue ? { margin, win: 1 / (1 + Math.exp(-winLogit)) } : null };
}
