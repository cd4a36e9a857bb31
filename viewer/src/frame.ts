// The payload of a FRAM chunk, docs/formats.md.

import { payload, RecordingError, type Chunk } from './recording';

export type Vec3 = [number, number, number];

export const KINDS = ['static', 'kinematic', 'particles', 'rigid'] as const;
export const NO_INDEX = 0xffffffff;

/** How bodies move against each other at a contact; its number in `Contacts.motion`. */
export const MOTIONS = ['colliding', 'resting', 'separating'] as const;

/** Features of a body at a contact; their numbers in `Contacts.featureA` and `featureB`. */
export const FEATURES = ['point', 'vertex', 'edge', 'triangle'] as const;
export const [POINT, VERTEX, EDGE, FACE] = FEATURES.keys();

export interface Topology {
  kind: string;
  name: string;
  triangles: Uint32Array;
}

export interface Body {
  number: number;
  topologyFrame: number;
  positionsFrame: number;
  vertices: number;
  triangles: number;
  topology: Topology | null; // null: held by topologyFrame
  positions: Float32Array | Float64Array | null; // null: held by positionsFrame, or moved
  moved: Moved | null; // its positions are those of an earlier frame, moved
}

/** A turn (w, x, y, z) and then a shift since the frame that holds the positions. */
export interface Moved {
  restFrame: number;
  turn: [number, number, number, number];
  shift: Vec3;
}

export interface Contacts {
  count: number;
  id: BigUint64Array;
  bodyA: Uint32Array;
  bodyB: Uint32Array;
  motion: Uint8Array; // of MOTIONS
  featureA: Uint8Array; // of FEATURES
  a0: Uint32Array; // vertex, triangle or first vertex of an edge; NO_INDEX for a point
  a1: Uint32Array; // second vertex of an edge, or NO_INDEX
  featureB: Uint8Array;
  b0: Uint32Array;
  b1: Uint32Array;
  distance: Float64Array;
  normalSpeed: Float64Array; // NaN if it is not known
  impulse: Float64Array; // NaN if it is not known
  pointA: Float32Array;
  pointB: Float32Array;
  normal: Float32Array; // from a to b; zero if it is not known
}

/** Contacts `first` to `first + count - 1` of those that a frame holds itself. */
export interface ContactRun {
  frame: number;
  first: number;
  count: number;
}

export interface Frame {
  number: number;
  time: number;
  bodies: Body[];
  held: Contacts; // those that are written in this frame
  runs: ContactRun[]; // all contacts of the frame, in their order
}

export function decodeFrame(chunk: Chunk, expected: number, version: number): Frame {
  const reader = new Reader(payload(chunk), chunk.offset);
  const number = reader.u32();
  if (number !== expected) throw reader.fault(`it says it is frame ${number} where frame ${expected} belongs`);
  const time = reader.f64();
  const bodies: Body[] = [];
  for (let n = reader.u32(); n > 0; n--) bodies.push(readBody(reader, number));
  if (version === 1) {
    const held = readFirstVersion(reader);
    return { number, time, bodies, held, runs: [{ frame: number, first: 0, count: held.count }] };
  }
  const n = reader.u32();
  const runs = readRuns(reader, number);
  return { number, time, bodies, held: readContacts(reader, n), runs };
}

function readBody(reader: Reader, frame: number): Body {
  const [number, topologyFrame, positionsFrame, vertices, triangles] = reader.u32s(5);
  if (topologyFrame > frame || positionsFrame > frame) throw reader.fault(`body ${number} refers to a later frame`);
  const body: Body = { number, topologyFrame, positionsFrame, vertices, triangles, topology: null, positions: null, moved: null };
  if (topologyFrame === frame) body.topology = readTopology(reader, body);
  if (positionsFrame === frame) {
    const encoding = reader.u8();
    if (encoding > 3) throw reader.fault(`body ${number} has positions of unknown encoding ${encoding}`);
    const width = encoding % 2 === 0 ? 8 : 4;
    if (encoding >= 2) {
      body.moved = readMoved(reader, width);
      if (body.moved.restFrame >= frame) throw reader.fault(`body ${number} refers to a later frame`);
      return body;
    }
    const values = unshuffle(reader.bytes(3 * vertices * width), width);
    body.positions = encoding === 0 ? new Float64Array(values.buffer) : new Float32Array(values.buffer);
  }
  return body;
}

