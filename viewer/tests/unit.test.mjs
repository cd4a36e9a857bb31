// The reader, against recordings written by make_recording.mjs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as load from './sources.mjs';
import { chunk, framePayload, shuffle, sheet, slowCrc32, twoRigid, twoTori, writeRecording } from './make_recording.mjs';

const { crc32 } = await load.crc32();
const { countMotions, decodeFrame, unshuffle } = await load.frame();
const { Frames } = await load.frames();
const { funnelLines, source, unitChanges } = await load.funnel();
const { parseRecording } = await load.recording();
const { coloursOf, impulsesOn, scaleEnd, SCALE, strainOf } = await load.measures();
const { decodeDetails } = await load.details();
const { springsOf, springStrains } = await load.springs();
const { decodeBase64 } = await load.source();

const fails = (bytes, message) => assert.throws(() => parseRecording(bytes), message);
const good = twoTori({ frames: 5, rings: 6, sides: 5 });
const at = (tag, nth = 0) => good.chunks.filter((each) => each.tag === tag)[nth];
const cut = (end) => parseRecording(good.bytes.subarray(0, end));

function damaged(offset) {
  const bytes = Buffer.from(good.bytes);
  bytes[offset] ^= 0x40;
  return bytes;
}

test('CRC-32 is that of the definition, at every length modulo four', () => {
  assert.equal(crc32(Buffer.from('123456789')), 0xcbf43926);
  for (let n = 0; n < 9; n++) assert.equal(crc32(good.bytes.subarray(3, 3 + n)), slowCrc32(good.bytes.subarray(3, 3 + n)));
});

test('a good recording: meta, stats and frames', () => {
  const recording = parseRecording(good.bytes);
  assert.equal(recording.notice, null);
  assert.equal(recording.meta.scene, 'two tori, made by the tests');
  assert.equal(recording.meta.dt, 0.02);
  assert.equal(recording.frames.length, 5);
  assert.deepEqual(recording.stats[0].stages, []);
  const read = ({ in_unit: inUnit, out_unit: outUnit, ...stage }) => ({ limited: 0, remembered: 0, ...stage, inUnit, outUnit });
  assert.deepEqual(recording.stats[2], { frame: 2, time: 0.04, stages: good.frames[2].stages.map(read) });
});

test('the description of a scene is read, and may be missing', () => {
  const described = writeRecording({ meta: { scene: 's', description: 'A ball falls.' }, frames: good.frames });
  assert.equal(parseRecording(described.bytes).meta.description, 'A ball falls.');
  assert.equal(parseRecording(good.bytes).meta.description, '');
});

test('an uncompressed recording reads the same', () => {
  const plain = new Frames(parseRecording(twoTori({ frames: 3, rings: 6, sides: 5, compress: false }).bytes));
  const packed = new Frames(parseRecording(twoTori({ frames: 3, rings: 6, sides: 5 }).bytes));
  assert.deepEqual(plain.at(2), packed.at(2));
});

test('a frame: bodies and contacts, value for value', () => {
  const written = good.frames[3];
  const frame = decodeFrame(parseRecording(good.bytes).frames[3], 3, 2);
  assert.equal(frame.time, written.time);
  assert.deepEqual(frame.bodies.map((body) => body.number), [0, 1, 2]);
  assert.deepEqual(frame.bodies[1].positions, Float64Array.from(written.bodies[1].positions));
  assert.deepEqual(frame.bodies[2].positions, Float32Array.from(written.bodies[2].positions));
  const all = written.contacts;
  const { held: contacts } = frame;
  const isEdge = (c) => c.a1 !== undefined;
  assert.ok(all.some(isEdge) && !all.every(isEdge));
  assert.deepEqual(frame.runs, [{ frame: 3, first: 0, count: all.length }]);
  assert.deepEqual([...contacts.motion], all.map((c) => c.motion));
  assert.deepEqual([...contacts.featureA], all.map((c) => (isEdge(c) ? 2 : 1)));
  assert.deepEqual([...contacts.featureB], all.map((c) => (isEdge(c) ? 2 : 3)));
  assert.deepEqual([...contacts.id], all.map((c) => c.id));
  assert.deepEqual([...contacts.bodyA], all.map((c) => c.a));
  assert.deepEqual([...contacts.bodyB], all.map((c) => c.b));
  assert.deepEqual([...contacts.a0], all.map((c) => c.a0));
  assert.deepEqual([...contacts.a1], all.map((c) => c.a1 ?? 0xffffffff));
  assert.deepEqual([...contacts.b0], all.map((c) => c.b0));
  assert.deepEqual([...contacts.b1], all.map((c) => c.b1 ?? 0xffffffff));
  assert.deepEqual([...contacts.distance], all.map((c) => c.distance));
  assert.deepEqual(contacts.pointA, Float32Array.from(all.flatMap((c) => c.pointA)));
  assert.deepEqual(contacts.pointB, Float32Array.from(all.flatMap((c) => c.pointB)));
  all.forEach((c, i) => {
    const gap = c.pointB.map((value, axis) => value - c.pointA[axis]);
    const size = Math.hypot(...gap);
    for (let axis = 0; axis < 3; axis++) assert.ok(Math.abs(contacts.normal[3 * i + axis] - (size > 0 ? gap[axis] / size : 0)) < 1e-4);
  });
});

