// Cuts of a recording: faces, pieces and marks of the timeline.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as load from './sources.mjs';
import { cutBlock, sheet } from './make_recording.mjs';

const { decodeCuts } = await load.cuts();
const { marksOf, tellCuts } = await load.cut_events();
const { Frames } = await load.frames();
const { parseRecording } = await load.recording();
const { bodyColour, pieceColour } = await load.palette();

const cut = (body, extra = {}) => ({ step: 1, body, pieces: [], crossed: 2, separated: 1, length: 0, area: 0.001, ...extra });
const name = (body) => ['liver', 'sheet', 'liver 2', 'liver 3'][body];
const texts = (cuts, frames = 50) => marksOf(new Map(cuts), frames, name).map(({ kind, from, to, text }) => [kind, from, to, text]);

test('faces of cuts are in the frame that holds the triangles, and stay', () => {
  const frames = new Frames(parseRecording(cutBlock().bytes));
  assert.equal(frames.at(6).bodies[0].cutFaces, null);
  for (const number of [7, 12, 19]) {
    const [lower, upper] = frames.at(number).bodies;
    assert.deepEqual([...lower.cutFaces], [6, 7]);
    assert.deepEqual([...upper.cutFaces], [4, 5]);
  }
});

test('pieces know what they came off, and have colours of their own', () => {
  const frames = new Frames(parseRecording(cutBlock().bytes));
  const [lower, upper] = frames.at(9).bodies;
  assert.deepEqual([lower.parent, upper.parent], [null, 0]);
  assert.equal(lower.colour, bodyColour(0, 'particles'));
  assert.equal(upper.colour, pieceColour(0));
  const bodies = Array.from({ length: 8 }, (_, n) => bodyColour(n, 'particles'));
  const pieces = Array.from({ length: 10 }, (_, n) => pieceColour(n));
  assert.equal(new Set([...bodies, ...pieces]).size, 18);
});

test('a recording without cuts has no events', () => {
  const recording = parseRecording(sheet().bytes);
  const frames = new Frames(recording);
  assert.equal(recording.cuts.size + frames.events.size, 0);
  assert.equal(frames.at(1).bodies[0].cutFaces, null);
  assert.deepEqual(marksOf(frames.events, frames.count, name), []);
});

test('a chunk of cuts that ends too early, or names a triangle that is not there', () => {
  const short = { tag: 'CUTS', offset: 99, compressed: false, rawSize: 6, stored: Uint8Array.of(1, 0, 0, 0, 0, 0) };
  assert.throws(() => decodeCuts(short), /CUTS chunk at byte 99 ends too early/);
  const bytes = new Uint8Array(Uint32Array.of(0, 1, 0, 1, 12).buffer);
  const recording = parseRecording(cutBlock().bytes);
  recording.cuts.set(0, { tag: 'CUTS', offset: 99, compressed: false, rawSize: bytes.length, stored: bytes });
  assert.throws(() => new Frames(recording).at(0), /A cut face of body 0 is a triangle that does not exist/);
});

test('cuts of a world that runs in words, the last one first', () => {
  const strokes = [cut(1, { step: 10, length: 0.25, area: 0, crossed: 9 }), cut(0, { step: 30 }), cut(0, { step: 60, pieces: [2, 3] })];
  assert.deepEqual(tellCuts(strokes, 0.01, 2, name), [
    '0.60 s: liver is cut, 10 cm² (2 links); liver 2 and liver 3 come off',
    '0.30 s: liver is cut, 10 cm² (2 links)',
  ]);
  assert.deepEqual(tellCuts(strokes, 0.01, 5, name).at(-1), '0.10 s: sheet is cut, 250 mm (9 edges)');
  assert.deepEqual(tellCuts([], 0.01, 5, name), []);
});

test('marks: a stretch of frames with cuts, and each frame in which pieces come off, in words', () => {
  assert.deepEqual(texts([[4, [cut(0)]], [5, [cut(0)]], [6, [cut(0, { pieces: [2] })]]]), [
    ['cut', 4, 6, 'Frames 4 to 6: liver is cut, 30 cm² (6 links)'],
    ['piece', 6, 6, 'Frame 6: liver 2 comes off liver'],
  ]);
  assert.deepEqual(texts([[9, [cut(1, { area: 0, length: 0.25, crossed: 1 })]], [30, [cut(0, { area: 0.5, pieces: [2, 3] })]]]), [
    ['cut', 9, 9, 'Frame 9: sheet is cut, 250 mm (1 edge)'],
    ['piece', 30, 30, 'Frame 30: liver 2 and liver 3 come off liver'],
    ['cut', 30, 30, 'Frame 30: liver is cut, 0.5 m² (2 links)'],
  ]);
  assert.deepEqual(texts([[2, [cut(0), cut(2)]], [4, [cut(0)]]]), [['cut', 2, 4, 'Frames 2 to 4: liver and liver 2 are cut, 30 cm² (6 links)']]);
});
