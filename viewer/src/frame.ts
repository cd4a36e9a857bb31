// The payload of a FRAM chunk, docs/formats.md.

import { payload, RecordingError, type Chunk } from './recording';

export type Vec3 = [number, number, number];

export const KINDS = ['static', 'kinematic', 'particles', 'rigid'] as const;
export const NO_INDEX = 0xffffffff;

/** How a contact is drawn and named; its number in `Contacts.kind`. The last three are of rigid bodies. */
export const CONTACT_KINDS = ['vertex-face', 'edge-edge', 'colliding', 'resting', 'separating'] as const;
export const FIRST_RIGID_KIND = 2;

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
  kind: Uint8Array; // of CONTACT_KINDS, ascending up to the first of rigid bodies
  id: BigUint64Array;
  bodyA: Uint32Array;
  bodyB: Uint32Array;
  a0: Uint32Array;
  a1: Uint32Array;
  b0: Uint32Array;
  b1: Uint32Array;
  distance: Float64Array;
  normalSpeed: Float64Array; // NaN but for rigid bodies
  impulse: Float64Array; // the same
  normal: Float32Array; // from a to b; zero where two points coincide and none is recorded
  pointA: Float32Array;
  pointB: Float32Array;
}

export interface Frame {
  number: number;
  time: number;
  bodies: Body[];
  contacts: Contacts;
}

export function decodeFrame(chunk: Chunk, expected: number): Frame {
  const reader = new Reader(payload(chunk), chunk.offset);
  const number = reader.u32();
  if (number !== expected) throw reader.fault(`it says it is frame ${number} where frame ${expected} belongs`);
  const time = reader.f64();
  const bodies: Body[] = [];
  for (let n = reader.u32(); n > 0; n--) bodies.push(readBody(reader, number));
  return { number, time, bodies, contacts: readContacts(reader) };
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

function readContacts(reader: Reader): Contacts {
  const features = readFeatureContacts(reader);
  return reader.left > 0 ? join(features, readRigidContacts(reader)) : features;
}

function readFeatureContacts(reader: Reader): Contacts {
  const vertexFace = reader.u32();
  const n = vertexFace + reader.u32();
  const contacts = {
    count: n,
    kind: new Uint8Array(n).fill(1, vertexFace),
    id: new BigUint64Array(reader.copy(8 * n)),
    bodyA: reader.u32s(n),
    bodyB: reader.u32s(n),
    a0: reader.u32s(n),
    a1: reader.u32s(n),
    b0: reader.u32s(n),
    b1: reader.u32s(n),
    distance: new Float64Array(reader.copy(8 * n)),
    normalSpeed: new Float64Array(n).fill(NaN),
    impulse: new Float64Array(n).fill(NaN),
    pointA: new Float32Array(reader.copy(12 * n)),
    pointB: new Float32Array(reader.copy(12 * n)),
  };
  return { ...contacts, normal: normalsBetween(contacts.pointA, contacts.pointB) };
}

function normalsBetween(from: Float32Array, to: Float32Array): Float32Array {
  const normals = new Float32Array(from.length);
  for (let i = 0; i < from.length; i += 3) {
    const size = Math.hypot(to[i] - from[i], to[i + 1] - from[i + 1], to[i + 2] - from[i + 2]);
    if (size > 0) for (let axis = i; axis < i + 3; axis++) normals[axis] = (to[axis] - from[axis]) / size;
  }
  return normals;
}

/** Of rigid bodies: they have no features of meshes, but a kind of motion and an impulse. */
function readRigidContacts(reader: Reader): Contacts {
  const n = reader.u32();
  const nothing = () => new Uint32Array(n).fill(NO_INDEX);
  const contacts = {
    count: n,
    id: new BigUint64Array(reader.copy(8 * n)),
    bodyA: reader.u32s(n),
    bodyB: reader.u32s(n),
    a0: nothing(),
    a1: nothing(),
    b0: nothing(),
    b1: nothing(),
    kind: reader.bytes(n).map((motion) => motion + FIRST_RIGID_KIND),
    distance: new Float64Array(reader.copy(8 * n)),
    normalSpeed: new Float64Array(reader.copy(8 * n)),
    impulse: new Float64Array(reader.copy(8 * n)),
    pointA: new Float32Array(reader.copy(12 * n)),
    pointB: new Float32Array(reader.copy(12 * n)),
    normal: new Float32Array(reader.copy(12 * n)),
  };
  if (contacts.kind.some((kind) => kind >= CONTACT_KINDS.length)) throw reader.fault('a contact is of a kind not known');
  return contacts;
}

function join(first: Contacts, second: Contacts): Contacts {
  const joined: Record<string, unknown> = { count: first.count + second.count };
  for (const [name, column] of Object.entries(first)) {
    if (typeof column === 'number') continue;
    const other = second[name as keyof Contacts] as typeof column;
    const both = new (column.constructor as new (n: number) => typeof column)(column.length + other.length);
    both.set(column as never);
    both.set(other as never, column.length);
    joined[name] = both;
  }
  return joined as unknown as Contacts;
}

/** How many there are of each of CONTACT_KINDS. */
export function countKinds({ kind }: Contacts): number[] {
  const counts = CONTACT_KINDS.map(() => 0);
  for (const each of kind) counts[each]++;
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

  u32s(n: number): Uint32Array {
    return new Uint32Array(this.copy(4 * n));
  }
}
