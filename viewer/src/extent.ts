// Extent of the run: where the bodies are over all frames, the ground left out. Fit shows it.

import { boxCorners, emptyBox, growBox, type Box, type Frames, type ShownFrame } from './frames';
import type { Vec3 } from './frame';

/** Cells along each axis of the grid that holds the vertices. More cells follow the bodies more closely. */
const CELLS = 16;

/** Time for decoding frames when a recording is opened. Frames left out are added when they are shown. */
const BUDGET_MS = 700;

/** Size of a fixed body, as a multiple of all other bodies', from which it is a ground that Fit leaves out. */
const GROUND_RATIO = 2;

export interface BodyExtent {
  number: number;
  fixed: boolean;
  box: Box; // over the frames
}

/**
 * Fixed bodies much larger than the rest that extend over what moves along two axes: planes and terrains. A picture of
 * all of a ground would leave little to see of the bodies on it.
 */
export function groundsAmong(bodies: BodyExtent[]): Set<number> {
  const grounds = new Set<number>();
  const moving = unionOf(bodies.filter((body) => !body.fixed));
  if (moving.min[0] > moving.max[0]) return grounds;
  const covers = ({ box, fixed }: BodyExtent) =>
    fixed && [0, 1, 2].filter((axis) => box.min[axis] <= moving.min[axis] && box.max[axis] >= moving.max[axis]).length >= 2;
  for (const body of bodies) {
    if (!covers(body)) continue;
    const size = diagonal(body.box);
    const rest = bodies.filter((other) => !other.fixed || (!covers(other) && diagonal(other.box) <= size));
    if (size > GROUND_RATIO * diagonal(unionOf(rest))) grounds.add(body.number);
  }
  return grounds;
}

/**
 * Vertices of many frames, held as the tight boxes of those that share a cell of a grid: a few thousand points stand
 * for all of them, and every vertex is within the hull of these points.
 */
export class Extent {
  readonly box: Box = emptyBox();
  private readonly cells = new Map<number, Box>();
  private readonly frames = new Set<number>();
  private readonly placements = new Map<number, string>(); // the last one added of each body

  constructor(private readonly grid: Box, readonly grounds: ReadonlySet<number> = new Set()) {}

  /** Adds the bodies of a frame, unless it was added before. */
  include(frame: ShownFrame): void {
    if (this.frames.has(frame.number)) return;
    this.frames.add(frame.number);
    for (const { number, placement, placementKey } of frame.bodies) {
      if (this.grounds.has(number) || this.placements.get(number) === placementKey || !isFinite(placement.box)) continue;
      this.placements.set(number, placementKey);
      this.addPoints(placement.positions, placement.box);
    }
  }

  /** Adds points and the box around them. */
  addPoints(positions: ArrayLike<number>, box: Box): void {
    const { min, max } = this.grid;
    const scale = min.map((low, axis) => (max[axis] > low ? CELLS / (max[axis] - low) : 0));
    const cellOf = (value: number, axis: number) => Math.min(Math.max(Math.floor((value - min[axis]) * scale[axis]), 0), CELLS - 1);
    let key = -1;
    let cell = emptyBox();
    for (let i = 0; i + 2 < positions.length; i += 3) {
      const next = cellOf(positions[i], 0) + CELLS * (cellOf(positions[i + 1], 1) + CELLS * cellOf(positions[i + 2], 2));
      if (Number.isNaN(next)) continue; // a vertex without a position is not drawn
      if (next !== key) {
        key = next;
        cell = this.cells.get(key) ?? emptyBox();
        this.cells.set(key, cell);
      }
      for (let axis = 0; axis < 3; axis++) {
        const value = positions[i + axis];
        if (value < cell.min[axis]) cell.min[axis] = value;
        if (value > cell.max[axis]) cell.max[axis] = value;
      }
    }
    growBox(this.box, box);
  }

  addBox(box: Box): void {
    this.addPoints(boxCorners(box).flat(), box);
  }

  /** Points whose hull holds all that was added. */
  points(): Vec3[] {
    return [...this.cells.values()].flatMap((cell) => boxCorners(cell));
  }
}

/** Extent over as many frames as the time allows, spread over the run. */
export function extentOfRun(frames: Frames): Extent {
  const end = performance.now() + BUDGET_MS;
  const bodies = new Map<number, BodyExtent>();
  const read: number[] = [];
  for (const number of spread(frames.count)) {
    if (read.length >= 2 && performance.now() > end - BUDGET_MS / 2) break;
    const frame = readable(frames, number);
    if (!frame) continue;
    read.push(number);
    for (const { number: body, placement, topology } of frame.bodies) {
      if (!isFinite(placement.box)) continue;
      const known = bodies.get(body) ?? { number: body, fixed: topology.kind === 'static', box: emptyBox() };
      growBox(known.box, placement.box);
      bodies.set(body, known);
    }
  }
  const grounds = groundsAmong([...bodies.values()]);
  const rest = [...bodies.values()].filter((body) => !grounds.has(body.number));
  if (rest.length === 0) {
    const unit: Box = { min: [-1, -1, -1], max: [1, 1, 1] };
    const extent = new Extent(unit);
    extent.addBox(unit);
    return extent;
  }
  const extent = new Extent(unionOf(rest), grounds);
  for (const [k, number] of read.entries()) {
    if (k >= 2 && performance.now() > end) {
      for (const { box } of rest) extent.addBox(box);
      break;
    }
    extent.include(frames.at(number));
  }
  return extent;
}

/** Numbers below count, each once: the ends, then the middle of every gap, so that any beginning is spread evenly. */
export function* spread(count: number): Iterable<number> {
  if (count > 0) yield 0;
  if (count > 1) yield count - 1;
  let gaps: [number, number][] = [[0, count - 1]];
  while (gaps.length > 0) {
    const next: [number, number][] = [];
    for (const [low, high] of gaps) {
      if (high - low < 2) continue;
      const middle = (low + high) >> 1;
      yield middle;
      next.push([low, middle], [middle, high]);
    }
    gaps = next;
  }
}

/** Null for a frame that cannot be decoded: the fault is reported when the frame is shown. */
function readable(frames: Frames, number: number): ShownFrame | null {
  try {
    return frames.at(number);
  } catch {
    return null;
  }
}

function isFinite({ min, max }: Box): boolean {
  return [...min, ...max].every(Number.isFinite);
}

function unionOf(bodies: BodyExtent[]): Box {
  const box = emptyBox();
  for (const body of bodies) growBox(box, body.box);
  return box;
}

export function diagonal({ min, max }: Box): number {
  return Math.hypot(...max.map((high, axis) => Math.max(high - min[axis], 0)));
}