function readMoved(reader: Reader, width: number): Moved {
  const restFrame = reader.u32();
  const [w, x, y, z, ...shift] = width === 8 ? new Float64Array(reader.copy(56)) : new Float32Array(reader.copy(28));
  return { restFrame, turn: [w, x, y, z], shift: shift as Vec3 };
}

function readTopology(reader: Reader, body: Body): Topology {
  const kind = KINDS[reader.u8()] ?? 'unknown';
  const name = new TextDecoder().decode(reader.bytes(reader.u32()));
  const triangles = reader.u32s(3 * body.triangles);
  if (triangles.some((vertex) => vertex >= body.vertices)) {
    throw reader.fault(`a triangle of body ${body.number} has a vertex that does not exist`);
  }
  return { kind, name, triangles };
}

function readRuns(reader: Reader, frame: number): ContactRun[] {
  const n = reader.u32();
  const [frames, firsts, counts] = [reader.u32s(n), reader.u32s(n), reader.u32s(n)];
  if (frames.some((other) => other > frame)) throw reader.fault('contacts refer to a later frame');
  return Array.from(frames, (other, i) => ({ frame: other, first: firsts[i], count: counts[i] }));
}

function readContacts(reader: Reader, n: number): Contacts {
  const contacts = {
    count: n,
    ...readBodies(reader, n),
    motion: reader.u8s(n),
    featureA: reader.u8s(n),
    a0: reader.u32s(n),
    a1: reader.u32s(n),
    featureB: reader.u8s(n),
    b0: reader.u32s(n),
    b1: reader.u32s(n),
    ...readNumbers(reader, n),
    ...readPoints(reader, n),
    normal: new Float32Array(reader.copy(12 * n)),
  };
  const unknown = (column: Uint8Array, names: readonly string[]) => column.some((value) => value >= names.length);
  if (unknown(contacts.motion, MOTIONS) || unknown(contacts.featureA, FEATURES) || unknown(contacts.featureB, FEATURES)) {
    throw reader.fault('a contact is of a kind not known');
  }
  return contacts;
}

function readBodies(reader: Reader, n: number) {
  return { id: new BigUint64Array(reader.copy(8 * n)), bodyA: reader.u32s(n), bodyB: reader.u32s(n) };
}

function readNumbers(reader: Reader, n: number) {
  const column = () => new Float64Array(reader.copy(8 * n));
  return { distance: column(), normalSpeed: column(), impulse: column() };
}

function readPoints(reader: Reader, n: number) {
  return { pointA: new Float32Array(reader.copy(12 * n)), pointB: new Float32Array(reader.copy(12 * n)) };
}

/** Version 1: contacts of surfaces have features and neither motion nor normal, those of rigid bodies have no features. */
function readFirstVersion(reader: Reader): Contacts {
  const vertexFace = reader.u32();
  const n = vertexFace + reader.u32();
  const head = { count: n, ...readBodies(reader, n), a0: reader.u32s(n), a1: reader.u32s(n), b0: reader.u32s(n), b1: reader.u32s(n) };
  const distance = new Float64Array(reader.copy(8 * n));
  const points = readPoints(reader, n);
  const surfaces: Contacts = {
    ...head,
    motion: new Uint8Array(n).fill(MOTIONS.indexOf('resting')),
    featureA: new Uint8Array(n).fill(VERTEX, 0, vertexFace).fill(EDGE, vertexFace),
    featureB: new Uint8Array(n).fill(FACE, 0, vertexFace).fill(EDGE, vertexFace),
    distance,
    normalSpeed: new Float64Array(n).fill(NaN),
    impulse: new Float64Array(n).fill(NaN),
    ...points,
    normal: normalsBetween(points.pointA, points.pointB),
  };
  if (reader.left === 0) return surfaces;
  const m = reader.u32();
  const nothing = () => new Uint32Array(m).fill(NO_INDEX);
  const rigid: Contacts = {
    count: m,
    ...readBodies(reader, m),
    motion: reader.u8s(m),
    featureA: new Uint8Array(m),
    a0: nothing(),
    a1: nothing(),
    featureB: new Uint8Array(m),
    b0: nothing(),
    b1: nothing(),
    ...readNumbers(reader, m),
    ...readPoints(reader, m),
    normal: new Float32Array(reader.copy(12 * m)),
  };
  if (rigid.motion.some((motion) => motion >= MOTIONS.length)) throw reader.fault('a contact is of a kind not known');
  return joinContacts([
    { from: surfaces, first: 0, count: n },
    { from: rigid, first: 0, count: m },
  ]);
}

