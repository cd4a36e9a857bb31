// The viewer's modules, compiled on the fly.

import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const load = (name) => async () => {
  const file = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
  return (await runnerImport(file, { configFile: false, logLevel: 'error' })).module;
};

export const check_data = load('check_data');
export const crc32 = load('crc32');
export const cut_events = load('cut_events');
export const cuts = load('cuts');
export const contact_arrows = load('contact_arrows');
export const details = load('details');
export const extent = load('extent');
export const fading = load('fading');
export const frame = load('frame');
export const frame_link = load('frame_link');
export const frames = load('frames');
export const framing = load('framing');
export const funnel = load('funnel');
export const live_messages = load('live_messages');
export const live_stream = load('live_stream');
export const measures = load('measures');
export const palette = load('palette');
export const recording = load('recording');
export const source = load('source');
export const springs = load('springs');
export const thinning = load('thinning');
