// Hands: bodies that are dragged by a mouse, by fingers or by keys, and the lines that show it.

import * as THREE from 'three';
import type { Vec3 } from './frame';
import type { ShownFrame } from './frames';
import type { LiveInput } from './live_messages';
import type { HandStatus } from './live_stream';
import { castRay } from './picking';
import type { SceneView } from './scene';

const MAX_HANDS = 8;
const KEYBOARD = MAX_HANDS - 1; // its hand; pointers have the others

interface Drag {
  hand: number;
  target: THREE.Vector3; // in the scene
  screen: { x: number; y: number };
}

export class Hands {
  readonly group = new THREE.Group();
  private readonly drags = new Map<number, Drag>(); // by pointer
  private keyboard: { body: string; target: THREE.Vector3 } | null = null;
  private readonly lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: '#e0532f', depthTest: false }));
  private readonly dots = new THREE.Points(
    new THREE.BufferGeometry(),
    new THREE.PointsMaterial({ color: '#e0532f', size: 9, sizeAttenuation: false, depthTest: false }),
  );

  constructor(
    private readonly view: SceneView,
    private readonly frame: () => ShownFrame | null,
    private readonly origin: () => Vec3,
    private readonly send: (...inputs: LiveInput[]) => void,
  ) {
    this.lines.renderOrder = this.dots.renderOrder = 10;
    this.lines.frustumCulled = this.dots.frustumCulled = false;
    this.group.add(this.lines, this.dots);
    const { canvas } = view;
    // Before the camera sees them: on the way down.
    const stage = canvas.parentElement!;
    stage.addEventListener('pointerdown', (event) => event.target === canvas && this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) canvas.addEventListener(name, (event) => this.up(event));
    stage.addEventListener('wheel', (event) => this.wheel(event), { capture: true, passive: false });
  }

  get held(): number {
    return this.drags.size + (this.keyboard ? 1 : 0);
  }

  private world(point: THREE.Vector3): Vec3 {
    const [x, y, z] = this.origin();
    return [point.x + x, point.y + y, point.z + z];
  }

  private down(event: PointerEvent): void {
    const frame = this.frame();
    if (event.button !== 0 || !frame || this.drags.size >= KEYBOARD) return;
    const screen = this.screen(event);
    const hit = castRay(this.view, screen);
    const body = hit && frame.bodies.find(({ number }) => number === hit.object.userData.body);
    if (!hit || !body || body.topology.kind === 'static') return;
    const used = new Set([...this.drags.values()].map(({ hand }) => hand));
    const hand = [...Array(KEYBOARD).keys()].find((each) => !used.has(each))!;
    const target = hit.point.clone();
    this.drags.set(event.pointerId, { hand, target, screen });
    this.view.setOrbit(false);
    this.view.canvas.setPointerCapture(event.pointerId);
    const vertex = body.topology.kind === 'rigid' || !hit.face ? undefined : nearestCorner(body.placement.positions, hit);
    this.send({ grab: { hand, body: body.topology.name, point: this.world(target), vertex } });
  }

  private move(event: PointerEvent): void {
    const drag = this.drags.get(event.pointerId);
    if (!drag) return;
    drag.screen = this.screen(event);
    this.follow(drag);
  }

  /** To where the pointer meets the plane through the target that faces the camera. */
  private follow(drag: Drag): void {
    const { camera, canvas } = this.view;
    camera.updateMatrixWorld();
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2((2 * drag.screen.x) / canvas.clientWidth - 1, 1 - (2 * drag.screen.y) / canvas.clientHeight), camera);
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(camera.getWorldDirection(new THREE.Vector3()), drag.target);
    const target = caster.ray.intersectPlane(plane, new THREE.Vector3());
    if (!target) return;
    drag.target.copy(target);
    this.send({ move: { hand: drag.hand, target: this.world(target) } });
  }

  private up(event: PointerEvent): void {
    const drag = this.drags.get(event.pointerId);
    if (!drag) return;
    this.drags.delete(event.pointerId);
    this.send({ release: { hand: drag.hand } });
    if (this.drags.size === 0) this.view.setOrbit(true);
  }

  /** Away from the eye, or toward it. */
  private wheel(event: WheelEvent): void {
    if (this.drags.size === 0) return;
    event.preventDefault();
    event.stopPropagation();
    for (const drag of this.drags.values()) {
      this.push(drag.target, new THREE.Vector3(0, 0, event.deltaY > 0 ? 1 : -1));
      this.send({ move: { hand: drag.hand, target: this.world(drag.target) } });
    }
  }

  /** Moves a target by a fiftieth of its distance to the eye, along the axes of the screen (right, up, toward the eye). */
  private push(target: THREE.Vector3, direction: THREE.Vector3): void {
    const { camera } = this.view;
    const step = 0.02 * camera.position.distanceTo(target);
    target.addScaledVector(direction.clone().applyQuaternion(camera.quaternion), step);
  }

  /** Takes hold of the next body by its middle; after the last one, of none. */
  nextByKey(): void {
    const bodies = (this.frame()?.bodies ?? []).filter(({ topology }) => topology.kind !== 'static');
    const before = bodies.findIndex(({ topology }) => topology.name === this.keyboard?.body);
    this.releaseKey();
    const body = bodies[before + 1];
    if (!body) return;
    const { min, max } = body.placement.box;
    const target = new THREE.Vector3(...min).add(new THREE.Vector3(...max)).multiplyScalar(0.5);
    this.keyboard = { body: body.topology.name, target };
    this.send({ grab: { hand: KEYBOARD, body: body.topology.name, point: this.world(target) } });
  }

  moveByKey(right: number, up: number, toward: number): void {
    if (!this.keyboard) return;
    this.push(this.keyboard.target, new THREE.Vector3(right, up, toward));
    this.send({ move: { hand: KEYBOARD, target: this.world(this.keyboard.target) } });
  }

  releaseKey(): void {
    if (!this.keyboard) return;
    this.keyboard = null;
    this.send({ release: { hand: KEYBOARD } });
  }

  /** After a reset nothing is held. */
  forget(): void {
    this.drags.clear();
    this.keyboard = null;
    this.view.setOrbit(true);
  }

  draw(hands: HandStatus[]): void {
    const [x, y, z] = this.origin();
    const points = hands.flatMap(({ point, target }) => [point, target]).flatMap(([px, py, pz]) => [px - x, py - y, pz - z]);
    for (const object of [this.lines, this.dots]) {
      object.geometry.dispose();
      object.geometry = new THREE.BufferGeometry();
      object.geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
    }
    this.group.visible = points.length > 0;
  }

  private screen(event: PointerEvent): { x: number; y: number } {
    const { left, top } = this.view.canvas.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }
}

/** Of the triangle that was hit. */
function nearestCorner(positions: Float32Array, { face, point }: THREE.Intersection): number {
  const corners = [face!.a, face!.b, face!.c];
  const distance = (v: number) => point.distanceToSquared(new THREE.Vector3().fromArray(positions, 3 * v));
  return corners.reduce((best, corner) => (distance(corner) < distance(best) ? corner : best));
}
