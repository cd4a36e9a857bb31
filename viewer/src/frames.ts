// Decoded frames, found by number. Follows the references of a body to the earlier frame that holds its topology or
// its positions, and those of contacts, and moves positions from the world (double) to the scene (float, about the scene's origin): a scene
// a thousand kilometres from the world's origin would otherwise shake on the screen.

import { decodeCuts, type Cut, type Cuts } from './cuts';
import { decodeDetails, type Details } from './details';
import { decodeFrame, joinContacts, type Body, type Contacts, type Frame, type Moved, type Topology, type Vec3 } from './frame';
import { RecordingError, type Recording } from './recording';
import { Lru } from './lru';
import { bodyColour, pieceColour } from './palette';

export interface Box {
  min: Vec3;
  max: Vec3;
}

export interface Placement {
  positions: Float32Array; // in the scene
  box: Box; // in the scene
}

export interface ShownBody {
  number: number;
  topologyKey: string; // the same as long as the triangles are
  topology: Topology;
  placementKey: string;
  placement: Placement;
  colour: string;
  rest: Float32Array | null; // of a rigid body: positions in a frame that turns with it
  unstrained: Float32Array | null; // of a body of particles: positions in the first frame, about which it deforms
  cutFaces: Uint32Array | null; // triangles that cuts have made
  parent: number | null; // of a piece: the body that it came off
  vertices: number;
  triangles: number;
}

export interface ShownFrame {
  number: number;
  time: number;
  bodies: ShownBody[];
  contacts: Contacts; // points in the scene
  levels: Details['levels'];
  spheres: Details['spheres']; // in the scene
}

const CACHED_FRAMES = 16;
const CACHED_BYTES = 192e6; // each of decoded frames and placements

export class Frames {
  readonly origin: Vec3;
  readonly count: number;
  /** Cuts of the run, by frame. */
  readonly events = new Map<number, Cut[]>();
  private readonly faces = new Map<number, Cuts['faces']>(); // by frame
  private readonly parents = new Map<number, number>(); // of pieces, in the order in which they came off
  private readonly pieces = new Map<number, number>(); // their places in that order
  private readonly decoded = new Lru<number, Frame>(CACHED_BYTES);
  private readonly shown = new Lru<number, ShownFrame>(CACHED_FRAMES);
  // Apart from the frames: bodies at rest since many different frames would otherwise push each other's frames out.
  private readonly placements = new Lru<string, Placement>(CACHED_BYTES);
  private readonly topologies = new Map<string, Topology>();
  private readonly rests = new Map<string, Float32Array | null>();
  private readonly unstrained = new Map<string, Float32Array | null>();

  /** The origin of the scene is the middle of the first frame unless it is given. */
  constructor(private readonly recording: Recording, origin?: Vec3) {
    this.count = recording.frames.length;
    this.origin = origin ?? centreOf(this.decode(0));
    for (const [frame, chunk] of recording.cuts) if (frame < this.count) this.takeCuts(frame, decodeCuts(chunk));
  }

  at(number: number): ShownFrame {
    const known = this.shown.get(number);
    if (known) return known;
    const frame = this.decode(number);
    const bodies = frame.bodies.map((body) => this.show(body));
    // Where nothing moves, as in an assembly, no body is the stage of others.
    if (bodies.every(({ topology }) => topology.kind === 'static')) for (const body of bodies) body.colour = bodyColour(body.number, '');
    const shown: ShownFrame = {
      number,
      time: frame.time,
      bodies,
      contacts: this.moveContacts(this.contactsOf(frame)),
      ...this.detailsOf(number),
    };
    this.shown.set(number, shown, 1);
    return shown;
  }

  nameOf(body: number, frame: number): string {
    const found = this.decode(frame).bodies.find(({ number }) => number === body);
    return (found && this.topologyOf(found).name) || `body ${body}`;
  }

