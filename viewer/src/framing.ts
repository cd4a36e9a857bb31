// Camera position from which all points of a set are within the picture.

import type { Vec3 } from './frame';

/** Fraction of the picture that the points may fill, across and up. */
const FILLED = 0.9;

export interface Framing {
  center: Vec3; // of the picture
  distance: number; // of the eye from the center, against the direction
  radius: number; // of the points
}

/**
 * The nearest camera that sees all points.
 *
 * With the eye at (x, y, z) in the axes of the view, a point p is between the left and right borders where
 * |p.x - x| <= t (z - p.z), t being the tangent of half the angle of view. The largest p.x + t p.z and -p.x + t p.z of
 * all points give both x and the smallest z; the same holds for y.
 */
export function frame(points: Vec3[], direction: Vec3, fov: number, aspect: number, up: Vec3 = [0, 1, 0]): Framing {
  const tanY = FILLED * Math.tan((fov * Math.PI) / 360);
  const tan = [tanY * aspect, tanY];
  const axes = axesOf(direction, up);
  const local = points.map((point) => axes.map((axis) => dot(point, axis)) as Vec3);
  const low = [0, 1, 2].map((k) => local.reduce((min, p) => Math.min(min, p[k]), Infinity));
  const high = [0, 1, 2].map((k) => local.reduce((max, p) => Math.max(max, p[k]), -Infinity));
  const radius = Math.max(Math.hypot(...high.map((value, k) => value - low[k])) / 2, 1e-9);

  const eye = [0, 0, high[2] + 0.05 * radius]; // no point is nearer to the eye than this
  for (const k of [0, 1]) {
    let right = -Infinity;
    let left = -Infinity;
    for (const p of local) {
      right = Math.max(right, p[k] + tan[k] * p[2]);
      left = Math.max(left, -p[k] + tan[k] * p[2]);
    }
    eye[k] = (right - left) / 2;
    eye[2] = Math.max(eye[2], (right + left) / (2 * tan[k]));
  }
  const depth = (low[2] + high[2]) / 2;
  const localCenter = [eye[0], eye[1], depth];
  const center = [0, 1, 2].map((axis) => axes.reduce((sum, each, k) => sum + each[axis] * localCenter[k], 0)) as Vec3;
  return { center, distance: eye[2] - depth, radius };
}

/** Right, up and towards the eye; up is as near to `up` as it can be. */
function axesOf(direction: Vec3, up: Vec3): Vec3[] {
  const toward = scaled(direction, 1 / Math.hypot(...direction));
  const across = cross(up, toward);
  const size = Math.hypot(...across);
  const right = size > 1e-6 ? scaled(across, 1 / size) : ([1, 0, 0] as Vec3);
  return [right, cross(toward, right), toward];
}

const scaled = (v: Vec3, factor: number): Vec3 => [v[0] * factor, v[1] * factor, v[2] * factor];
const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vec3, b: Vec3): Vec3 => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