test('bodies that only moved are where their poses put them', () => {
  const recording = parseRecording(twoRigid().bytes);
  const frames = new Frames(recording);
  for (const [number, tolerance] of [[1, 1e-12], [2, 1e-6]]) {
    // A quarter turn about z takes (1, 0, 0) to (0, 1, 0) and (0, 2, 0) to (-2, 0, 0).
    const expected = [5, number, 0, 5, 1 + number, 0, 3, number, 0];
    const { positions } = frames.at(number).bodies[1].placement;
    expected.forEach((value, i) => assert.ok(Math.abs(positions[i] + frames.origin[i % 3] - value) < Math.max(tolerance, 1e-6), `${number} ${i}`));
  }
  assert.equal(frames.at(1).bodies[1].topology.kind, 'rigid');
});

test('contacts of rigid bodies have a motion and an impulse, in both versions', () => {
  for (const version of [1, 2]) {
    const frames = new Frames(parseRecording(twoRigid({ version }).bytes));
    assert.equal(frames.at(1).contacts.count, 0);
    const { contacts } = frames.at(2);
    assert.deepEqual([...contacts.id], [3n, 4n, 5n, 6n]);
    assert.deepEqual(countMotions(contacts), [1, 2, 1]);
    assert.deepEqual([...contacts.featureA], [0, 0, 0, 0]);
    assert.deepEqual([...contacts.impulse], [2, 2, 2, 2]);
    assert.deepEqual([...contacts.normalSpeed], [-1, 0, 0, 1]);
    assert.deepEqual([...contacts.normal.subarray(0, 3)], [0, 1, 0]);
  }
});

test('contacts of surfaces of the first version: features, normals from point to point, no motion', () => {
  const { frames, bytes } = twoTori({ frames: 4, rings: 6, sides: 5, version: 1 });
  const all = [...frames[3].contacts].sort((a, b) => Number(a.a1 !== undefined) - Number(b.a1 !== undefined));
  const { contacts } = new Frames(parseRecording(bytes)).at(3);
  assert.deepEqual([...contacts.id], all.map((c) => c.id));
  assert.deepEqual([...contacts.featureB], all.map((c) => (c.b1 === undefined ? 3 : 2)));
  assert.deepEqual(countMotions(contacts), [0, all.length, 0]);
  assert.ok(contacts.impulse.every(Number.isNaN) && contacts.normalSpeed.every(Number.isNaN));
  all.forEach((c, i) => c.normal.forEach((x, axis) => assert.ok(Math.abs(contacts.normal[3 * i + axis] - x) < 1e-4)));
});

