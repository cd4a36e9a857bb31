// What the picture is made of, without a browser: fit, see-through, marks, arrows, links.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as load from './sources.mjs';
import { twoRigid, twoTori } from './make_recording.mjs';

const { arrowsOf } = await load.contact_arrows();
const { Extent, extentOfRun, groundsAmong, spread } = await load.extent();
const { hide, targetsIn } = await load.fading();
const { parseFrameLink, withFrame } = await load.frame_link();
const { Frames } = await load.frames();
const { frame } = await load.framing();
const { SCENE } = await load.palette();
const { parseRecording } = await load.recording();
const { markPixels, markRim, MAX_MARKS, thin } = await load.thinning();

/** The same numbers in every run. */
function random(seed) {
  let state = seed;
  return () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
}

test('fit: all points are in the picture, from any direction and for any aspect, and fill it', () => {
  const next = random(7);
  const FOV = 35;
  const NEAR = 1 / 500; // of the radius, as in scene.ts
  for (let round = 0; round < 300; round++) {
    const flat = [0, 1, 2].map(() => (next() < 0.3 ? 0 : 10 ** (4 * next() - 2)));
    const at = [0, 1, 2].map(() => 20 * next() - 10);
    const points = Array.from({ length: 12 }, () => flat.map((size, axis) => at[axis] + size * (next() - 0.5)));
    const direction = [next() - 0.5, next() - 0.5, next() - 0.5];
    const aspect = 4 ** (4 * next() - 2);
    const { center, distance, radius } = frame(points, direction, FOV, aspect);
    const size = Math.hypot(...direction);
    const toward = direction.map((x) => x / size);
    const eye = center.map((x, axis) => x + distance * toward[axis]);
    const right = [toward[2], 0, -toward[0]].map((x) => x / Math.hypot(toward[2], toward[0]));
    const up = [toward[1] * right[2] - toward[2] * right[1], toward[2] * right[0] - toward[0] * right[2], toward[0] * right[1] - toward[1] * right[0]];
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const tan = Math.tan((FOV * Math.PI) / 360);
    let fill = 0;
    for (const point of points) {
      const offset = point.map((x, axis) => x - eye[axis]);
      const depth = -dot(offset, toward);
      assert.ok(depth > NEAR * radius, `round ${round}: a point is ${depth} in front of the eye, the radius is ${radius}`);
      const x = dot(offset, right) / (depth * tan * aspect);
      const y = dot(offset, up) / (depth * tan);
      assert.ok(Math.max(Math.abs(x), Math.abs(y)) < 0.91, `round ${round}: a point is drawn at ${x}, ${y}`);
      fill = Math.max(fill, Math.abs(x), Math.abs(y));
    }
    if (distance > 3 * radius) assert.ok(fill > 0.89, `round ${round}: only ${fill} of the picture is filled`);
  }
});

test('extent: every vertex of every frame is within the points to fit', () => {
  const frames = new Frames(parseRecording(twoTori({ frames: 9, rings: 20, sides: 12 }).bytes));
  const points = extentOfRun(frames).points();
  const next = random(3);
  for (let round = 0; round < 60; round++) {
    const direction = [next() - 0.5, next() - 0.5, next() - 0.5];
    const along = (p, i = 0) => direction[0] * p[i] + direction[1] * p[i + 1] + direction[2] * p[i + 2];
    const farthest = Math.max(...points.map((p) => along(p)));
    let reached = -Infinity;
    for (let n = 0; n < frames.count; n++)
      for (const { placement } of frames.at(n).bodies)
        for (let i = 0; i < placement.positions.length; i += 3) reached = Math.max(reached, along(placement.positions, i));
    assert.ok(farthest >= reached - 1e-6, `a vertex is ${reached - farthest} outside`);
    assert.ok(farthest - reached < 0.25, 'the points are far outside of the vertices');
  }
});

