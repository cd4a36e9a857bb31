// Writes .carom recordings by docs/formats.md, apart from the viewer's own reader and from the engine's writer.

import { deflateSync } from 'node:zlib';

const NO_INDEX = 0xffffffff;

/** Bit by bit, as the definition has it: the tables of src/crc32.ts are checked against this. */
export function slowCrc32(bytes) {
  let c = ~0;
  for (const byte of bytes) {
    c ^= byte;
    for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  }
  return ~c >>> 0;
}

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});

function crc32(bytes) {
  let c = ~0;
  for (let i = 0; i < bytes.length; i++) c = table[(c ^ bytes[i]) & 255] ^ (c >>> 8);
  return ~c >>> 0;
}

const u8 = (...values) => Buffer.from(values);
const u32 = (...values) => Buffer.from(Uint32Array.from(values).buffer);
const u64 = (...values) => Buffer.from(BigUint64Array.from(values, BigInt).buffer);
const f32 = (...values) => Buffer.from(Float32Array.from(values).buffer);
const f64 = (...values) => Buffer.from(Float64Array.from(values).buffer);

export function shuffle(bytes, width) {
  const count = bytes.length / width;
  const planes = Buffer.alloc(bytes.length);
  for (let i = 0; i < count; i++) for (let b = 0; b < width; b++) planes[b * count + i] = bytes[i * width + b];
  return planes;
}

export function chunk(tag, payload, compress) {
  const stored = compress ? deflateSync(payload, { level: 1 }) : payload;
  const head = Buffer.concat([Buffer.from(tag), u32(compress ? 1 : 0), u64(stored.length, payload.length), u32(crc32(stored))]);
  return Buffer.concat([head, u32(crc32(head)), stored]);
}

/**
 * body: { number, name, kind, triangles, positions, encoding, topologyFrame, positionsFrame, moved }; moved, if the
 * encoding says so: { restFrame, turn: [w, x, y, z], shift }
 */
function bodyEntry(body, frame) {
  const parts = [u32(body.number, body.topologyFrame, body.positionsFrame, body.positions.length / 3, body.triangles.length / 3)];
  if (body.topologyFrame === frame) {
    const name = Buffer.from(body.name);
    parts.push(u8(body.kind), u32(name.length), name, Buffer.from(Uint32Array.from(body.triangles).buffer));
  }
  if (body.positionsFrame === frame) {
    const wide = body.encoding % 2 === 0;
    if (body.encoding >= 2) {
      const { restFrame, turn, shift } = body.moved;
      return Buffer.concat([...parts, u8(body.encoding), u32(restFrame), (wide ? f64 : f32)(...turn, ...shift)]);
    }
    const values = Buffer.from((wide ? Float64Array : Float32Array).from(body.positions).buffer);
    parts.push(u8(body.encoding), shuffle(values, wide ? 8 : 4));
  }
  return Buffer.concat(parts);
}

/**
 * contacts: [{ id, a, b, motion, a0, a1, b0, b1, distance, speed, impulse, pointA, pointB, normal }]: an edge has a0 and
 * a1, a vertex a0, a triangle b0, a point none of them. runs: [[frame, first, count]], if not all contacts are here.
 */
export function framePayload({ number, time, bodies, contacts, runs }, version = 2) {
  const table = version === 1 ? firstVersion(contacts) : contactTable(contacts, runs ?? (contacts.length > 0 ? [[number, 0, contacts.length]] : []));
  return Buffer.concat([u32(number), f64(time), u32(bodies.length), ...bodies.map((body) => bodyEntry(body, number)), table]);
}

const [POINT, VERTEX, EDGE, FACE] = [0, 1, 2, 3];
const RESTING = 1;
const featureA = (c) => (c.a1 !== undefined ? EDGE : c.a0 !== undefined ? VERTEX : POINT);
const featureB = (c) => (c.b1 !== undefined ? EDGE : c.b0 !== undefined ? FACE : POINT);