test('contacts that last unchanged are found in the frame that holds them', () => {
  const contact = (id) => ({ id, a: 7, b: 7, motion: 1, distance: id, speed: 0, impulse: id, pointA: [id, 0, 0], pointB: [id, 1, 0], normal: [0, 1, 0] });
  const bodies = [{ number: 7, name: 'b', kind: 3, encoding: 1, triangles: [0, 1, 2], positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], topologyFrame: 0, positionsFrame: 0 }];
  const frame = (number, contacts, runs) => ({ number, time: number, stages: [], bodies, contacts, runs });
  const all = [
    frame(0, [contact(1), contact(2), contact(3), contact(4)]),
    frame(1, [contact(5)], [[0, 0, 2], [1, 0, 1], [0, 3, 1]]),
    frame(2, [], [[1, 0, 1], [0, 0, 1]]),
    frame(3, [], []),
  ];
  const open = (frames) => new Frames(parseRecording(writeRecording({ meta: {}, frames }).bytes));
  const ids = (frames, n) => [...frames.at(n).contacts.id].map(Number);
  for (const order of [[0, 1, 2, 3], [2, 3, 0, 1]]) {
    const frames = open(all);
    const found = order.map((n) => [n, ids(frames, n)]).sort(([a], [b]) => a - b).map(([, list]) => list);
    assert.deepEqual(found, [[1, 2, 3, 4], [1, 2, 5, 4], [5, 1], []]);
  }
  const shown = open(all).at(2);
  assert.deepEqual([...shown.contacts.impulse], [5, 1]);
  assert.ok(Math.abs(shown.contacts.pointB[3] - shown.contacts.pointB[0] + 4) < 1e-6, 'points move along');
  const refuse = (runs, why) => assert.throws(() => open([all[0], frame(1, [], runs)]).at(1), why);
  refuse([[2, 0, 1]], /later frame/);
  refuse([[0, 3, 2]], /does not hold them/);
  refuse([[0, 0, 4], [0, 0, 4]], /does not hold them/);
});

test('the funnel adds up: each stage takes in what the one before leaves, or says how many these hold', () => {
  const { stats } = parseRecording(good.bytes);
  const stat = stats[3];
  const format = (n) => String(n);
  const [mid, narrow] = ['mid', 'narrow'].map((name) => stat.stages.find((stage) => stage.name === name));
  assert.equal(source(stat, 'narrow', format), `${mid.out} × 40 + 15 remembered`);
  assert.equal(narrow.in, mid.out * 40 + 15);
  assert.equal(source(stat, 'contacts', format), '', 'the same unit');
  assert.equal(source(stats[0], 'narrow', format), '', 'no step yet');
  const names = stat.stages.map(({ name }) => name);
  assert.deepEqual([...unitChanges(stats, names).entries()].map(([name, unit]) => `${name}: ${unit}`), [
    'edits: bodies', 'predict: vertices', 'bounds: triangles', 'broad: pairs of bodies', 'mid: pairs of clusters', 'narrow: pairs of features', 'contacts: contacts', 'commit: vertices',
  ]);
  const lines = funnelLines(stats);
  assert.deepEqual(lines.map(({ label }) => label), ['broad: pairs of bodies', 'mid: pairs of clusters', 'narrow: pairs of features', 'contacts: contacts']);
  lines.forEach(({ values }, i) => lines.slice(i + 1).forEach((other) => assert.notDeepEqual(values, other.values, 'one line hides the other')));
});

test('a pose that refers to itself or a later frame is refused', () => {
  const { frames } = twoRigid();
  frames[1].bodies[1].moved.restFrame = 1;
  const broken = writeRecording({ meta: { carom: '', scene: '', dt: 1 }, frames });
  assert.throws(() => new Frames(parseRecording(broken.bytes)).at(1), /later frame/);
});

test('unshuffle undoes shuffle, f32 and f64', () => {
  const values = [0, -1.5, 3.25e-7, 12345.678, Math.PI];
  for (const [Type, width] of [[Float32Array, 4], [Float64Array, 8]]) {
    const stored = shuffle(Buffer.from(Type.from(values).buffer), width);
    assert.deepEqual(new Type(unshuffle(stored, width).buffer), Type.from(values));
  }
  assert.deepEqual([...unshuffle(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), 4)], [1, 3, 5, 7, 2, 4, 6, 8]);
});

test('references to earlier frames, also when those have left the cache', () => {
  const frames = new Frames(parseRecording(twoTori({ frames: 60, rings: 3, sides: 3 }).bytes));
  const floor = frames.at(0).bodies[0];
  for (let n = 59; n >= 0; n--) {
    const body = frames.at(n).bodies[0];
    assert.equal(body.topology, floor.topology);
    assert.equal(body.topologyKey, '0@0');
    assert.deepEqual(body.placement.positions, floor.placement.positions);
  }
  assert.notDeepEqual(frames.at(59).bodies[1].placement.positions, frames.at(0).bodies[1].placement.positions);
});