  private takeCuts(frame: number, { events, faces }: Cuts): void {
    this.faces.set(frame, faces);
    if (events.length > 0) this.events.set(frame, events);
    for (const { body, pieces } of events) {
      for (const piece of pieces) {
        this.parents.set(piece, body);
        if (!this.pieces.has(piece)) this.pieces.set(piece, this.pieces.size);
      }
    }
  }

  private decode(number: number): Frame {
    const known = this.decoded.get(number);
    if (known) return known;
    const chunk = this.recording.frames[number];
    const frame = decodeFrame(chunk, number, this.recording.version);
    this.decoded.set(number, frame, chunk.rawSize);
    return frame;
  }

  private topologyOf(body: Body): Topology {
    const key = `${body.number}@${body.topologyFrame}`;
    let topology = this.topologies.get(key);
    if (!topology) {
      topology = this.held(body, body.topologyFrame, 'topology');
      this.topologies.set(key, topology);
    }
    return topology;
  }

  private show(body: Body): ShownBody {
    const topologyKey = `${body.number}@${body.topologyFrame}`;
    const placementKey = `${body.number}@${body.positionsFrame}`;
    const topology = this.topologyOf(body);
    let placement = this.placements.get(placementKey);
    if (!placement) {
      placement = place(this.positionsOf(body), this.origin);
      this.placements.set(placementKey, placement, placement.positions.byteLength);
    }
    if (topology.triangles.length !== 3 * body.triangles || placement.positions.length !== 3 * body.vertices) {
      throw new RecordingError(`Body ${body.number} does not agree with the earlier frame it refers to.`);
    }
    const { number, vertices, triangles } = body;
    const piece = this.pieces.get(number);
    const colour = piece === undefined ? bodyColour(number, topology.kind) : pieceColour(piece);
    const parent = this.parents.get(number) ?? null;
    const cutFaces = this.cutFacesOf(body);
    return { number, cutFaces, parent, topologyKey, topology, placementKey, placement, colour, rest: this.restOf(body, topologyKey, topology), unstrained: this.unstrainedOf(body, topology), vertices, triangles };
  }

  /** Faces of cuts are in the frame that holds the triangles. */
  private cutFacesOf(body: Body): Uint32Array | null {
    const faces = this.faces.get(body.topologyFrame)?.get(body.number) ?? null;
    if (faces?.some((triangle) => triangle >= body.triangles)) {
      throw new RecordingError(`A cut face of body ${body.number} is a triangle that does not exist.`);
    }
    return faces;
  }

  /** In the world. */
  private positionsOf(body: Body): Float32Array | Float64Array {
    const holder = this.decode(body.positionsFrame).bodies.find((other) => other.number === body.number);
    if (!holder?.moved) return this.held(body, body.positionsFrame, 'positions');
    return moved(this.held(body, holder.moved.restFrame, 'positions'), holder.moved);
  }

  /** Positions in the frame that holds the triangles, about their middle. */
  private restOf(body: Body, key: string, { kind }: Topology): Float32Array | null {
    if (kind !== 'rigid') return null;
    const known = this.rests.get(key);
    if (known !== undefined) return known;
    const world = this.decode(body.topologyFrame).bodies.find((other) => other.number === body.number)?.positions ?? null;
    const box = world && place(world, [0, 0, 0]).box;
    const rest = box && place(world, box.min.map((low, axis) => (low + box.max[axis]) / 2) as Vec3).positions;
    this.rests.set(key, rest);
    return rest;
  }

  /** Where bodies of particles begin they are at rest. One that comes later, or has other vertices by now, has no such frame. */
  private unstrainedOf(body: Body, { kind }: Topology): Float32Array | null {
    if (kind !== 'particles') return null;
    const key = `${body.number}:${body.vertices}`;
    const known = this.unstrained.get(key);
    if (known !== undefined) return known;
    const first = this.decode(0).bodies.find((other) => other.number === body.number)?.positions ?? null;
    const found = first && first.length === 3 * body.vertices ? place(first, this.origin).positions : null;
    this.unstrained.set(key, found);
    return found;
  }

