// The bodies' surfaces, wires and boxes. A body keeps its geometry from frame to frame; only its positions are
// written, and only if they changed.

import * as THREE from 'three';
import { FADED_OPACITY, hide, MAX_FADED_TRIANGLES, targetsIn } from './fading';
import type { Options } from './options';
import { coloursOf, impulsesOn, scaleEnd, strainOf } from './measures';
import type { SceneColours } from './palette';
import type { Vec3 } from './frame';
import { boxCorners, type Box, type ShownBody, type ShownFrame } from './frames';
import { addSpinPattern } from './spin_pattern';

interface BodyObject {
  topologyKey: string;
  placementKey: string;
  colour: string;
  geometry: THREE.BufferGeometry;
  surface: THREE.Mesh<THREE.BufferGeometry, THREE.MeshLambertMaterial>;
  wire: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  cut: THREE.Mesh<THREE.BufferGeometry, THREE.MeshLambertMaterial> | null; // its faces of cuts, over the surface
  box: Box;
  fixed: boolean;
  outline: THREE.LineSegments<THREE.EdgesGeometry, THREE.LineBasicMaterial> | null; // made when it is first faded
  faded: boolean; // seen through
  cloth: boolean; // deforms, and is shaded smoothly
}

/** How a body is drawn in a check; without a colour in its own. */
export interface BodyStyle {
  colour: string | null;
  opacity: number;
  order?: number; // drawn after those of lower order; 0 if it is not given
}

/** Strain at the end of its scale. */
const STRAIN_END = 0.05;
const COARSEST_LEVEL = 2;

/** Colours of cloth, for the legend. */
export interface Scale {
  name: 'strain' | 'force' | 'levels';
  end: number; // in a fraction, N s, or the coarsest level
}

export class Bodies {
  readonly group = new THREE.Group();
  private readonly objects = new Map<number, BodyObject>();
  private readonly boxes = new THREE.LineSegments(
    new THREE.BufferGeometry(),
    new THREE.LineBasicMaterial({ vertexColors: true }),
  );
  private colours: SceneColours | null = null;
  private grounds: ReadonlySet<number> = new Set();
  private frame: ShownFrame | null = null;
  /** Styles of the bodies that are drawn; null: all are, in their own. */
  private styles: ReadonlyMap<number, BodyStyle> | null = null;
  /** What colours of cloth mean; null if they are those of the bodies. */
  scale: Scale | null = null;

  constructor(private readonly options: Options) {
    this.boxes.frustumCulled = false;
    this.group.add(this.boxes);
  }

  show(frame: ShownFrame): void {
    const present = new Set(frame.bodies.map((body) => body.number));
    for (const number of [...this.objects.keys()]) if (!present.has(number)) this.remove(number);
    this.frame = frame;
    for (const body of frame.bodies) this.place(body);
    this.applyOptions();
  }

  /** Empties the scene for a recording whose grounds are these bodies. */
  clear(grounds: ReadonlySet<number>): void {
    this.grounds = grounds;
    for (const number of [...this.objects.keys()]) this.remove(number);
  }

  /** Those that can be picked. */
  surfaces(): THREE.Mesh[] {
    return [...this.objects.values()]
      .filter((object) => (object.surface.visible || object.wire.visible) && !object.faded)
      .map((object) => object.surface);
  }

  /** Number of bodies that are seen through. */
  get faded(): number {
    return [...this.objects.values()].filter((object) => object.faded && object.surface.visible).length;
  }

  /** Lets the eye see what moves through what does not: all fixed bodies alike, and the grounds alike. */
  fade(eye: THREE.Vector3): void {
    const objects = [...this.objects];
    const moving = objects.filter(([, object]) => !object.fixed).map(([, object]) => object.box);
    const targets = this.options.values.through ? targetsIn(moving) : [];
    for (const ground of [false, true]) {
      const group = objects
        .filter(([number, object]) => object.fixed && this.grounds.has(number) === ground)
        .map(([, object]) => object)
        .filter(({ geometry }) => geometry.index!.count <= 3 * MAX_FADED_TRIANGLES);
      const surfaces = group
        .filter(({ surface }) => surface.visible)
        .map(({ geometry }) => ({ positions: geometry.getAttribute('position').array, triangles: geometry.index!.array }));
      const faded = hide(eye.toArray(), targets, surfaces);
      for (const object of group) this.setFaded(object, faded);
    }
  }