test('a reference to a later frame, or to one that does not hold the body, is an error', () => {
  const body = { number: 7, name: 'b', kind: 1, encoding: 1, triangles: [0, 1, 2], positions: [0, 0, 0, 1, 0, 0, 0, 1, 0] };
  const frame = (number, extra) => ({ number, time: 0, stages: [], contacts: [], bodies: extra ? [{ ...body, ...extra }] : [] });
  const write = (...frames) => parseRecording(writeRecording({ meta: {}, frames }).bytes);
  assert.throws(() => new Frames(write(frame(0, { topologyFrame: 0, positionsFrame: 1 }))), /refers to a later frame/);
  const dangling = new Frames(write(frame(0), frame(1, { topologyFrame: 0, positionsFrame: 1 })));
  assert.throws(() => dangling.at(1), /Body 7 has its topology in frame 0, which does not hold them/);
});

test('a triangle with a vertex that does not exist is an error', () => {
  const bodies = [{ number: 0, name: '', kind: 0, encoding: 1, triangles: [0, 1, 3], positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], topologyFrame: 0, positionsFrame: 0 }];
  const recording = parseRecording(writeRecording({ meta: {}, frames: [{ number: 0, time: 0, stages: [], contacts: [], bodies }] }).bytes);
  assert.throws(() => new Frames(recording), /vertex that does not exist/);
});

test('a scene far from the origin keeps its shape', () => {
  const here = new Frames(parseRecording(twoTori({ frames: 2, rings: 6, sides: 5 }).bytes));
  const far = new Frames(parseRecording(twoTori({ frames: 2, rings: 6, sides: 5, origin: [1e6, -2e6, 3e6] }).bytes));
  const [a, b] = [here, far].map((frames) => frames.at(1).bodies[1].placement.positions);
  a.forEach((value, i) => assert.ok(Math.abs(value - b[i]) < 1e-6));
});

test('bad magic', () => {
  fails(damaged(0), /not a Carom recording/);
  fails(Buffer.from('<!doctype html>, and so on'), /not a Carom recording/);
  fails(Buffer.alloc(0), /not a Carom recording/);
});

test('unsupported version', () => {
  const bytes = Buffer.from(good.bytes);
  for (const version of [0, 3]) {
    bytes[8] = version;
    fails(bytes, new RegExp(`has version ${version}; this viewer reads versions 1 to 2`));
  }
});

test('cut within the file header, META or the first frame: nothing to show', () => {
  fails(good.bytes.subarray(0, 5), /cut short: it has 5 bytes/);
  fails(good.bytes.subarray(0, 16), /holds no frame/);
  for (const end of [at('META').offset + 10, at('META').offset + 40, at('STAT').offset + 33, at('FRAM').offset, at('FRAM').offset + 50]) {
    fails(good.bytes.subarray(0, end), /cut short/);
  }
});

test('cut anywhere later: shown up to the last whole frame, with a notice', () => {
  const places = [
    [at('STAT', 3).offset, 3],
    [at('STAT', 3).offset + 7, 3],
    [at('STAT', 3).offset + 40, 3],
    [at('FRAM', 3).offset, 3],
    [at('FRAM', 3).offset + 31, 3],
    [at('FRAM', 3).offset + at('FRAM', 3).size - 1, 3],
    [at('FRAM', 3).offset + at('FRAM', 3).size, 4],
    [at('INDX').offset, 5],
    [at('INDX').offset + 20, 5],
    [good.bytes.length - 1, 5],
  ];
  for (const [end, frames] of places) {
    const recording = cut(end);
    assert.equal(recording.frames.length, frames, `cut at ${end}`);
    assert.equal(recording.stats.length, frames);
    assert.match(recording.notice, new RegExp(`cut short.*last whole frame, ${frames - 1}\\.`));
    assert.equal(new Frames(recording).at(frames - 1).number, frames - 1);
  }
});

test('cut at every byte: never more than a wording', () => {
  const small = twoTori({ frames: 2, rings: 3, sides: 3 });
  for (let end = 0; end < small.bytes.length; end++) {
    try {
      const recording = parseRecording(small.bytes.subarray(0, end));
      assert.ok(recording.notice);
      new Frames(recording).at(recording.frames.length - 1);
    } catch (error) {
      assert.match(error.message, /cut short|not a Carom recording/, `cut at ${end}: ${error.stack}`);
    }
  }
});

