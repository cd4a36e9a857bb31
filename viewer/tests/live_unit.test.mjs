// Pictures and messages of a live world, without a browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutPayload, twoTori } from './make_recording.mjs';
import { live_messages, live_stream, recording } from './sources.mjs';

const part = (bytes) => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  return Buffer.concat([size, bytes]);
};
const join = (status, key, frame, cuts = []) => new Uint8Array(Buffer.concat([Buffer.from(JSON.stringify(status)), ...[key, cuts, frame].map((bytes) => Buffer.from(bytes))].map(part)));
const status = (more) => ({ number: 1, key: 1, frame: 1, scene: 's', description: '', dt: 0.01, gravity: [0, 0, 0], wind: [0, 0, 0], ...more });

test('a picture has four parts, and one that ends early is refused', async () => {
  const { splitPicture } = await live_stream();
  const bytes = join(status({ number: 7 }), [1, 2, 3], [4, 5], [6]);
  const parts = splitPicture(bytes);
  assert.equal(parts.status.number, 7);
  assert.deepEqual([...parts.key], [1, 2, 3]);
  assert.deepEqual([...parts.cuts], [6]);
  assert.deepEqual([...parts.frame], [4, 5]);
  for (const end of [1, 3, 20, bytes.length - 6, bytes.length - 1]) assert.throws(() => splitPicture(bytes.subarray(0, end)), /ends too early|JSON/);
});

test('pictures are frames that refer to their key frame, and a key frame is kept', async () => {
  const { LiveFrames } = await live_stream();
  const { parseRecording, payload } = await recording();
  const { frames } = parseRecording(twoTori().bytes);
  const [key, next] = [payload(frames[0]), payload(frames[1])];
  const live = new LiveFrames();
  assert.throws(() => live.take(join(status(), [], next)), /without its key frame/);
  const first = live.take(join(status({ number: 3 }), key, next));
  assert.ok(first.fresh);
  assert.equal(first.shown.number, 1);
  assert.equal(live.last, 3);
  const second = live.take(join(status({ number: 4 }), [], next));
  assert.ok(!second.fresh);
  assert.equal(second.frames, first.frames);
  assert.throws(() => live.take(join(status({ key: 2 }), [], next)), /without its key frame/);
  const again = live.take(join(status({ number: 5, key: 5 }), key, next));
  assert.ok(again.fresh);
  assert.deepEqual(again.frames.origin, first.frames.origin, 'the camera may stay');
});

test('faces of cuts, and all cuts so far, come with the key frame', async () => {
  const { LiveFrames } = await live_stream();
  const { parseRecording, payload } = await recording();
  const { frames } = parseRecording(twoTori().bytes);
  const [key, next] = [payload(frames[0]), payload(frames[1])];
  const cut = { step: 9, body: 1, pieces: [0], crossed: 3, separated: 2, length: 0, area: 0.25 };
  const live = new LiveFrames();
  const plain = live.take(join(status(), key, next));
  assert.deepEqual([...plain.frames.events], []);
  assert.deepEqual(plain.shown.bodies.map(({ cutFaces }) => cutFaces), [null, null, null]);
  const first = live.take(join(status({ key: 2 }), key, next, cutPayload({ events: [cut], faces: [[1, [4, 7]]] })));
  assert.deepEqual(first.frames.events.get(0), [cut]);
  assert.deepEqual([...first.shown.bodies[1].cutFaces], [4, 7]);
  assert.deepEqual(first.shown.bodies.map(({ parent }) => parent), [1, null, null]);
  const second = live.take(join(status({ key: 2, number: 2 }), [], next));
  assert.deepEqual([...second.shown.bodies[1].cutFaces], [4, 7], 'without a new key frame they stay');
});

test('of the moves of a hand that wait the last counts', async () => {
  const { withoutOldMoves } = await live_messages();
  const move = (hand, x) => ({ move: { hand, target: [x, 0, 0] } });
  const grab = { grab: { hand: 0, body: 'b', point: [0, 0, 0] } };
  assert.deepEqual(withoutOldMoves([grab, move(0, 1), move(0, 2), move(0, 3)]), [grab, move(0, 3)]);
  assert.deepEqual(withoutOldMoves([move(0, 1), move(1, 2), move(0, 3)]), [move(0, 1), move(1, 2), move(0, 3)]);
  assert.deepEqual(withoutOldMoves([move(0, 1), { release: { hand: 0 } }, move(0, 2)]), [move(0, 1), { release: { hand: 0 } }, move(0, 2)]);
});

test('of the turns of a hand that wait the last counts, beside its moves', async () => {
  const { withoutOldMoves } = await live_messages();
  const move = (hand, x) => ({ move: { hand, target: [x, 0, 0] } });
  const turn = (hand, z) => ({ turn: { hand, rotation: [1, 0, 0, z] } });
  assert.deepEqual(withoutOldMoves([turn(0, 1), turn(0, 2), turn(0, 3)]), [turn(0, 3)]);
  assert.deepEqual(withoutOldMoves([turn(0, 1), turn(1, 2), turn(0, 3)]), [turn(0, 1), turn(1, 2), turn(0, 3)]);
  assert.deepEqual(withoutOldMoves([move(0, 1), turn(0, 2), move(0, 3), move(0, 4)]), [move(0, 1), turn(0, 2), move(0, 4)]);
});
