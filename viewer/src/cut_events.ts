// Cuts of a run as marks of the timeline, in words: a stretch of frames in which a blade cuts, and each frame in which
// pieces come off.

import type { Cut } from './cuts';
import { length as lengthText, plural, shortNumber } from './format';

export interface Mark {
  kind: 'cut' | 'piece';
  from: number; // frame
  to: number;
  text: string;
}

/** Frames without a cut between two that belong to one mark, at most; as a part of the run. */
const MAX_GAP = 0.01;

export function marksOf(cuts: ReadonlyMap<number, Cut[]>, frames: number, nameOf: (body: number, frame: number) => string): Mark[] {
  const gap = Math.max(2, MAX_GAP * frames);
  const stretches: { from: number; to: number; events: Cut[] }[] = [];
  const marks: Mark[] = [];
  for (const [frame, events] of [...cuts].filter(([, list]) => list.length > 0).sort(([a], [b]) => a - b)) {
    const last = stretches.at(-1);
    if (last && frame - last.to <= gap) {
      last.to = frame;
      last.events.push(...events);
    } else {
      stretches.push({ from: frame, to: frame, events: [...events] });
    }
    const parted = events.filter(({ pieces }) => pieces.length > 0);
    if (parted.length === 0) continue;
    const name = (body: number) => nameOf(body, frame);
    const text = parted.map(({ body, pieces }) => `${joined(pieces.map(name))} ${pieces.length > 1 ? 'come' : 'comes'} off ${name(body)}`);
    marks.push({ kind: 'piece', from: frame, to: frame, text: `Frame ${frame}: ${text.join('; ')}` });
  }
  for (const { from, to, events } of stretches) {
    const bodies = [...new Set(events.map(({ body }) => body))].map((body) => nameOf(body, to));
    const when = from === to ? `Frame ${from}` : `Frames ${from} to ${to}`;
    marks.push({ kind: 'cut', from, to, text: `${when}: ${joined(bodies)} ${bodies.length > 1 ? 'are' : 'is'} cut, ${sizeOf(events)}` });
  }
  return marks.sort((a, b) => a.from - b.from || a.to - b.to);
}

/** The latest cuts of a world that runs in words, the last one first. */
export function tellCuts(cuts: readonly Cut[], dt: number, count: number, nameOf: (body: number) => string): string[] {
  const told = cuts.slice(-count).reverse();
  return told.map((cut) => {
    const name = nameOf(cut.body);
    const off = cut.pieces.length > 0 ? `; ${joined(cut.pieces.map(nameOf))} ${cut.pieces.length > 1 ? 'come' : 'comes'} off` : '';
    return `${(cut.step * dt).toFixed(2)} s: ${name} is cut, ${sizeOf([cut])}${off}`;
  });
}

/** What a cut of cloth or of a soft body amounts to. */
function sizeOf(events: Cut[]): string {
  const sum = (of: (cut: Cut) => number, list = events) => list.reduce((total, cut) => total + of(cut), 0);
  const [soft, cloth] = [events.filter(({ area }) => area > 0), events.filter(({ area }) => !(area > 0))];
  const parts: string[] = [];
  if (soft.length > 0) parts.push(`${areaText(sum(({ area }) => area))} (${plural(sum(({ crossed }) => crossed, soft), 'link')})`);
  if (cloth.length > 0) parts.push(`${lengthText(sum(({ length }) => length))} (${plural(sum(({ crossed }) => crossed, cloth), 'edge')})`);
  return parts.join(' and ');
}

function areaText(area: number): string {
  return area >= 0.1 ? `${shortNumber(area)} m²` : `${shortNumber(1e4 * area)} cm²`;
}

function joined(names: string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