function normalsBetween(from: Float32Array, to: Float32Array): Float32Array {
  const normals = new Float32Array(from.length);
  for (let i = 0; i < from.length; i += 3) {
    const size = Math.hypot(to[i] - from[i], to[i + 1] - from[i + 1], to[i + 2] - from[i + 2]);
    if (size > 0) for (let axis = i; axis < i + 3; axis++) normals[axis] = (to[axis] - from[axis]) / size;
  }
  return normals;
}

/** Parts of tables of contacts, one after the other. There is one part at least. */
export function joinContacts(parts: { from: Contacts; first: number; count: number }[]): Contacts {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const joined: Record<string, unknown> = { count: total };
  for (const [name, column] of Object.entries(parts[0].from)) {
    if (typeof column === 'number') continue;
    const width = name.startsWith('point') || name === 'normal' ? 3 : 1;
    const all = new (column.constructor as new (n: number) => typeof column)(width * total);
    let at = 0;
    for (const { from, first, count } of parts) {
      const part = (from[name as keyof Contacts] as typeof column).subarray(width * first, width * (first + count));
      all.set(part as never, at);
      at += part.length;
    }
    joined[name] = all;
  }
  return joined as unknown as Contacts;
}

/** How many there are of each of MOTIONS. */
export function countMotions({ motion }: Contacts): number[] {
  const counts = MOTIONS.map(() => 0);
  for (const each of motion) counts[each]++;
  return counts;
}

/** Values stored as all their bytes 0, then all their bytes 1, and so on, put together again. */
export function unshuffle(planes: Uint8Array, width: number): Uint8Array {
  const count = planes.length / width;
  const values = new Uint8Array(planes.length);
  for (let byte = 0; byte < width; byte++) {
    const plane = byte * count;
    for (let i = 0, at = byte; i < count; i++, at += width) values[at] = planes[plane + i];
  }
  return values;
}

/** Little-endian, unaligned. Typed arrays are made from copies because their buffers must be aligned. */
class Reader {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly data: Uint8Array, private readonly chunkOffset: number) {
    this.view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  fault(why: string): RecordingError {
    return new RecordingError(`The FRAM chunk at byte ${this.chunkOffset} cannot be read: ${why}.`);
  }

  bytes(n: number): Uint8Array {
    if (n > this.data.length - this.at) throw this.fault('it ends too early');
    this.at += n;
    return this.data.subarray(this.at - n, this.at);
  }

  get left(): number {
    return this.data.length - this.at;
  }

  copy(n: number): ArrayBuffer {
    const values = new Uint8Array(n);
    values.set(this.bytes(n));
    return values.buffer;
  }

  u8(): number {
    return this.bytes(1)[0];
  }

  u32(): number {
    this.bytes(4);
    return this.view.getUint32(this.at - 4, true);
  }

  f64(): number {
    this.bytes(8);
    return this.view.getFloat64(this.at - 8, true);
  }

  u8s(n: number): Uint8Array {
    return new Uint8Array(this.copy(n));
  }

  u32s(n: number): Uint32Array {
    return new Uint32Array(this.copy(4 * n));
  }
}