function contactTable(contacts, runs) {
  const column = (write, pick) => write(...contacts.flatMap(pick));
  return Buffer.concat([
    u32(contacts.length, runs.length),
    ...[0, 1, 2].map((k) => u32(...runs.map((run) => run[k]))),
    column(u64, (c) => c.id),
    column(u32, (c) => c.a),
    column(u32, (c) => c.b),
    column(u8, (c) => c.motion ?? RESTING),
    column(u8, featureA),
    column(u32, (c) => c.a0 ?? NO_INDEX),
    column(u32, (c) => c.a1 ?? NO_INDEX),
    column(u8, featureB),
    column(u32, (c) => c.b0 ?? NO_INDEX),
    column(u32, (c) => c.b1 ?? NO_INDEX),
    column(f64, (c) => c.distance),
    column(f64, (c) => c.speed ?? NaN),
    column(f64, (c) => c.impulse ?? NaN),
    column(f32, (c) => c.pointA),
    column(f32, (c) => c.pointB),
    column(f32, (c) => c.normal ?? [0, 0, 0]),
  ]);
}

/** Vertex-face contacts, edge-edge contacts, and then those of points. */
function firstVersion(contacts) {
  const vf = contacts.filter((c) => featureA(c) === VERTEX);
  const all = [...vf, ...contacts.filter((c) => featureA(c) === EDGE)];
  const rigid = contacts.filter((c) => featureA(c) === POINT);
  const columns = (list) => (write, pick) => write(...list.flatMap(pick));
  const column = columns(all);
  const of = columns(rigid);
  return Buffer.concat([
    u32(vf.length, all.length - vf.length),
    column(u64, (c) => c.id),
    column(u32, (c) => c.a),
    column(u32, (c) => c.b),
    column(u32, (c) => c.a0),
    column(u32, (c) => c.a1 ?? NO_INDEX),
    column(u32, (c) => c.b0),
    column(u32, (c) => c.b1 ?? NO_INDEX),
    column(f64, (c) => c.distance),
    column(f32, (c) => c.pointA),
    column(f32, (c) => c.pointB),
    ...(rigid.length > 0 ? [u32(rigid.length)] : []),
    of(u64, (c) => c.id),
    of(u32, (c) => c.a),
    of(u32, (c) => c.b),
    of(u8, (c) => c.motion),
    of(f64, (c) => c.distance),
    of(f64, (c) => c.speed),
    of(f64, (c) => c.impulse),
    of(f32, (c) => c.pointA),
    of(f32, (c) => c.pointB),
    of(f32, (c) => c.normal),
  ]);
}

/** A triangle that turns and falls onto another, with contacts of all three motions in its last frame. */
export function twoRigid({ version = 2 } = {}) {
  const positions = [0, 0, 0, 1, 0, 0, 0, 2, 0];
  const body = (number, name, kind, frame, extra) => ({
    number, name, kind, triangles: [0, 1, 2], positions, encoding: 0, topologyFrame: 0, positionsFrame: frame, ...extra,
  });
  const contact = (id, motion) => ({
    id, a: 0, b: 1, motion, distance: -0.001, speed: motion - 1, impulse: 2, pointA: [0, 0, 0], pointB: [0, 0.5, 0], normal: [0, 1, 0],
  });
  const turn = [Math.SQRT1_2, 0, 0, Math.SQRT1_2]; // a quarter about z
  const frames = [0, 1, 2].map((number) => {
    const moved = { restFrame: 0, turn, shift: [5, number, 0] };
    const extra = number === 0 ? {} : { encoding: 1 + number, moved };
    return {
      number,
      time: number / 10,
      stages: [],
      bodies: [body(0, 'ground', 0, 0, {}), body(1, 'die', 3, number, extra)],
      contacts: number === 2 ? [contact(3, 0), contact(4, 1), contact(5, 1), contact(6, 2)] : [],
    };
  });
  const meta = { carom: 'test', scene: 'two-rigid', dt: 0.1, gravity: [0, -9.81, 0], contact_distance: 0.01 };
  return { frames, ...writeRecording({ meta, frames, version }) };
}

