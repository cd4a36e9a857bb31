// Spheres of the tree of detection, those of one level, as a recording holds them: see-through, so that what they hold
// is seen.

import * as THREE from 'three';
import type { ShownFrame } from './frames';

const MAX_SPHERES = 4096;

export class TreeSpheres {
  readonly group = new THREE.Group();
  private readonly geometry = new THREE.SphereGeometry(1, 20, 12);
  private readonly material = new THREE.MeshLambertMaterial({ transparent: true, opacity: 0.12, depthWrite: false });
  private readonly wires = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.16, wireframe: true, depthWrite: false });
  private meshes: THREE.InstancedMesh[] = [];
  private drawn = 0;

  get count(): number {
    return this.group.visible ? this.drawn : 0;
  }

  setColour(colour: string): void {
    this.material.color.set(colour);
    this.wires.color.set(colour);
  }

  show(frame: ShownFrame | null, visible: boolean): void {
    this.group.visible = visible;
    if (!visible || !frame) return;
    for (const mesh of this.meshes) mesh.dispose();
    this.group.clear();
    const { spheres } = frame;
    this.drawn = Math.min(spheres.length / 4, MAX_SPHERES);
    const place = new THREE.Matrix4();
    this.meshes = [this.material, this.wires].map((material) => new THREE.InstancedMesh(this.geometry, material, this.drawn));
    for (let i = 0; i < this.drawn; i++) {
      const [x, y, z, radius] = spheres.subarray(4 * i, 4 * i + 4);
      place.makeScale(radius, radius, radius).setPosition(x, y, z);
      for (const mesh of this.meshes) mesh.setMatrixAt(i, place);
    }
    for (const mesh of this.meshes) mesh.frustumCulled = false;
    this.group.add(...this.meshes);
  }
}