test('a corrupt byte in a header or a payload is named with its offset', () => {
  const meta = at('META').offset;
  fails(damaged(meta + 9), new RegExp(`checksum mismatch in the chunk header at byte ${meta}`));
  fails(damaged(meta + 40), new RegExp(`checksum mismatch in the META chunk at byte ${meta}`));
  const { offset } = at('FRAM', 2);
  for (const [where, what] of [[offset + 16, 'chunk header'], [offset + 60, 'FRAM chunk']]) {
    const recording = parseRecording(damaged(where));
    assert.equal(recording.frames.length, 2);
    assert.match(recording.notice, new RegExp(`checksum mismatch in the ${what} at byte ${offset}\\. Shown up to its last whole frame, 1`));
  }
});

test('every single corrupt byte of a small recording is noticed', () => {
  const small = twoTori({ frames: 2, rings: 3, sides: 3 }).bytes;
  for (let i = 0; i < small.length; i++) {
    if (i >= 12 && i < 16) continue; // reserved
    const bytes = Buffer.from(small);
    bytes[i] ^= 1;
    let notice;
    try {
      ({ notice } = parseRecording(bytes));
    } catch (error) {
      notice = error.message;
    }
    assert.ok(notice, `byte ${i}`);
  }
});

test('an index that does not agree with the frames is named', () => {
  const { offset } = at('INDX');
  const offsets = good.chunks.filter((each) => each.tag === 'FRAM').map((each) => each.offset);
  const index = (...values) => Buffer.from(BigUint64Array.from(values, BigInt).buffer);
  for (const payload of [index(4, ...offsets), index(5, ...offsets.slice(1), 0), index(5)]) {
    const { notice } = parseRecording(Buffer.concat([good.bytes.subarray(0, offset), chunk('INDX', payload, false)]));
    assert.match(notice, new RegExp(`index at byte ${offset} does not agree`));
  }
});

test('an unknown chunk is skipped', () => {
  const { bytes } = writeRecording({ meta: {}, frames: good.frames, extra: ['WHAT'] });
  const recording = parseRecording(bytes);
  assert.equal(recording.notice, null);
  assert.equal(recording.frames.length, 5);
});

test('sizes that lie do not take the memory', () => {
  const frame = framePayload({ ...good.frames[0], bodies: [], contacts: [] });
  const lying = chunk('FRAM', frame, true);
  lying.writeBigUInt64LE(1n << 45n, 16);
  lying.writeUInt32LE(slowCrc32(lying.subarray(0, 28)), 28);
  const { bytes } = writeRecording({ meta: {}, frames: [], closed: false });
  const recording = parseRecording(Buffer.concat([bytes, chunk('STAT', Buffer.from('{}'), false), lying]));
  assert.throws(() => new Frames(recording), /cannot hold the 35184372088832 announced/);
});

test('base64, whole and wrapped into lines', () => {
  for (const n of [0, 1, 2, 3, 50000]) {
    const bytes = good.bytes.subarray(0, n);
    const text = bytes.toString('base64');
    assert.deepEqual(Buffer.from(decodeBase64(text)), Buffer.from(bytes));
    assert.deepEqual(Buffer.from(decodeBase64(`\n${text.replace(/.{76}/g, '$&\n')}\n`)), Buffer.from(bytes));
  }
});

test('strain: largest stretch of the triangles at a vertex, whatever the turn; none where nothing is stretched', () => {
  const triangles = Uint32Array.of(0, 1, 2, 2, 1, 3);
  const rest = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1);
  const turn = (stretch) => rest.map((_, i) => {
    const [x, z] = [stretch * rest[3 * Math.floor(i / 3)], rest[3 * Math.floor(i / 3) + 2]];
    return [0.6 * x - 0.8 * z, 3, 0.8 * x + 0.6 * z][i % 3];
  });
  for (const stretch of [1, 1.07, 0.9]) {
    for (const strain of strainOf(rest, turn(stretch), triangles)) assert.ok(Math.abs(strain - Math.max(0, stretch - 1)) < 1e-6);
  }
  // Shear by s has the principal stretches of [[1, s], [0, 1]].
  const s = 0.3;
  const sheared = rest.map((value, i) => (i % 3 === 0 ? value + s * rest[i + 2] : value));
  const expected = (s + Math.sqrt(s * s + 4)) / 2 - 1;
  for (const strain of strainOf(rest, sheared, triangles)) assert.ok(Math.abs(strain - expected) < 1e-6);
});

