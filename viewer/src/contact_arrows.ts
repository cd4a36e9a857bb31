// Arrows at the contacts, along the normal from body a to body b. The length is the normal impulse on b over the step,
// the longest arrow being the largest of the frame; contacts without an impulse in the recording show their normal with a
// short arrow of one length.

import * as THREE from 'three';
import { FatLines } from './fat_lines';
import type { Contacts } from './frame';
import type { Options } from './options';
import type { SceneColours } from './palette';
import { contactMiddle } from './selection';

/** Lengths, as fractions of the size of the scene. */
const LONGEST = 0.16;
const NORMAL = 0.03;
const HEAD = 0.018;

export class ContactArrows {
  readonly group = new THREE.Group();
  private readonly shafts = new FatLines(2, 12);
  private heads: THREE.InstancedMesh<THREE.ConeGeometry, THREE.MeshBasicMaterial> | null = null;
  private readonly cone = new THREE.ConeGeometry(0.32, 1, 10);
  private readonly material = new THREE.MeshBasicMaterial();

  constructor(private readonly options: Options) {
    this.group.add(this.shafts.object);
  }

  get count(): number {
    return this.group.visible ? (this.heads?.count ?? 0) : 0;
  }

  show(contacts: Contacts, drawn: number[], size: number, colours: SceneColours): void {
    const { contacts: visible, arrows } = this.options.values;
    this.group.visible = visible && arrows;
    if (!this.group.visible) return;
    const list = arrowsOf(contacts, drawn, size);
    const n = list.length;
    const heads = this.reserve(n);
    const ends = new Float32Array(6 * n);
    const endColours = new Float32Array(6 * n);
    const up = new THREE.Vector3(0, 1, 0);
    list.forEach(({ contact, from, direction, length }, k) => {
      const colour = new THREE.Color(colours.contacts[contacts.motion[contact]]);
      const head = Math.min(HEAD * size, 0.4 * length);
      const neck = from.clone().addScaledVector(direction, length - head);
      ends.set([...from.toArray(), ...neck.toArray()], 6 * k);
      endColours.set([...colour.toArray(), ...colour.toArray()], 6 * k);
      const turn = new THREE.Quaternion().setFromUnitVectors(up, direction);
      const middle = neck.addScaledVector(direction, head / 2);
      heads.setMatrixAt(k, new THREE.Matrix4().compose(middle, turn, new THREE.Vector3(head, head, head)));
      heads.setColorAt(k, colour);
    });
    heads.count = n;
    heads.instanceMatrix.needsUpdate = true;
    if (heads.instanceColor) heads.instanceColor.needsUpdate = true;
    this.shafts.set(ends, endColours);
  }

  private reserve(count: number): THREE.InstancedMesh<THREE.ConeGeometry, THREE.MeshBasicMaterial> {
    if (this.heads && this.heads.instanceMatrix.count >= count) return this.heads;
    if (this.heads) {
      this.group.remove(this.heads);
      this.heads.dispose();
    }
    this.heads = new THREE.InstancedMesh(this.cone, this.material, Math.max(2 * count, 16));
    this.heads.frustumCulled = false;
    this.heads.renderOrder = 12;
    this.group.add(this.heads);
    return this.heads;
  }
}

export interface Arrow {
  contact: number;
  from: THREE.Vector3;
  direction: THREE.Vector3;
  length: number; // m
}

/** Impulses too small to be seen beside the largest have no arrow. */
export function arrowsOf(contacts: Contacts, drawn: number[], size: number): Arrow[] {
  const largest = drawn.reduce((max, i) => Math.max(max, contacts.impulse[i] || 0), 0);
  return drawn.flatMap((contact) => {
    const { impulse, normal } = contacts;
    const direction = new THREE.Vector3(...normal.subarray(3 * contact, 3 * contact + 3));
    const recorded = !Number.isNaN(impulse[contact]);
    const length = size * (!recorded ? NORMAL : largest > 0 ? (LONGEST * impulse[contact]) / largest : 0);
    if (direction.lengthSq() < 0.5 || length < 0.005 * size) return [];
    return [{ contact, from: new THREE.Vector3(...contactMiddle(contacts, contact)), direction: direction.normalize(), length }];
  });
}
