// Values at the vertices of a body that deforms, made from what a recording holds: strain against the first frame, and
// impulses of contacts.

import { EDGE, FACE, VERTEX, type Contacts } from './frame';

type Points = Float32Array;

/** Largest strain at each vertex: mean over its triangles, by their area at rest. 0 where cloth is only pressed. */
export function strainOf(rest: Points, positions: Points, triangles: Uint32Array): Float32Array {
  const sum = new Float32Array(rest.length / 3);
  const weight = new Float32Array(sum.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [triangles[t], triangles[t + 1], triangles[t + 2]] as const;
    const before = gram(rest, corners);
    const now = gram(positions, corners);
    const squaredArea = before.uu * before.vv - before.uv * before.uv; // twice the area, squared
    if (!(squaredArea > 0)) continue;
    // Squares of the principal stretches are the roots of x^2 - trace x + determinant.
    const trace = (now.uu * before.vv + now.vv * before.uu - 2 * now.uv * before.uv) / squaredArea;
    const determinant = (now.uu * now.vv - now.uv * now.uv) / squaredArea;
    const largest = trace / 2 + Math.sqrt(Math.max(0, (trace * trace) / 4 - determinant));
    const strain = Math.max(0, Math.sqrt(Math.max(0, largest)) - 1);
    const area = Math.sqrt(squaredArea);
    for (const v of corners) {
      sum[v] += area * strain;
      weight[v] += area;
    }
  }
  for (let v = 0; v < sum.length; v++) if (weight[v] > 0) sum[v] /= weight[v];
  return sum;
}

/** Products of two edges of a triangle. */
function gram(points: Points, [a, b, c]: readonly [number, number, number]) {
  let uu = 0;
  let uv = 0;
  let vv = 0;
  for (let axis = 0; axis < 3; axis++) {
    const u = points[3 * b + axis] - points[3 * a + axis];
    const v = points[3 * c + axis] - points[3 * a + axis];
    uu += u * u;
    uv += u * v;
    vv += v * v;
  }
  return { uu, uv, vv };
}

/** Normal impulse at each vertex of a body, N s: that of a contact goes to the vertices of its feature, by their distance. */
export function impulsesOn(body: number, contacts: Contacts, positions: Points, triangles: Uint32Array): Float32Array {
  const sum = new Float32Array(positions.length / 3);
  const sides = [
    { bodies: contacts.bodyA, features: contacts.featureA, first: contacts.a0, second: contacts.a1, points: contacts.pointA },
    { bodies: contacts.bodyB, features: contacts.featureB, first: contacts.b0, second: contacts.b1, points: contacts.pointB },
  ];
  for (const { bodies, features, first, second, points } of sides) {
    for (let i = 0; i < contacts.count; i++) {
      const impulse = contacts.impulse[i];
      if (bodies[i] !== body || !(impulse > 0)) continue;
      const vertices = verticesOf(features[i], first[i], second[i], triangles).filter((v) => v < sum.length);
      const distances = vertices.map((v) => Math.hypot(...[0, 1, 2].map((axis) => positions[3 * v + axis] - points[3 * i + axis])));
      const longest = distances.reduce((all, each) => all + each, 0);
      const n = vertices.length;
      vertices.forEach((v, k) => (sum[v] += impulse * (n === 1 || longest === 0 ? 1 / n : (1 - distances[k] / longest) / (n - 1))));
    }
  }
  return sum;
}

function verticesOf(feature: number, first: number, second: number, triangles: Uint32Array): number[] {
  if (feature === VERTEX) return [first];
  if (feature === EDGE) return [first, second];
  return feature === FACE ? [...triangles.subarray(3 * first, 3 * first + 3)] : [];
}

/** Stops of the scale from nothing to the end of it; told apart with any colour vision, by lightness alone if need be. */
export const SCALE = ['#dfe6ee', '#8fc3d9', '#4f8fc0', '#8b5aa8', '#b3245e'];
const STOPS = SCALE.map((colour) => [1, 3, 5].map((at) => linear(parseInt(colour.slice(at, at + 2), 16) / 255)));

/** From sRGB, in which colours are written, to linear light, in which they are blended. */
function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** Colours of values, three numbers each, in linear light. */
export function coloursOf(values: Float32Array, end: number, into: Float32Array): void {
  for (let i = 0; i < values.length; i++) {
    const at = Math.min(Math.max(values[i] / end, 0), 1) * (STOPS.length - 1);
    const low = Math.min(Math.floor(at), STOPS.length - 2);
    for (let k = 0; k < 3; k++) into[3 * i + k] = STOPS[low][k] + (at - low) * (STOPS[low + 1][k] - STOPS[low][k]);
  }
}

/** The end of a scale that holds all values but the topmost few: 1, 2 or 5 times a power of ten. */
export function scaleEnd(values: Float32Array[]): number {
  const all = values.flatMap((list) => [...list.filter((value) => value > 0)]).sort((a, b) => a - b);
  const high = all[Math.floor(0.98 * all.length)] ?? 0;
  if (!(high > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(high));
  return power * ([1, 2, 5].find((step) => step * power >= high) ?? 10);
}
