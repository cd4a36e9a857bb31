// Where the camera stands so that the whole run is in the picture.

import * as THREE from 'three';
import { boxCorners, emptyBox, growBox, type Box, type Frames } from './frames';

export interface Extent {
  box: Box;
  corners: THREE.Vector3[]; // of the bodies' boxes: tighter than those of the box around all
}

export function extentOf(boxes: Box[]): Extent {
  const box = emptyBox();
  for (const other of boxes) growBox(box, other);
  const MANY = 5000;
  const corners = (boxes.length > MANY ? [box] : boxes).flatMap((each) => boxCorners(each).map((p) => new THREE.Vector3(...p)));
  return { box, corners };
}

/**
 * From frames spread over the run; all of them would take too long to decode. A ground much larger than what moves on
 * it is left out, or there would be little to see.
 */
export function extentOfRun(frames: Frames): Extent {
  const SAMPLES = 12;
  const BUDGET_MS = 500;
  const all: Box[] = [];
  const moving: Box[] = [];
  const begin = performance.now();
  const wanted = [...new Set(Array.from({ length: SAMPLES }, (_, k) => Math.round((k * (frames.count - 1)) / (SAMPLES - 1))))];
  // Ends first: if time runs out, they say most.
  wanted.sort((a, b) => Math.abs(b - frames.count / 2) - Math.abs(a - frames.count / 2));
  for (const [k, number] of wanted.entries()) {
    if (k >= 2 && performance.now() - begin > BUDGET_MS) break;
    try {
      for (const { placement, topology } of frames.at(number).bodies) {
        if (![...placement.box.min, ...placement.box.max].every(Number.isFinite)) continue;
        all.push(placement.box);
        if (topology.kind !== 'static') moving.push(placement.box);
      }
    } catch {
      // A frame that cannot be read is reported when it is shown.
    }
  }
  if (all.length === 0) return extentOf([{ min: [-1, -1, -1], max: [1, 1, 1] }]);
  const whole = extentOf(all);
  if (moving.length === 0) return whole;
  const play = extentOf(moving);
  return diagonal(play.box) < 0.3 * diagonal(whole.box) ? play : whole;
}

function diagonal({ min, max }: Box): number {
  return Math.hypot(...max.map((high, axis) => high - min[axis]));
}

/** The point to look at and how far from it to stand, against the direction, to see all the points. */
export function fitCamera(
  camera: THREE.PerspectiveCamera,
  points: THREE.Vector3[],
  direction: THREE.Vector3,
): { centre: THREE.Vector3; distance: number; radius: number } {
  const MARGIN = 0.86; // of the picture that the points may fill
  const tanY = MARGIN * Math.tan((camera.fov * Math.PI) / 360);
  const tanX = tanY * camera.aspect;
  const right = new THREE.Vector3(0, 1, 0).cross(direction).normalize();
  const axes = [right, direction.clone().cross(right), direction];

  const bounds = new THREE.Box3();
  const local = points.map((point) => new THREE.Vector3(...axes.map((axis) => point.dot(axis))));
  for (const point of local) bounds.expandByPoint(point);
  const middle = bounds.getCenter(new THREE.Vector3());
  const radius = Math.max(bounds.getSize(new THREE.Vector3()).length() / 2, 1e-9);

  // Perspective draws the near ones larger, so the middle on the screen is not that of the points: move to it.
  let distance = 0;
  for (let turn = 0; turn < 4; turn++) {
    distance = 0.5 * radius;
    for (const point of local) {
      const wide = Math.max(Math.abs(point.x - middle.x) / tanX, Math.abs(point.y - middle.y) / tanY);
      distance = Math.max(distance, point.z - middle.z + wide);
    }
    const seen = new THREE.Box2();
    for (const point of local) {
      const depth = distance - (point.z - middle.z);
      seen.expandByPoint(new THREE.Vector2((point.x - middle.x) / depth, (point.y - middle.y) / depth));
    }
    middle.x += (0.5 * (seen.min.x + seen.max.x)) * distance;
    middle.y += (0.5 * (seen.min.y + seen.max.y)) * distance;
  }
  const centre = new THREE.Vector3();
  axes.forEach((axis, k) => centre.addScaledVector(axis, middle.getComponent(k)));
  return { centre, distance, radius };
}