test('impulses of contacts go to the vertices of their features, and none is lost', () => {
  const shown = new Frames(parseRecording(sheet().bytes)).at(2);
  const [{ number, placement, topology }] = shown.bodies;
  const impulses = impulsesOn(number, shown.contacts, placement.positions, topology.triangles);
  assert.equal(impulses[0], 0.5, 'the vertex of side a');
  const corners = topology.triangles.slice(-3);
  const rest = corners.reduce((sum, v) => sum + impulses[v], 0);
  assert.ok(Math.abs(rest - 0.5) < 1e-6, 'the triangle of side b');
  assert.ok(Math.abs(impulses.reduce((sum, value) => sum + value, 0) - 1) < 1e-6);
  assert.deepEqual([...impulsesOn(7, shown.contacts, placement.positions, topology.triangles)].filter((value) => value !== 0), []);
});

test('cloth is strained against its first frame', () => {
  const frames = new Frames(parseRecording(sheet().bytes));
  assert.deepEqual(frames.at(2).bodies[0].unstrained, frames.at(0).bodies[0].placement.positions);
  assert.equal(new Frames(parseRecording(good.bytes)).at(0).bodies[0].unstrained, null, 'scripted bodies are not strained');
});

test('levels and spheres of a frame, in the scene; a recording without them has none', () => {
  const levels = Array.from({ length: 81 }, (_, v) => v % 3);
  const details = { levels: [[0, levels]], spheres: [[1, 2, 3, 0.5], [4, 5, 6, 0.25]] };
  const { bytes, chunks } = sheet({ details });
  const frames = new Frames(parseRecording(bytes));
  const shown = frames.at(1);
  assert.deepEqual([...shown.levels.get(0)], levels);
  const expected = details.spheres.flatMap(([x, y, z, r]) => [x - frames.origin[0], y - frames.origin[1], z - frames.origin[2], r]);
  assert.equal(shown.spheres.length, 8);
  expected.forEach((value, i) => assert.ok(Math.abs(shown.spheres[i] - value) < 1e-6));
  assert.equal(chunks.filter(({ tag }) => tag === 'DETL').length, 3);
  const without = new Frames(parseRecording(sheet().bytes)).at(1);
  assert.equal(without.levels.size + without.spheres.length, 0);
  const short = { tag: 'DETL', offset: 99, compressed: false, rawSize: 6, stored: Uint8Array.of(1, 0, 0, 0, 0, 0) };
  assert.throws(() => decodeDetails(short), /DETL chunk at byte 99 ends too early/);
});

test('springs: each edge once, and across each inner edge; strained by their change of length', () => {
  const ends = springsOf(Uint32Array.of(0, 1, 2, 2, 1, 3));
  const pairs = new Set(Array.from({ length: ends.length / 2 }, (_, i) => [ends[2 * i], ends[2 * i + 1]].sort().join()));
  assert.deepEqual([...pairs].sort(), ['0,1', '0,2', '0,3', '1,2', '1,3', '2,3']);
  assert.equal(ends.length, 12);
  const rest = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1);
  const wide = rest.map((value, i) => (i % 3 === 0 ? 1.1 * value : value));
  const strains = springStrains(ends, rest, wide);
  for (let i = 0; i < ends.length; i += 2) {
    const [dx, dz] = [0, 2].map((axis) => Math.abs(rest[3 * ends[i] + axis] - rest[3 * ends[i + 1] + axis]));
    assert.ok(Math.abs(strains[i / 2] - (Math.hypot(1.1 * dx, dz) / Math.hypot(dx, dz) - 1)) < 1e-6);
  }
});

test('scale of colours: its ends are the stops, and it ends at a round number that holds nearly all values', () => {
  const colours = new Float32Array(9);
  coloursOf(Float32Array.of(-1, 0, 9), 2, colours);
  assert.deepEqual(colours.slice(0, 3), colours.slice(3, 6));
  const red = (hex) => ((parseInt(hex.slice(1, 3), 16) / 255 + 0.055) / 1.055) ** 2.4;
  assert.ok(Math.abs(colours[0] - red(SCALE[0])) < 1e-6);
  assert.ok(Math.abs(colours[6] - red(SCALE.at(-1))) < 1e-6);
  assert.equal(scaleEnd([Float32Array.of(0, 0.013, 0.017)]), 0.02);
  assert.equal(scaleEnd([new Float32Array(4)]), 1);
});

test('the wind of a recording is read, and may be missing', () => {
  assert.deepEqual(parseRecording(sheet({ wind: [3, 0, 1] }).bytes).meta.wind, [3, 0, 1]);
  assert.equal(parseRecording(sheet().bytes).meta.wind, null);
});
