// Whether fixed bodies stand between the eye and what moves: the walls of a pit would hide all that is in it.
//
// All fixed bodies but the grounds are judged and faded together. Judged one by one, some bricks of a wall would vanish
// while their neighbours stay, which looks like a fault.

import { boxCorners, emptyBox, growBox, type Box } from './frames';
import type { Vec3 } from './frame';

export interface FixedSurface {
  positions: ArrayLike<number>;
  triangles: ArrayLike<number>;
}

/** Bodies with more triangles are left alone: testing them would take too long. */
export const MAX_FADED_TRIANGLES = 200;

/** Opacity of the faces of what is seen through; its edges are drawn as lines. */
export const FADED_OPACITY = 0.14;

/** Fraction of the targets that must be hidden. */
const HIDDEN_FRACTION = 0.3;

/** Points that stand for all of the boxes: the middle, and points between there and the corners. */
export function targetsIn(boxes: Iterable<Box>): Vec3[] {
  const all = emptyBox();
  for (const box of boxes) growBox(all, box);
  const middle = all.min.map((low, axis) => 0.5 * (low + all.max[axis])) as Vec3;
  const INSIDE = 0.8; // of the distance to the corner
  const corners = boxCorners(all).map((p) => p.map((x, axis) => middle[axis] + INSIDE * (x - middle[axis])) as Vec3);
  return [middle, ...corners].filter((p) => p.every(Number.isFinite));
}

/** Whether the surfaces together hide enough of the targets from the eye. */
export function hide(eye: Vec3, targets: Vec3[], surfaces: FixedSurface[]): boolean {
  const hidden = targets.filter((target) => surfaces.some((surface) => crossesSurface(eye, target, surface)));
  return hidden.length > 0 && hidden.length >= HIDDEN_FRACTION * targets.length;
}

function crossesSurface(eye: Vec3, target: Vec3, { positions, triangles }: FixedSurface): boolean {
  for (let i = 0; i + 2 < triangles.length; i += 3)
    if (crosses(eye, target, corner(positions, triangles[i]), corner(positions, triangles[i + 1]), corner(positions, triangles[i + 2])))
      return true;
  return false;
}

const corner = (positions: ArrayLike<number>, i: number): Vec3 => [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vec3, b: Vec3): Vec3 => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** Whether the segment from p to q goes through the triangle. */
function crosses(p: Vec3, q: Vec3, a: Vec3, b: Vec3, c: Vec3): boolean {
  const segment = sub(q, p);
  const ab = sub(b, a);
  const ac = sub(c, a);
  const h = cross(segment, ac);
  const volume = dot(ab, h);
  if (volume === 0) return false;
  const from = sub(p, a);
  const u = dot(from, h) / volume;
  const side = cross(from, ab);
  const v = dot(segment, side) / volume;
  const t = dot(ac, side) / volume;
  return u >= 0 && v >= 0 && u + v <= 1 && t > 0 && t < 1;
}