  /** Triangles drawn as faces of cuts. */
  get cutTriangles(): number {
    return [...this.objects.values()].reduce((sum, { cut }) => sum + (cut?.visible ? cut.geometry.index!.count / 3 : 0), 0);
  }

  private setFaded(object: BodyObject, faded: boolean): void {
    const { surface } = object;
    if (faded && !object.outline) {
      const edges = new THREE.EdgesGeometry(object.geometry, 30);
      object.outline = new THREE.LineSegments(edges, new THREE.LineBasicMaterial({ transparent: true, opacity: 0.4 }));
      this.group.add(object.outline);
    }
    if (object.outline) {
      object.outline.visible = faded && surface.visible;
      object.outline.material.color.set(this.colours?.outline ?? '#888');
    }
    if (object.faded === faded) return;
    object.faded = faded;
    surface.material.opacity = faded ? FADED_OPACITY : 1;
    surface.material.depthWrite = !faded;
    surface.material.transparent = faded;
    surface.material.needsUpdate = true;
  }

  setColours(colours: SceneColours): void {
    this.colours = colours;
    this.applyOptions();
  }

  setStyles(styles: ReadonlyMap<number, BodyStyle> | null): void {
    this.styles = styles;
    this.applyOptions();
  }

  /** Diagonal of the box of a body; 0 if there is none. */
  sizeOf(number: number): number {
    const box = this.objects.get(number)?.box;
    return box ? Math.hypot(...box.max.map((high, axis) => high - box.min[axis])) : 0;
  }

  boxOf(number: number): Box | null {
    return this.objects.get(number)?.box ?? null;
  }

  private applyStyle(number: number, object: BodyObject): void {
    const { material } = object.surface;
    const style = this.styles?.get(number) ?? null;
    const opacity = style?.opacity ?? 1;
    material.color.set(style?.colour ?? object.colour);
    object.surface.renderOrder = style?.order ?? 0;
    if (object.faded || material.opacity === opacity) return;
    material.opacity = opacity;
    material.transparent = opacity < 1;
    material.depthWrite = opacity === 1;
    material.needsUpdate = true;
  }

  applyOptions(): void {
    const { surface, wireframe } = this.options.values;
    for (const [number, object] of this.objects) {
      const visible = !this.options.hiddenBodies.has(number) && (this.styles === null || this.styles.has(number));
      this.applyStyle(number, object);
      object.surface.visible = visible && surface;
      object.wire.visible = visible && wireframe;
      // Over a surface the wires only trace it; alone they must carry the body's colour.
      object.wire.material.color.set(surface ? (this.colours?.wire ?? '#000') : object.colour);
      // Many wires close together would turn the surface black.
      const dense = object.geometry.index!.count > 3 * 5000;
      object.wire.material.opacity = surface ? (dense ? 0.2 : 0.4) : 0.85;
    }
    this.drawBoxes();
    this.colourCloth();
    // Colours that mean something else leave no room for those of cuts.
    for (const { cut, surface: mesh } of this.objects.values()) {
      if (!cut) continue;
      cut.visible = mesh.visible && !mesh.material.vertexColors;
      cut.material.color.set(this.colours?.cut ?? '#c00');
    }
  }