test('extent: a frame that was not sampled is added when it is shown', () => {
  const extent = new Extent({ min: [0, 0, 0], max: [1, 1, 1] }, new Set([9]));
  const body = (number, positions) => ({
    number, placementKey: `${number}`,
    placement: { positions: Float32Array.from(positions), box: { min: positions, max: positions } },
  });
  extent.include({ number: 5, bodies: [body(1, [3, 0.5, 0.5]), body(9, [50, 0, 0])] });
  assert.deepEqual(extent.box, { min: [3, 0.5, 0.5], max: [3, 0.5, 0.5] });
  assert.ok(extent.points().every((p) => p[0] === 3));
});

test('grounds: planes and terrains much larger than what moves, and nothing else', () => {
  const body = (number, fixed, min, max) => ({ number, fixed, box: { min, max } });
  const balls = body(0, false, [-3, 0, -3], [3, 4, 3]);
  const plane = body(1, true, [-20, 0, -20], [20, 0, 20]);
  const back = body(2, true, [-20, -20, -4], [20, 20, -4]);
  const bricks = [-4, -2, 0, 2, 4].map((x, i) => body(10 + i, true, [x - 1, 0, 4], [x + 1, 4, 5]));
  assert.deepEqual([...groundsAmong([balls, plane, ...bricks])], [1]);
  assert.deepEqual([...groundsAmong([balls, plane, back])], [1, 2], 'two planes');
  assert.deepEqual([...groundsAmong([balls, body(1, true, [-4, 0, -4], [4, 0, 4])])], [], 'a floor not much larger');
  assert.deepEqual([...groundsAmong([plane, ...bricks])], [], 'nothing moves');
  const marble = body(0, false, [0, 0, 0], [0.2, 0.2, 0.2]);
  assert.deepEqual([...groundsAmong([marble, plane, ...bricks])], [1], 'bricks stay, however large beside a marble');
});

test('frames are read in an order that spreads', () => {
  assert.deepEqual([...spread(9)], [0, 8, 4, 2, 6, 1, 3, 5, 7]);
  for (const n of [0, 1, 2, 3, 10]) assert.deepEqual([...spread(n)].sort((a, b) => a - b), [...Array(n).keys()]);
});

test('fixed bodies that together hide what moves are seen through, others are not', () => {
  const targets = targetsIn([{ min: [-1, 0, -1], max: [1, 4, 1] }, { min: [-1, 4, -1], max: [0, 8, 1] }]);
  assert.equal(targets.length, 9);
  assert.deepEqual(targets[0], [0, 4, 0]);
  const triangles = [0, 1, 2, 0, 2, 3];
  const wall = (z, left = -3, right = 3, top = 10) => ({ triangles, positions: [left, 0, z, right, 0, z, right, top, z, left, top, z] });
  const floor = { triangles, positions: [-9, 0, -9, 9, 0, -9, 9, 0, 9, -9, 0, 9] };
  const eye = [2, 6, 20];
  assert.equal(hide(eye, targets, [wall(2)]), true);
  assert.equal(hide(eye, targets, [wall(2, -3, 0), wall(2, 0, 3)]), true, 'two halves of a wall');
  assert.equal(hide(eye, targets, [wall(-2)]), false, 'behind');
  assert.equal(hide(eye, targets, [wall(25)]), false, 'behind the eye');
  assert.equal(hide(eye, targets, [floor]), false);
  assert.equal(hide([2, -6, 20], targets, [floor]), true, 'from below');
  assert.equal(hide(eye, targets, [wall(2, -3, 3, 1)]), false, 'a low one hides little');
  assert.equal(hide(eye, targetsIn([]), [wall(2)]), false, 'nothing moves');
});

