// Whether a body stands between the eye and what moves: the walls of a pit would hide all that is in it.

import { boxCorners, emptyBox, growBox, type Box } from './frames';
import type { Vec3 } from './frame';

/** Bodies with more triangles are left alone: they are grounds, and it would take too long. */
export const MOST_TRIANGLES = 200;

/** Opacity of what is in the way. */
export const FADED = 0.12;

/** Where one looks if one looks at all of the boxes: the middle, and points on the way from there to the corners. */
export function targetsIn(boxes: Iterable<Box>): Vec3[] {
  const all = emptyBox();
  for (const box of boxes) growBox(all, box);
  const middle = all.min.map((low, axis) => 0.5 * (low + all.max[axis])) as Vec3;
  const SHARE = 0.8;
  const corners = boxCorners(all).map((p) => p.map((x, axis) => middle[axis] + SHARE * (x - middle[axis])) as Vec3);
  return [middle, ...corners].filter((p) => p.every(Number.isFinite));
}

/** Whether the triangles are in the way of a fifth of the targets or more: two walls share what they hide. */
export function isInTheWay(eye: Vec3, targets: Vec3[], positions: ArrayLike<number>, triangles: ArrayLike<number>): boolean {
  const hidden = targets.filter((target) => {
    for (let i = 0; i + 2 < triangles.length; i += 3)
      if (crosses(eye, target, corner(positions, triangles[i]), corner(positions, triangles[i + 1]), corner(positions, triangles[i + 2])))
        return true;
    return false;
  });
  return hidden.length > 0 && 5 * hidden.length >= targets.length;
}

const corner = (positions: ArrayLike<number>, i: number): Vec3 => [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vec3, b: Vec3): Vec3 => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** Whether the segment from p to q goes through the triangle. */
function crosses(p: Vec3, q: Vec3, a: Vec3, b: Vec3, c: Vec3): boolean {
  const way = sub(q, p);
  const ab = sub(b, a);
  const ac = sub(c, a);
  const h = cross(way, ac);
  const volume = dot(ab, h);
  if (volume === 0) return false;
  const from = sub(p, a);
  const u = dot(from, h) / volume;
  const side = cross(from, ab);
  const v = dot(way, side) / volume;
  const t = dot(ac, side) / volume;
  return u >= 0 && v >= 0 && u + v <= 1 && t > 0 && t < 1;
}
