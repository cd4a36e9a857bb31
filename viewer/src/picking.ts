// What is under the pointer: a contact's mark if one is near enough, else a triangle.

import * as THREE from 'three';
import type { ShownFrame } from './frames';
import type { Options } from './options';
import type { SceneView } from './scene';
import { contactMiddle, type Selection } from './selection';

/** Distance between pointer and mark, in pixels; a finger is less exact than a mouse. */
const REACH = 8;
const TOUCH_REACH = 18;

export interface ScreenPoint {
  x: number; // CSS pixels from the canvas's left
  y: number; // and top
}

export function contactScreenPosition(view: SceneView, frame: ShownFrame, i: number): ScreenPoint | null {
  return toScreen(view, new THREE.Vector3(...contactMiddle(frame.contacts, i)));
}

export function pick(view: SceneView, frame: ShownFrame, options: Options, at: ScreenPoint, touch = false): Selection | null {
  const contact = options.values.contacts ? pickContact(view, frame, options, at, touch ? TOUCH_REACH : REACH) : -1;
  if (contact >= 0) return { type: 'contact', id: frame.contacts.id[contact] };
  const hit = castRay(view, at);
  if (!hit || hit.faceIndex == null) return null;
  return { type: 'triangle', body: hit.object.userData.body, triangle: hit.faceIndex };
}

function pickContact(view: SceneView, frame: ShownFrame, options: Options, at: ScreenPoint, reach: number): number {
  const near: { i: number; point: ScreenPoint; distance: number }[] = [];
  for (const i of view.marks.drawn) {
    const point = contactScreenPosition(view, frame, i);
    if (!point) continue;
    const distance = Math.hypot(point.x - at.x, point.y - at.y);
    if (distance <= reach) near.push({ i, point, distance });
  }
  near.sort((a, b) => a.distance - b.distance);
  return near.find(({ i, point }) => options.values.xray || !isBehindSurface(view, frame, i, point))?.i ?? -1;
}

function isBehindSurface(view: SceneView, frame: ShownFrame, i: number, point: ScreenPoint): boolean {
  const hit = castRay(view, point);
  if (!hit) return false;
  const distance = view.camera.position.distanceTo(new THREE.Vector3(...contactMiddle(frame.contacts, i)));
  return hit.distance < distance - view.marks.shift;
}

export function castRay(view: SceneView, at: ScreenPoint): THREE.Intersection | undefined {
  const { clientWidth, clientHeight } = view.canvas;
  const ndc = new THREE.Vector2((2 * at.x) / clientWidth - 1, 1 - (2 * at.y) / clientHeight);
  const caster = new THREE.Raycaster();
  caster.setFromCamera(ndc, view.camera);
  // Meshes are cast even where only their wires are shown: a wire is too thin to hit. three skips invisible layers,
  // not invisible objects, so the list itself must hold only what is shown.
  return caster.intersectObjects(view.bodies.surfaces(), false)[0];
}

export function toScreen(view: SceneView, point: THREE.Vector3): ScreenPoint | null {
  view.camera.updateMatrixWorld();
  point.project(view.camera);
  if (point.z < -1 || point.z > 1) return null;
  const { clientWidth, clientHeight } = view.canvas;
  return { x: ((point.x + 1) / 2) * clientWidth, y: ((1 - point.y) / 2) * clientHeight };
}

/** Bounds of all vertices but those of grounds. `nearest` is the smallest distance in front of the near plane, m. */
export function boundsOnScreen(view: SceneView, { bodies }: ShownFrame): { left: number; top: number; right: number; bottom: number; nearest: number } {
  const { camera, canvas } = view;
  camera.updateMatrixWorld();
  const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity, nearest: Infinity };
  const point = new THREE.Vector3();
  for (const { number, placement } of bodies) {
    if (view.isGround(number)) continue;
    for (let i = 0; i < placement.positions.length; i += 3) {
      point.fromArray(placement.positions, i).applyMatrix4(camera.matrixWorldInverse);
      bounds.nearest = Math.min(bounds.nearest, -point.z - camera.near);
      point.applyMatrix4(camera.projectionMatrix);
      const x = ((point.x + 1) / 2) * canvas.clientWidth;
      const y = ((1 - point.y) / 2) * canvas.clientHeight;
      bounds.left = Math.min(bounds.left, x);
      bounds.right = Math.max(bounds.right, x);
      bounds.top = Math.min(bounds.top, y);
      bounds.bottom = Math.max(bounds.bottom, y);
    }
  }
  return bounds;
}
