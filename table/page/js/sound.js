// @ts-check
/** Synthesised sounds: a card is a short burst of noise, everything else a few soft tones. */

import { settings } from "./settings.js";

const GAP = 0.07; // seconds between the beginnings of two sounds: without animation all events come at once
const LATEST = 0.4; // seconds that a sound waits at most for those before it

/** @type {AudioContext | null} */
let context = null;
/** Start of the next sound, seconds on the clock of the context. */
let free = 0;

/** @returns {AudioContext | null} null where there is no sound; browsers allow none before the first press */
function audio() {
  if (!settings.sound || !navigator.userActivation?.hasBeenActive || typeof AudioContext === "undefined") return null;
  try {
    context ??= new AudioContext();
  } catch {
    return null; // a browser may have it and still refuse
  }
  if (context.state === "suspended") void context.resume();
  return context;
}

/**
 * Make a sound, after those that were asked for just before.
 *
 * @param {(start: number) => void} make called with when it begins, in seconds from now
 */
function inTurn(make) {
  const output = audio();
  if (output === null) return;
  const start = Math.min(Math.max(free - output.currentTime, 0), LATEST);
  free = output.currentTime + start + GAP;
  make(start);
}

/**
 * @param {number} frequency Hz
 * @param {number} start seconds from now
 * @param {number} length seconds
 * @param {number} volume
 */
function tone(frequency, start, length, volume = 0.06) {
  const output = audio();
  if (output === null) return;
  const oscillator = new OscillatorNode(output, { type: "triangle", frequency });
  const gain = new GainNode(output, { gain: 0 });
  const begin = output.currentTime + start;
  gain.gain.setValueAtTime(0, begin);
  gain.gain.linearRampToValueAtTime(volume, begin + 0.012);
  gain.gain.exponentialRampToValueAtTime(0.0001, begin + length); // 0 is not allowed
  oscillator.connect(gain).connect(output.destination);
  oscillator.start(begin);
  oscillator.stop(begin + length);
}

/**
 * @param {number} start seconds from now
 * @param {number} pitch Hz of the noise
 */
function noise(start, pitch) {
  const output = audio();
  if (output === null) return;
  const length = Math.floor(output.sampleRate * 0.06);
  const buffer = output.createBuffer(1, length, output.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let place = 0; place < length; place += 1) samples[place] = (Math.random() * 2 - 1) * (1 - place / length) ** 3;
  const source = new AudioBufferSourceNode(output, { buffer });
  const filter = new BiquadFilterNode(output, { type: "bandpass", frequency: pitch, Q: 0.8 });
  const gain = new GainNode(output, { gain: 0.22 });
  source.connect(filter).connect(gain).connect(output.destination);
  source.start(output.currentTime + start);
}

/**
 * @param {number[]} pitches Hz, one a tone
 * @param {number} step seconds from one tone to the next
 * @param {number} length seconds of a tone
 * @param {number} start seconds from now
 * @param {number} [volume]
 */
function melody(pitches, step, length, start, volume) {
  pitches.forEach((pitch, place) => tone(pitch, start + place * step, length, volume));
}

export const sound = {
  card: () => inTurn((start) => noise(start, 1900)),
  draw: () => inTurn((start) => noise(start, 1200)),
  deal: () => inTurn((start) => [0, 0.07, 0.14, 0.21, 0.28].forEach((later) => noise(start + later, 1500))),
  trump: () => inTurn((start) => melody([660, 880], 0.09, 0.35, start)),
  trick: () => inTurn((start) => tone(523, start, 0.18, 0.035)),
  refused: () => inTurn((start) => tone(150, start, 0.16, 0.09)),
  endgame: () => inTurn((start) => melody([392, 494, 587], 0.11, 0.5, start)),
  won: () => inTurn((start) => melody([523, 659, 784, 1047], 0.12, 0.5, start)),
  lost: () => inTurn((start) => melody([392, 330, 262], 0.16, 0.5, start, 0.05)),
};
