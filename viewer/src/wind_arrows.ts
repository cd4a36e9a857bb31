// Arrows that show where the wind comes from: rows of them upwind of the scene, as long as the wind is strong.

import * as THREE from 'three';
import type { Box } from './frames';
import type { Vec3 } from './frame';

const ROWS = 3;
/** m/s at which an arrow is as long as a fifth of the scene. */
const FULL_SPEED = 10;

export class WindArrows {
  readonly group = new THREE.Group();
  private wind: Vec3 | null = null;

  get count(): number {
    return this.group.visible ? this.group.children.length : 0;
  }

  get blows(): boolean {
    return this.wind !== null;
  }

  /** Wind of a recording, m/s, and the box around its run. */
  open(wind: Vec3 | null, box: Box, colour: string): void {
    for (const arrow of [...this.group.children]) (arrow as THREE.ArrowHelper).dispose();
    this.group.clear();
    const velocity = new THREE.Vector3(...(wind ?? [0, 0, 0]));
    this.wind = velocity.length() > 0 ? wind : null;
    if (!this.wind) return;
    const low = new THREE.Vector3(...box.min);
    const high = new THREE.Vector3(...box.max);
    const size = low.distanceTo(high);
    const along = velocity.clone().normalize();
    const across = new THREE.Vector3(0, 1, 0).cross(along);
    if (across.lengthSq() < 1e-6) across.set(1, 0, 0);
    across.normalize();
    const up = along.clone().cross(across);
    const length = Math.min(Math.max((0.2 * velocity.length()) / FULL_SPEED, 0.04), 0.25) * size;
    const upwind = low.clone().add(high).multiplyScalar(0.5).addScaledVector(along, -0.45 * size);
    for (let row = 0; row < ROWS; row++) {
      for (let column = 0; column < ROWS; column++) {
        const at = upwind
          .clone()
          .addScaledVector(across, 0.18 * size * (column - 1))
          .addScaledVector(up, 0.14 * size * (row - 1));
        this.group.add(new THREE.ArrowHelper(along, at, length, colour, 0.35 * length, 0.16 * length));
      }
    }
  }

  setColour(colour: string): void {
    for (const arrow of this.group.children) (arrow as THREE.ArrowHelper).setColor(colour);
  }
}