  /** Colours of the vertices of cloth, by what is asked for. */
  private colourCloth(): void {
    const { strain, force, levels } = this.options.values;
    const { frame } = this;
    const cloths = (frame?.bodies ?? []).filter(({ number }) => this.objects.get(number)?.cloth);
    this.scale = null;
    const values = new Map<number, Float32Array>();
    for (const { number, unstrained, placement, topology } of cloths) {
      if (strain && unstrained) values.set(number, strainOf(unstrained, placement.positions, topology.triangles));
      if (force && frame) values.set(number, impulsesOn(number, frame.contacts, placement.positions, topology.triangles));
    }
    if (levels) for (const [number, own] of frame?.levels ?? []) values.set(number, Float32Array.from(own));
    if (values.size > 0) {
      const end = strain ? STRAIN_END : levels ? COARSEST_LEVEL : scaleEnd([...values.values()]);
      this.scale = { name: strain ? 'strain' : levels ? 'levels' : 'force', end };
    }
    for (const { number, colour } of cloths) {
      const { geometry, surface } = this.objects.get(number)!;
      const own = values.get(number);
      if (own && this.scale) {
        let attribute = geometry.getAttribute('color') as THREE.BufferAttribute | undefined;
        if (!attribute) geometry.setAttribute('color', (attribute = new THREE.BufferAttribute(new Float32Array(3 * own.length), 3)));
        coloursOf(own, this.scale.end, attribute.array as Float32Array);
        attribute.needsUpdate = true;
      }
      surface.material.color.set(own ? '#ffffff' : colour);
      if (surface.material.vertexColors === Boolean(own)) continue;
      surface.material.vertexColors = Boolean(own);
      surface.material.needsUpdate = true;
    }
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
    if (object.cloth) object.geometry.computeVertexNormals();
    const { min, max } = body.placement.box;
    const low = new THREE.Vector3(...min);
    const high = new THREE.Vector3(...max);
    object.geometry.boundingSphere = new THREE.Sphere(low.clone().add(high).multiplyScalar(0.5), low.distanceTo(high) / 2);
  }

  private create(body: ShownBody): BodyObject {
    const { colour } = body;
    const geometry = new THREE.BufferGeometry();
    const positions = new THREE.BufferAttribute(new Float32Array(3 * body.vertices), 3);
    positions.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute('position', positions);
    geometry.setIndex(new THREE.BufferAttribute(body.topology.triangles, 1));
    // flatShading takes the normals from screen derivatives: nothing to compute when positions change. Cloth is smooth, and
    // its other side is darker.
    const cloth = body.topology.kind === 'particles';
    const surface = new THREE.Mesh(
      geometry,
      new THREE.MeshLambertMaterial({
        color: colour,
        flatShading: !cloth,
        side: THREE.DoubleSide,
        polygonOffset: true,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
      }),
    );
    const wire = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ wireframe: true, transparent: true }));
    surface.userData.body = body.number;
    const cut = body.cutFaces ? makeCut(body.topology.triangles, body.cutFaces, positions) : null;
    this.group.add(surface, wire, ...(cut ? [cut] : []));
    addSpinPattern(body, geometry, surface.material);
    if (cloth) darkenBack(surface.material);
    const { topologyKey, placement } = body;
    const fixed = body.topology.kind === 'static';
    const object: BodyObject = { topologyKey, placementKey: '', colour, geometry, surface, wire, cut, box: placement.box, fixed, outline: null, faded: false, cloth };
    this.objects.set(body.number, object);
    return object;
  }

  private remove(number: number): void {
    const object = this.objects.get(number);
    if (!object) return;
    this.group.remove(object.surface, object.wire);
    if (object.cut) {
      this.group.remove(object.cut);
      object.cut.geometry.dispose();
      object.cut.material.dispose();
    }
    object.geometry.dispose();
    object.surface.material.dispose();
    object.wire.material.dispose();
    if (object.outline) {
      this.group.remove(object.outline);
      object.outline.geometry.dispose();
      object.outline.material.dispose();
    }
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

/** Some triangles of a surface, drawn over it; the positions are those of the surface. */
function makeCut(triangles: Uint32Array, faces: Uint32Array, positions: THREE.BufferAttribute): NonNullable<BodyObject['cut']> {
  const geometry = new THREE.BufferGeometry();
  const corners = new Uint32Array(3 * faces.length);
  faces.forEach((face, i) => corners.set(triangles.subarray(3 * face, 3 * face + 3), 3 * i));
  geometry.setAttribute('position', positions);
  geometry.setIndex(new THREE.BufferAttribute(corners, 1));
  const material = new THREE.MeshLambertMaterial({ flatShading: true, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 0.5, polygonOffsetUnits: 0.5 });
  const cut = new THREE.Mesh(geometry, material);
  cut.frustumCulled = false; // its bounds are not kept up
  return cut;
}

/** The side of a surface that its triangles do not face is a little darker, so that folds can be read. */
function darkenBack(material: THREE.MeshLambertMaterial): void {
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace(
      '#include <color_fragment>',
      '#include <color_fragment>\nif (!gl_FrontFacing) diffuseColor.rgb *= 0.72;',
    );
  };
  material.customProgramCacheKey = () => 'dark-back';
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