/** A box that falls within a wall of eight fixed bricks on a ground that is much larger than all of it. */
export function pit() {
  const sides = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5];
  const box = (x, y, z, hx, hy, hz) => Array.from({ length: 8 }, (_, i) => [x + (i & 1 ? hx : -hx), y + (i & 2 ? hy : -hy), z + (i & 4 ? hz : -hz)]).flat();
  const body = (number, name, kind, positions, triangles = sides) => ({ number, name, kind, triangles, positions, encoding: 0, topologyFrame: 0, positionsFrame: 0 });
  const bricks = [[-1, -2.5], [1, -2.5], [-1, 2.5], [1, 2.5], [-2.5, -1], [-2.5, 1], [2.5, -1], [2.5, 1]].map(([x, z], i) =>
    body(i + 1, `brick ${i}`, 0, Math.abs(z) > 2 ? box(x, 1.5, z, 1, 1.5, 0.5) : box(x, 1.5, z, 0.5, 1.5, 1)),
  );
  const ground = body(0, 'ground', 0, [-40, 0, -40, 40, 0, -40, 40, 0, 40, -40, 0, 40], [0, 2, 1, 0, 3, 2]);
  const frames = [0, 1, 2].map((number) => ({
    number,
    time: number / 10,
    stages: [],
    contacts: [],
    bodies: [ground, ...bricks, { ...body(9, 'faller', 3, box(0, 1.6 - number / 2, 0, 1, 0.5, 1)), positionsFrame: number }],
  }));
  const meta = { carom: 'test', scene: 'pit', description: 'A box falls into a pit of bricks.', dt: 0.1, gravity: [0, -9.81, 0], contact_distance: 0 };
  return { frames, ...writeRecording({ meta, frames }) };
}

/** A sheet of particles, 1 m wide, that is stretched along x by a tenth in its last frame, with a contact at a corner. */
export function sheet({ wind, details } = {}) {
  const n = 8;
  const at = (i, k, stretch) => [((i / n - 0.5) * stretch), 0.05 * Math.sin(3 * i + k) * (stretch - 1), k / n - 0.5];
  const positions = (stretch) => Array.from({ length: (n + 1) ** 2 }, (_, v) => at(v % (n + 1), Math.floor(v / (n + 1)), stretch)).flat();
  const triangles = Array.from({ length: n * n }, (_, q) => {
    const v = (q % n) + Math.floor(q / n) * (n + 1);
    return [v, v + n + 1, v + 1, v + 1, v + n + 1, v + n + 2];
  }).flat();
  const frames = [0, 1, 2].map((number) => ({
    number,
    time: number / 10,
    stages: [],
    ...(details ? { details } : {}),
    bodies: [{ number: 0, name: 'sheet', kind: 2, triangles, positions: positions(1 + number / 20), encoding: 0, topologyFrame: 0, positionsFrame: number }],
    contacts: number < 2 ? [] : [{ id: 1, a: 0, b: 0, motion: 1, a0: 0, b0: 2 * n * n - 1, distance: 0.01, speed: 0, impulse: 0.5, pointA: [-0.55, 0, -0.5], pointB: [-0.55, 0, -0.5], normal: [0, 1, 0] }],
  }));
  const meta = { carom: 'test', scene: 'sheet', dt: 0.1, gravity: [0, -9.81, 0], contact_distance: 0.01, ...(wind ? { wind } : {}) };
  return { frames, ...writeRecording({ meta, frames }) };
}

/**
 * A clash check of boxes in rows, 10 mm wide: each overlaps the next of its row by 1 mm and more, and the overlaps of
 * the first ten are bodies.
 */
