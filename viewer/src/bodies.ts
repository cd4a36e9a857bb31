// The bodies' surfaces, wires and boxes. A body keeps its geometry from frame to frame; only its positions are
// written, and only if they changed.

import * as THREE from 'three';
import { FADED, isInTheWay, MOST_TRIANGLES, targetsIn } from './fading';
import type { Options } from './options';
import { bodyColour, type SceneColours } from './palette';
import type { Vec3 } from './frame';
import { boxCorners, type Box, type ShownBody, type ShownFrame } from './frames';

interface BodyObject {
  topologyKey: string;
  placementKey: string;
  colour: string;
  geometry: THREE.BufferGeometry;
  surface: THREE.Mesh<THREE.BufferGeometry, THREE.MeshLambertMaterial>;
  wire: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  box: Box;
  fixed: boolean;
  faded: boolean; // it stands between the eye and what moves
}

export class Bodies {
  readonly group = new THREE.Group();
  private readonly objects = new Map<number, BodyObject>();
  private readonly boxes = new THREE.LineSegments(
    new THREE.BufferGeometry(),
    new THREE.LineBasicMaterial({ vertexColors: true }),
  );
  private colours: SceneColours | null = null;

  constructor(private readonly options: Options) {
    this.boxes.frustumCulled = false;
    this.group.add(this.boxes);
  }

  show(frame: ShownFrame): void {
    const present = new Set(frame.bodies.map((body) => body.number));
    for (const number of [...this.objects.keys()]) if (!present.has(number)) this.remove(number);
    for (const body of frame.bodies) this.place(body);
    this.applyOptions();
  }

  clear(): void {
    for (const number of [...this.objects.keys()]) this.remove(number);
  }

  /** Those that can be picked. */
  surfaces(): THREE.Mesh[] {
    return [...this.objects.values()]
      .filter((object) => (object.surface.visible || object.wire.visible) && !object.faded)
      .map((object) => object.surface);
  }

  /** Lets the eye see what moves through what does not and is in the way. */
  fade(eye: THREE.Vector3): void {
    const objects = [...this.objects.values()];
    const few = (object: BodyObject) => object.geometry.index!.count <= 3 * MOST_TRIANGLES;
    const candidates = objects.filter((object) => object.fixed && few(object));
    if (candidates.length === 0) return;
    const targets = targetsIn(objects.filter((object) => !object.fixed).map((object) => object.box));
    for (const object of candidates) {
      const { geometry, surface } = object;
      object.faded = isInTheWay(eye.toArray(), targets, geometry.getAttribute('position').array, geometry.index!.array);
      surface.material.opacity = object.faded ? FADED : 1;
      surface.material.depthWrite = !object.faded;
      if (surface.material.transparent === object.faded) continue;
      surface.material.transparent = object.faded;
      surface.material.needsUpdate = true;
    }
  }

  setColours(colours: SceneColours): void {
    this.colours = colours;
    this.applyOptions();
  }

  applyOptions(): void {
    const { surface, wireframe } = this.options.values;
    for (const [number, object] of this.objects) {
      const visible = !this.options.hiddenBodies.has(number);
      object.surface.visible = visible && surface;
      object.wire.visible = visible && wireframe;
      // Over a surface the wires only trace it; alone they must carry the body's colour.
      object.wire.material.color.set(surface ? (this.colours?.wire ?? '#000') : object.colour);
      // Many wires close together would turn the surface black.
      const dense = object.geometry.index!.count > 3 * 5000;
      object.wire.material.opacity = surface ? (dense ? 0.2 : 0.4) : 0.85;
    }
    this.drawBoxes();
  }

  private place(body: ShownBody): void {
    let object = this.objects.get(body.number);
    if (object?.topologyKey !== body.topologyKey) {
      this.remove(body.number);
      object = this.create(body);
    }
    if (object.placementKey === body.placementKey) return;
    object.placementKey = body.placementKey;
    object.box = body.placement.box;
    const attribute = object.geometry.getAttribute('position') as THREE.BufferAttribute;
    (attribute.array as Float32Array).set(body.placement.positions);
    attribute.needsUpdate = true;
    const { min, max } = body.placement.box;
    const low = new THREE.Vector3(...min);
    const high = new THREE.Vector3(...max);
    object.geometry.boundingSphere = new THREE.Sphere(low.clone().add(high).multiplyScalar(0.5), low.distanceTo(high) / 2);
  }

  private create(body: ShownBody): BodyObject {
    const colour = bodyColour(body.number, body.topology.kind);
    const geometry = new THREE.BufferGeometry();
    const positions = new THREE.BufferAttribute(new Float32Array(3 * body.vertices), 3);
    positions.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute('position', positions);
    geometry.setIndex(new THREE.BufferAttribute(body.topology.triangles, 1));
    // flatShading takes the normals from screen derivatives: nothing to compute when positions change.
    const surface = new THREE.Mesh(
      geometry,
      new THREE.MeshLambertMaterial({
        color: colour,
        flatShading: true,
        side: THREE.DoubleSide,
        polygonOffset: true,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
      }),
    );
    const wire = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ wireframe: true, transparent: true }));
    surface.userData.body = body.number;
    this.group.add(surface, wire);
    const { topologyKey, placement } = body;
    const fixed = body.topology.kind === 'static';
    const object = { topologyKey, placementKey: '', colour, geometry, surface, wire, box: placement.box, fixed, faded: false };
    this.objects.set(body.number, object);
    return object;
  }

  private remove(number: number): void {
    const object = this.objects.get(number);
    if (!object) return;
    this.group.remove(object.surface, object.wire);
    object.geometry.dispose();
    object.surface.material.dispose();
    object.wire.material.dispose();
    this.objects.delete(number);
  }

  private drawBoxes(): void {
    this.boxes.visible = this.options.values.boxes;
    if (!this.boxes.visible) return;
    const points: number[] = [];
    const colours: number[] = [];
    const colour = new THREE.Color();
    for (const [number, { box, colour: own }] of this.objects) {
      if (this.options.hiddenBodies.has(number)) continue;
      colour.set(own);
      for (const corner of boxEdges(box)) {
        points.push(...corner);
        colours.push(colour.r, colour.g, colour.b);
      }
    }
    this.boxes.geometry.dispose();
    this.boxes.geometry = new THREE.BufferGeometry();
    this.boxes.geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
    this.boxes.geometry.setAttribute('color', new THREE.Float32BufferAttribute(colours, 3));
  }
}

/** The ends of the twelve edges, two after two. */
function* boxEdges(box: Box): Iterable<Vec3> {
  const corners = boxCorners(box);
  for (let i = 0; i < 8; i++) {
    for (let axis = 0; axis < 3; axis++) {
      if ((i >> axis) & 1) continue;
      yield corners[i];
      yield corners[i | (1 << axis)];
    }
  }
}