  private held<K extends 'topology' | 'positions'>(body: Body, frame: number, what: K): NonNullable<Body[K]> {
    const value = this.decode(frame).bodies.find((other) => other.number === body.number)?.[what];
    if (!value) throw new RecordingError(`Body ${body.number} has its ${what} in frame ${frame}, which does not hold them.`);
    return value as NonNullable<Body[K]>;
  }

  /** Contacts that last unchanged are in the frame that holds them. */
  private contactsOf(frame: Frame): Contacts {
    const taken = new Map<number, number>();
    const parts = frame.runs.map(({ frame: number, first, count }) => {
      const from = number === frame.number ? frame.held : this.decode(number).held;
      const used = (taken.get(number) ?? 0) + count;
      taken.set(number, used);
      if (first + count > from.count || used > from.count) {
        throw new RecordingError(`Frame ${frame.number} refers to contacts of frame ${number}, which does not hold them.`);
      }
      return { from, first, count };
    });
    return parts.length > 0 ? joinContacts(parts) : frame.held;
  }

  private detailsOf(number: number): Details {
    const { levels, spheres } = decodeDetails(this.recording.details.get(number));
    return { levels, spheres: spheres.map((value, i) => (i % 4 < 3 ? value - this.origin[i % 4] : value)) };
  }

  private moveContacts(contacts: Contacts): Contacts {
    const move = (points: Float32Array) => points.map((value, i) => value - this.origin[i % 3]);
    return { ...contacts, pointA: move(contacts.pointA), pointB: move(contacts.pointB) };
  }
}

function moved(rest: Float32Array | Float64Array, { turn: [w, x, y, z], shift }: Moved): Float64Array {
  const result = new Float64Array(rest.length);
  for (let i = 0; i < rest.length; i += 3) {
    const [px, py, pz] = [rest[i], rest[i + 1], rest[i + 2]];
    // p + 2 w (q x p) + 2 q x (q x p)
    const cx = y * pz - z * py;
    const cy = z * px - x * pz;
    const cz = x * py - y * px;
    result[i] = px + 2 * (w * cx + y * cz - z * cy) + shift[0];
    result[i + 1] = py + 2 * (w * cy + z * cx - x * cz) + shift[1];
    result[i + 2] = pz + 2 * (w * cz + x * cy - y * cx) + shift[2];
  }
  return result;
}

function place(world: Float32Array | Float64Array, origin: Vec3): Placement {
  const positions = new Float32Array(world.length);
  const box = emptyBox();
  for (let axis = 0; axis < 3; axis++) {
    let min = Infinity;
    let max = -Infinity;
    for (let i = axis; i < world.length; i += 3) {
      const value = world[i] - origin[axis];
      positions[i] = value;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    box.min[axis] = min;
    box.max[axis] = max;
  }
  return { positions, box };
}

function centreOf(frame: Frame): Vec3 {
  const all = emptyBox();
  for (const body of frame.bodies) {
    if (body.positions) growBox(all, place(body.positions, [0, 0, 0]).box);
  }
  return all.min.map((min, axis) => (min <= all.max[axis] ? (min + all.max[axis]) / 2 : 0)) as Vec3;
}

export function emptyBox(): Box {
  return { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
}

/** Corner i takes max on the axes whose bit is set in i. */
export function boxCorners({ min, max }: Box): Vec3[] {
  return Array.from({ length: 8 }, (_, i) => min.map((low, axis) => ((i >> axis) & 1 ? max[axis] : low)) as Vec3);
}

export function growBox(box: Box, other: Box): void {
  for (let axis = 0; axis < 3; axis++) {
    box.min[axis] = Math.min(box.min[axis], other.min[axis]);
    box.max[axis] = Math.max(box.max[axis], other.max[axis]);
  }
}
