// @ts-check
/** Sounds, made on the spot: a card is a short burst of noise, everything else a few soft tones. */

import { settings } from "./settings.js";

/** @type {AudioContext | null} */
let context = null;

/** @returns {AudioContext | null} */
function audio() {
  if (!settings.sound || !navigator.userActivation?.hasBeenActive) return null;
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
  return context;
}

/**
 * @param {number} frequency in Hz
 * @param {number} start in seconds from now
 * @param {number} length in seconds
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
  gain.gain.exponentialRampToValueAtTime(0.0001, begin + length);
  oscillator.connect(gain).connect(output.destination);
  oscillator.start(begin);
  oscillator.stop(begin + length);
}

/**
 * @param {number} start in seconds from now
 * @param {number} pitch of the noise in Hz
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

export const sound = {
  card: () => noise(0, 1900),
  draw: () => noise(0, 1200),
  deal: () => [0, 0.07, 0.14, 0.21, 0.28].forEach((start) => noise(start, 1500)),
  trump: () => [660, 880].forEach((pitch, place) => tone(pitch, place * 0.09, 0.35)),
  trick: () => tone(523, 0, 0.18, 0.035),
  refused: () => tone(150, 0, 0.16, 0.09),
  endgame: () => [392, 494, 587].forEach((pitch, place) => tone(pitch, place * 0.11, 0.5)),
  won: () => [523, 659, 784, 1047].forEach((pitch, place) => tone(pitch, place * 0.12, 0.5)),
  lost: () => [392, 330, 262].forEach((pitch, place) => tone(pitch, place * 0.16, 0.5, 0.05)),
};