export function clashes(parts = 12) {
  const sides = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5];
  const box = (min, max) => Array.from({ length: 8 }, (_, i) => [i & 1 ? max[0] : min[0], i & 2 ? max[1] : min[1], i & 4 ? max[2] : min[2]]).flat();
  const row = 50;
  const place = (i) => [(i % row) * 0.009 - 0.0001 * (i % row), Math.floor(i / row) * 0.02, 0];
  const low = (i) => place(i);
  const high = (i) => place(i).map((x, axis) => x + (axis === 0 ? 0.01 : 0.008));
  const body = (number, name, positions) => ({ number, name, kind: 0, triangles: sides, positions, encoding: 0, topologyFrame: 0, positionsFrame: 0 });
  const names = Array.from({ length: parts }, (_, i) => `frame/row ${Math.floor(i / row)}/a rather long name of a bracket, number ${i}`);
  const bodies = names.map((name, i) => body(i, `file.step:${name}`, box(low(i), high(i))));
  const list = [];
  for (let i = 0; i + 1 < parts; i++) {
    if ((i + 1) % row === 0) continue;
    const min = low(i + 1);
    const max = high(i);
    const depth = max[0] - min[0];
    const clash = { kind: i % 7 === 6 ? 'touch' : 'overlap', a: i, b: i + 1, distance: -depth, error: 1e-6, volume: depth * 64e-6, places: 1, point_a: max, point_b: min, normal: [1, 0, 0], allowed: i % 11 === 10, change: '', regions: [{ depth, volume: depth * 64e-6, a: [max[0], max[1], max[2]], b: [min[0], max[1], max[2]], min, max }] };
    if (list.length < 10) {
      clash.overlap = parts + list.length;
      bodies.push(body(parts + list.length, `overlap ${list.length + 1}`, box(min, max)));
    }
    list.push(clash);
  }
  const check = { parts, names, unit: { name: 'mm', length: 1e-3 }, clashes: list, all: list.length, defects: [{ part: 1, text: 'open (2 holes)', consequence: 'parts inside of it are not found' }] };
  const meta = { carom: 'test', scene: `${list.length} clashes of ${parts} parts`, dt: 1, gravity: [0, 0, 0], contact_distance: 0, check };
  const frames = [{ number: 0, time: 0, stages: [], contacts: [], bodies }];
  return { frames, check, ...writeRecording({ meta, frames }) };
}

/** details: { levels: [[body, [level, ...]], ...], spheres: [[x, y, z, radius], ...] } */
function detailPayload({ levels, spheres }) {
  return Buffer.concat([
    u32(levels.length),
    ...levels.map(([body, list]) => Buffer.concat([u32(body, list.length), u8(...list)])),
    u32(spheres.length),
    f32(...spheres.flat()),
  ]);
}

/** cuts: { events: [{ step, body, pieces, crossed, separated, length, area }], faces: [[body, [triangle, ...]], ...] } */
export function cutPayload({ events, faces }) {
  return Buffer.concat([
    u32(events.length),
    ...events.map(({ step, body, pieces, crossed, separated, length, area }) =>
      Buffer.concat([u64(step), u32(body, pieces.length, ...pieces, crossed, separated), f64(length, area)]),
    ),
    u32(faces.length),
    ...faces.map(([body, list]) => u32(body, list.length, ...list)),
  ]);
}

/** A block of particles that a blade cuts in frames 4 to 7 of 20; in the last of them its upper half comes off, and rises. */
export function cutBlock() {
  const sides = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5];
  const box = (low, high) => Array.from({ length: 8 }, (_, i) => [i & 1 ? 0.5 : -0.5, i & 2 ? high : low, i & 4 ? 0.5 : -0.5]).flat();
  const body = (number, name, positions, topologyFrame, positionsFrame) => ({ number, name, kind: 2, triangles: sides, positions, encoding: 0, topologyFrame, positionsFrame });
  const cut = (step, pieces = []) => ({ step, body: 0, pieces, crossed: 3, separated: 2, length: 0, area: 0.25 });
  const [bottom, top] = [[6, 7], [4, 5]]; // triangles of the upper side of the lower half, and the lower side of the other
  const frames = Array.from({ length: 20 }, (_, number) => {
    const apart = number >= 7;
    const whole = body(0, 'block', box(-0.5, 0.5), 0, 0);
    const lower = body(0, 'block', box(-0.5, 0), 7, 7);
    const upper = body(1, 'block 2', box(0.05 * (number - 6), 0.5 + 0.05 * (number - 6)), 7, number);
    const events = number >= 4 && number < 7 ? [cut(2 * number)] : number === 7 ? [cut(14, [1])] : [];
    return {
      number,
      time: number / 10,
      stages: [],
      bodies: apart ? [lower, upper] : [whole],
      contacts: [],
      ...(events.length > 0 ? { cuts: { events, faces: number === 7 ? [[0, bottom], [1, top]] : [] } } : {}),
    };
  });
  const meta = { carom: 'test', scene: 'cut-block', dt: 0.1, gravity: [0, -9.81, 0], contact_distance: 0.01 };
  return { frames, ...writeRecording({ meta, frames }) };
}