test('marks: no more than the picture bears, the same ones in every frame, all motions among them', () => {
  const n = 8000;
  const next = random(11);
  const pointA = Float32Array.from({ length: 3 * n }, () => next());
  const contacts = { count: n, pointA, motion: Uint8Array.from({ length: n }, (_, i) => (i < 7000 ? 0 : 1)), id: BigUint64Array.from({ length: n }, (_, i) => BigInt(i)) };
  const all = [...Array(n).keys()];
  const kept = thin(contacts, all, Math.sqrt(3));
  assert.ok(kept.length <= MAX_MARKS && kept.length > MAX_MARKS / 2, `${kept.length} marks`);
  assert.equal(new Set(kept).size, kept.length);
  assert.deepEqual([...new Set(kept.map((i) => contacts.motion[i]))], [0, 1]);
  assert.deepEqual(thin(contacts, [...all].reverse(), Math.sqrt(3)), kept);
  assert.deepEqual(thin(contacts, all.slice(0, MAX_MARKS), Math.sqrt(3)), all.slice(0, MAX_MARKS), 'few are all kept');
  const one = { ...contacts, pointA: new Float32Array(3 * n) };
  assert.deepEqual(thin(one, all, 1), [0, 7000], 'all in one place');
});

test('marks: smaller where there are many, and then without a rim', () => {
  assert.equal(markPixels(1), 9);
  assert.ok(markPixels(100) > markPixels(1000));
  assert.ok(markPixels(1e6) >= 4);
  assert.ok(markRim(20) > 0);
  assert.equal(markRim(2000), 0);
});

test('colours of contacts: none is red, and those seen together differ in lightness or in blueness', () => {
  const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  for (const { contacts } of Object.values(SCENE)) {
    for (const [r, g, b] of contacts.map(rgb)) assert.ok(!(r > 2.2 * Math.max(g, b) && r > 170), `${[r, g, b]} is red`);
    // Red-green blindness leaves r + g and b to tell two colours apart.
    for (const [one, other] of [[0, 1], [1, 2], [0, 2]]) {
      const [a, c] = [rgb(contacts[one]), rgb(contacts[other])];
      const apart = Math.hypot(a[0] + a[1] - c[0] - c[1], a[2] - c[2]);
      assert.ok(apart > 50, `${contacts[one]} and ${contacts[other]} are ${apart} apart`);
    }
  }
});

test('arrows: as long as the impulse, along the normal; without an impulse all alike', () => {
  const rigid = new Frames(parseRecording(twoRigid().bytes)).at(2).contacts;
  rigid.impulse.set([4, 2, 0, 1]);
  const arrows = arrowsOf(rigid, [0, 1, 2, 3], 10);
  assert.deepEqual(arrows.map(({ contact }) => contact), [0, 1, 3], 'no impulse, no arrow');
  assert.ok(Math.abs(arrows[0].length - 2 * arrows[1].length) < 1e-9);
  assert.deepEqual(arrows[0].direction.toArray(), [0, 1, 0]);
  const { contacts } = new Frames(parseRecording(twoTori({ frames: 3, rings: 6, sides: 5 }).bytes)).at(2);
  const normals = arrowsOf(contacts, [...Array(contacts.count).keys()], 10);
  assert.ok(normals.length > 2);
  assert.equal(new Set(normals.map(({ length }) => length)).size, 1);
});

test('links to a frame', () => {
  assert.deepEqual(parseFrameLink('#frame=60', 101), { frame: 60, note: null });
  assert.deepEqual(parseFrameLink('', 101), { frame: null, note: null });
  assert.deepEqual(parseFrameLink('#other=1', 101), { frame: null, note: null });
  assert.deepEqual(parseFrameLink('#other=1&frame=0', 101), { frame: 0, note: null });
  const far = parseFrameLink('#frame=500', 101);
  assert.equal(far.frame, 100);
  assert.match(far.note, /frame 500; the last frame is 100/);
  for (const bad of ['-3', '1.5', 'x', '']) {
    const { frame, note } = parseFrameLink(`#frame=${bad}`, 101);
    assert.equal(frame, null);
    assert.match(note, /not a frame number/);
  }
  assert.equal(withFrame('', 7), '#frame=7');
  assert.equal(withFrame('#a=b&frame=3', 7), '#a=b&frame=7');
});
