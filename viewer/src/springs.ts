// Springs of bodies that deform: along the edges of their triangles, and across the inner ones, coloured by how far they
// are from their length in the first frame.

import * as THREE from 'three';
import type { ShownFrame } from './frames';
import { coloursOf } from './measures';

/** Change of length at the end of the scale. */
const SPRING_END = 0.05;

/** Ends of the springs of triangles, two after two: each edge, and the two corners opposite to one that two triangles share. */
export function springsOf(triangles: Uint32Array): Uint32Array {
  const opposite = new Map<string, number>();
  const ends: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const [a, b, c] = [triangles[t + k], triangles[t + ((k + 1) % 3)], triangles[t + ((k + 2) % 3)]];
      const key = a < b ? `${a},${b}` : `${b},${a}`;
      const other = opposite.get(key);
      if (other === undefined) ends.push(a, b);
      else if (other !== c) ends.push(other, c);
      opposite.set(key, c);
    }
  }
  return Uint32Array.from(ends);
}

/** Change of the length of each spring, as a fraction. */
export function springStrains(ends: Uint32Array, rest: Float32Array, positions: Float32Array): Float32Array {
  const length = (of: Float32Array, i: number) =>
    Math.hypot(...[0, 1, 2].map((axis) => of[3 * ends[i + 1] + axis] - of[3 * ends[i] + axis]));
  const strains = new Float32Array(ends.length / 2);
  for (let i = 0; i < ends.length; i += 2) {
    const before = length(rest, i);
    strains[i / 2] = before > 0 ? Math.abs(length(positions, i) / before - 1) : 0;
  }
  return strains;
}

export class Springs {
  readonly lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true }));
  private readonly known = new Map<string, Uint32Array>();

  constructor() {
    this.lines.frustumCulled = false;
  }

  get count(): number {
    return this.lines.visible ? (this.lines.geometry.getAttribute('position')?.count ?? 0) / 2 : 0;
  }

  show(frame: ShownFrame | null, visible: boolean, hidden: ReadonlySet<number>): void {
    this.lines.visible = visible;
    if (!visible || !frame) return;
    const points: number[] = [];
    const colours: number[] = [];
    for (const { number, topologyKey, topology, unstrained, placement } of frame.bodies) {
      if (!unstrained || hidden.has(number)) continue;
      let ends = this.known.get(topologyKey);
      if (!ends) this.known.set(topologyKey, (ends = springsOf(topology.triangles)));
      const strains = springStrains(ends, unstrained, placement.positions);
      const own = new Float32Array(3 * strains.length);
      coloursOf(strains, SPRING_END, own);
      for (let i = 0; i < ends.length; i++) {
        const colour = 3 * (i >> 1);
        for (let axis = 0; axis < 3; axis++) {
          points.push(placement.positions[3 * ends[i] + axis]);
          colours.push(own[colour + axis]);
        }
      }
    }
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry();
    this.lines.geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
    this.lines.geometry.setAttribute('color', new THREE.Float32BufferAttribute(colours, 3));
  }
}