/** Returns the file's bytes and where each of its chunks begins. */
export function writeRecording({ meta, frames, compress = true, closed = true, extra = [], version = 2 }) {
  const parts = [Buffer.concat([Buffer.from('CAROMREC'), u32(version, 0)])];
  const chunks = [];
  let offset = 16;
  const add = (tag, payload, compressed = compress) => {
    const bytes = chunk(tag, payload, compressed);
    chunks.push({ tag, offset, size: bytes.length });
    parts.push(bytes);
    offset += bytes.length;
  };
  add('META', Buffer.from(JSON.stringify(meta)), false);
  for (const tag of extra) add(tag, Buffer.from('what a later version may write'));
  for (const frame of frames) {
    if (frame.details) add('DETL', detailPayload(frame.details));
    if (frame.cuts) add('CUTS', cutPayload(frame.cuts));
    add('STAT', Buffer.from(JSON.stringify({ frame: frame.number, time: frame.time, stages: frame.stages })));
    add('FRAM', framePayload(frame, version));
  }
  const offsets = chunks.filter((c) => c.tag === 'FRAM').map((c) => c.offset);
  if (closed) add('INDX', u64(offsets.length, ...offsets), false);
  return { bytes: Buffer.concat(parts), chunks };
}

function torus(rings, sides, big, small) {
  const vertices = [];
  const triangles = [];
  for (let i = 0; i < rings; i++) {
    for (let j = 0; j < sides; j++) {
      const u = (2 * Math.PI * i) / rings;
      const v = (2 * Math.PI * j) / sides;
      const r = big + small * Math.cos(v);
      vertices.push(r * Math.cos(u), small * Math.sin(v), r * Math.sin(u));
      const [a, b] = [i * sides + j, i * sides + ((j + 1) % sides)];
      const k = ((i + 1) % rings) * sides;
      triangles.push(a, b, k + j, b, k + ((j + 1) % sides), k + j);
    }
  }
  return { vertices, triangles };
}

/** Two tori that close in on each other above a floor: torus 1 turns and falls, torus 2 stands and wobbles. */
export function twoTori({ frames = 40, rings = 32, sides = 16, origin = [0, 0, 0], compress = true, closed = true, version = 2 } = {}) {
  const shape = torus(rings, sides, 0.5, 0.2);
  const dt = 0.02;
  const place = (spin, lift, side) => {
    const out = new Float64Array(shape.vertices.length);
    for (let i = 0; i < out.length; i += 3) {
      const [x, y, z] = shape.vertices.slice(i, i + 3);
      const [px, py] = side ? [y, x] : [x, y];
      out[i] = origin[0] + px * Math.cos(spin) - z * Math.sin(spin);
      out[i + 1] = origin[1] + py + lift;
      out[i + 2] = origin[2] + px * Math.sin(spin) + z * Math.cos(spin);
    }
    return out;
  };
  const floor = {
    number: 0, name: 'floor', kind: 0, encoding: 0, topologyFrame: 0, positionsFrame: 0, triangles: [0, 2, 1, 0, 3, 2],
    positions: [-1.5, 0, -1.5, 1.5, 0, -1.5, 1.5, 0, 1.5, -1.5, 0, 1.5].map((value, i) => value + origin[i % 3]),
  };
  const list = [];
  for (let number = 0; number < frames; number++) {
    const share = frames > 1 ? number / (frames - 1) : 0;
    const upper = place(0.9 * share, 1.95 - 0.35 * share, true);
    const lower = place(0, 0.35 + 0.02 * Math.sin(9 * share), false);
    const common = { kind: 2, topologyFrame: 0, triangles: shape.triangles };
    const contacts = contactsBetween(upper, lower, shape.triangles, 0.5 * share);
    list.push({
      number,
      time: number * dt,
      stages: number === 0 ? [] : stagesOf(number, shape.triangles.length / 3, contacts.length),
      contacts,
      bodies: [
        floor,
        { ...common, number: 1, name: 'upper torus', kind: 1, encoding: 0, positions: upper, positionsFrame: number },
        { ...common, number: 2, name: 'lower torus', encoding: 1, positions: lower, positionsFrame: number },
      ],
    });
  }
  const meta = { carom: '0.1.0', scene: 'two tori, made by the tests', dt, gravity: [0, -9.81, 0], contact_distance: 0.02 };
  return { ...writeRecording({ meta, frames: list, compress, closed, version }), frames: list };
}

