// Hands: bodies that are dragged and turned by a mouse, by fingers or by keys, and the lines that show it.

import * as THREE from 'three';
import type { Vec3 } from './frame';
import type { ShownFrame } from './frames';
import type { LiveInput } from './live_messages';
import type { HandStatus } from './live_stream';
import { castRay } from './picking';
import type { SceneView } from './scene';

const MAX_HANDS = 8;
const KEYBOARD = MAX_HANDS - 1; // its hand; pointers have the others
const TURN_OF_PIXEL = 0.01; // rad
const TURN_OF_KEY = Math.PI / 36;
const LEAST_SPAN = 8; // px between two fingers, below which nobody can say where they point

/** From one finger to the other, on the screen. */
interface Span {
  length: number; // px
  angle: number; // rad, clockwise from the right
}

/** What a hand holds. */
interface Hold {
  target: THREE.Vector3; // in the scene
  rotation: THREE.Quaternion; // since the grab
}

interface Drag extends Hold {
  hand: number;
  body: string;
  turns: boolean; // what is held by a vertex does not
  screen: { x: number; y: number };
}

/** A second finger beside what a first one holds: the two together move it nearer or farther, and turn it. */
interface Grip {
  drag: Drag;
  screen: { x: number; y: number };
}

export class Hands {
  readonly group = new THREE.Group();
  private readonly drags = new Map<number, Drag>(); // by pointer
  private readonly grips = new Map<number, Grip>(); // by pointer
  private keyboard: (Hold & { body: string }) | null = null;
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
    const moves = body && body.topology.kind !== 'static';
    if (event.pointerType === 'touch' && this.grip(event, moves ? body.topology.name : null, screen)) return;
    if (!hit || !moves) return;
    const used = new Set([...this.drags.values()].map(({ hand }) => hand));
    const hand = [...Array(KEYBOARD).keys()].find((each) => !used.has(each))!;
    const target = hit.point.clone();
    const turns = body.topology.kind !== 'particles';
    this.drags.set(event.pointerId, { hand, body: body.topology.name, turns, target, rotation: new THREE.Quaternion(), screen });
    this.view.setOrbit(false);
    this.view.canvas.setPointerCapture(event.pointerId);
    const vertex = body.topology.kind === 'rigid' || !hit.face ? undefined : nearestCorner(body.placement.positions, hit);
    this.send({ grab: { hand, body: body.topology.name, point: this.world(target), vertex } });
  }

  /** A second finger beside all bodies, or on what the last finger holds if that turns, joins that one. */
  private grip(event: PointerEvent, on: string | null, screen: { x: number; y: number }): boolean {
    const gripped = new Set([...this.grips.values()].map(({ drag }) => drag));
    const drag = [...this.drags.values()].reverse().find((each) => !gripped.has(each) && (on === null || (each.turns && each.body === on)));
    if (!drag) return false;
    this.grips.set(event.pointerId, { drag, screen });
    this.view.canvas.setPointerCapture(event.pointerId);
    return true;
  }

  private move(event: PointerEvent): void {
    const grip = this.grips.get(event.pointerId);
    if (grip) {
      const before = grip.screen;
      grip.screen = this.screen(event);
      return this.pinch(grip.drag, between(grip.drag.screen, before), between(grip.drag.screen, grip.screen));
    }
    const drag = this.drags.get(event.pointerId);
    if (!drag) return;
    const before = drag.screen;
    drag.screen = this.screen(event);
    const second = [...this.grips.values()].find((each) => each.drag === drag);
    if (second) this.pinch(drag, between(before, second.screen), between(drag.screen, second.screen));
    if (!event.shiftKey) return this.follow(drag);
    // As if the pointer rolled it: to the right about the axis up, down about the axis to the right.
    const axis = new THREE.Vector3(drag.screen.y - before.y, drag.screen.x - before.x, 0);
    this.turn(drag.hand, drag, axis, TURN_OF_PIXEL * axis.length());
  }

  /** Fingers that part bring what they hold nearer, along the ray to it; it turns in the plane of the screen as they do. */
  private pinch(drag: Drag, before: Span, after: Span): void {
    if (before.length < LEAST_SPAN || after.length < LEAST_SPAN) return;
    const eye = this.view.camera.position;
    drag.target.sub(eye).multiplyScalar(before.length / after.length).add(eye);
    this.send({ move: { hand: drag.hand, target: this.world(drag.target) } });
    // The screen's y points down, so what grows there goes clockwise.
    const angle = Math.atan2(Math.sin(before.angle - after.angle), Math.cos(before.angle - after.angle));
    if (drag.turns) this.turn(drag.hand, drag, new THREE.Vector3(0, 0, 1), angle);
  }

  /** Turns what a hand holds, about an axis of the screen (right, up, toward the eye). */
  private turn(hand: number, hold: Hold, axis: THREE.Vector3, angle: number): void {
    if (angle === 0) return;
    const inScene = axis.clone().normalize().applyQuaternion(this.view.camera.quaternion);
    hold.rotation.premultiply(new THREE.Quaternion().setFromAxisAngle(inScene, angle)).normalize();
    const { w, x, y, z } = hold.rotation;
    this.send({ turn: { hand, rotation: [w, x, y, z] } });
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
    if (this.grips.delete(event.pointerId)) return;
    const drag = this.drags.get(event.pointerId);
    if (!drag) return;
    this.drags.delete(event.pointerId);
    for (const [pointer, grip] of this.grips) if (grip.drag === drag) this.grips.delete(pointer);
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
    this.keyboard = { body: body.topology.name, target, rotation: new THREE.Quaternion() };
    this.send({ grab: { hand: KEYBOARD, body: body.topology.name, point: this.world(target) } });
  }

  moveByKey(right: number, up: number, toward: number): void {
    if (!this.keyboard) return;
    this.push(this.keyboard.target, new THREE.Vector3(right, up, toward));
    this.send({ move: { hand: KEYBOARD, target: this.world(this.keyboard.target) } });
  }

  turnByKey(right: number, up: number, toward: number): void {
    if (!this.keyboard) return;
    this.turn(KEYBOARD, this.keyboard, new THREE.Vector3(right, up, toward), TURN_OF_KEY);
  }

  releaseKey(): void {
    if (!this.keyboard) return;
    this.keyboard = null;
    this.send({ release: { hand: KEYBOARD } });
  }

  /** After a reset nothing is held. */
  forget(): void {
    this.drags.clear();
    this.grips.clear();
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

function between(a: { x: number; y: number }, b: { x: number; y: number }): Span {
  return { length: Math.hypot(b.x - a.x, b.y - a.y), angle: Math.atan2(b.y - a.y, b.x - a.x) };
}

/** Of the triangle that was hit. */
function nearestCorner(positions: Float32Array, { face, point }: THREE.Intersection): number {
  const corners = [face!.a, face!.b, face!.c];
  const distance = (v: number) => point.distanceToSquared(new THREE.Vector3().fromArray(positions, 3 * v));
  return corners.reduce((best, corner) => (distance(corner) < distance(best) ? corner : best));
}