/** Not measured, but placed as real ones are: low vertices of the upper torus against high triangles of the lower. */
function contactsBetween(upper, lower, triangles, share) {
  const contacts = [];
  const point = (positions, vertex) => [...positions.slice(3 * vertex, 3 * vertex + 3)];
  const count = Math.min(Math.round(60 * share) + 4, upper.length / 3);
  const low = [...Array(upper.length / 3).keys()].sort((a, b) => upper[3 * a + 1] - upper[3 * b + 1]).slice(0, count);
  const faces = triangles.length / 3;
  const stride = Math.ceil(faces / 2000);
  low.forEach((vertex, k) => {
    const pointA = point(upper, vertex);
    let best = 0;
    let bestDistance = Infinity;
    for (let t = 0; t < faces; t += stride) {
      const corner = point(lower, triangles[3 * t]);
      const distance = Math.hypot(...corner.map((value, axis) => value - pointA[axis]));
      if (distance < bestDistance) [best, bestDistance] = [t, distance];
    }
    const pointB = point(lower, triangles[3 * best]);
    const zero = k === 1; // touching: a line of no length
    const normal = zero ? [0, 0, 0] : pointB.map((value, axis) => (value - pointA[axis]) / bestDistance);
    const common = { a: 1, b: 2, motion: 1, pointA, pointB: zero ? pointA : pointB, distance: zero ? 0 : bestDistance, normal };
    if (k % 3 === 2) {
      const [b0, b1] = triangles.slice(3 * best, 3 * best + 2);
      contacts.push({ ...common, id: (3n << 60n) | BigInt(vertex), motion: 0, a0: vertex, a1: vertex + 1, b0, b1 });
    } else {
      contacts.push({ ...common, id: BigInt(vertex) + 1n, a0: vertex, b0: best });
    }
  });
  return contacts;
}

/** As the engine counts: each stage takes in what the one before gave out, or says how many of its own these hold. */
function stagesOf(frame, triangles, contacts) {
  const wave = 1 + 0.3 * Math.sin(frame / 5);
  const clusters = Math.round((triangles / 8) * wave);
  const features = 40 * clusters + 5 * frame;
  const stage = (name, i, out, culled, ms, units, more = {}) => ({ name, in: i, in_unit: units[0], out, out_unit: units[units.length - 1], culled, ms, ...more });
  return [
    stage('edits', 0, 0, {}, 0.002, ['bodies']),
    stage('predict', 3, 3, {}, 0.05, ['vertices']),
    stage('bounds', 3, 3, {}, 0.21 * wave, ['triangles']),
    stage('broad', 3, 1, { box: 2 }, 0.004, ['pairs of bodies']),
    stage('mid', clusters + 91822, clusters, { box: 91822 }, 1.7 * wave, ['pairs of clusters']),
    stage('narrow', features, contacts, { distance: features - contacts }, 0.9 * wave, ['pairs of features', 'contacts'], { remembered: 5 * frame }),
    stage('contacts', contacts, contacts, {}, 0.15, ['contacts']),
    stage('respond', contacts, contacts, {}, 0.3, ['contacts']),
    stage('commit', 3, 3, {}, 0.03, ['vertices']),
  ];
}
