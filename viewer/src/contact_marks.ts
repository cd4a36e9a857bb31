// Contacts: a line between the two closest points, and a mark at its middle, since the line is often too short to be
// seen. A mark has a size in the world, which keeps it small beside its bodies, within bounds in pixels. Each motion has a
// colour and a form: resting round, colliding square, separating a diamond.
//
// Marks behind surfaces are drawn faintly; with the option x-ray as strongly as the others.

import * as THREE from 'three';
import { FatLines } from './fat_lines';
import { MOTIONS, type Contacts } from './frame';
import type { Options } from './options';
import type { SceneColours } from './palette';
import { markPixels, markRim, thin } from './thinning';

/** 0 round, 1 square, 2 a square on its corner; in the order of MOTIONS. */
const FORMS = MOTIONS.map((motion) => ({ resting: 0, colliding: 1, separating: 2 })[motion]);

/** Largest diameter of a mark, as a fraction of the size of the scene. */
const MARK_SIZE = 0.014;
const HIDDEN_OPACITY = 0.2;

const vertexShader = `
  attribute float form;
  attribute vec3 color;
  uniform float world;     // diameter, m
  uniform float shift;     // m
  uniform float pixels;    // largest diameter on the screen
  uniform float viewport;  // height of the canvas in pixels
  varying vec3 fill;
  varying float whichForm;
  varying float size;
  void main() {
    fill = color;
    whichForm = form;
    vec4 at = modelViewMatrix * vec4(position, 1.0);
    size = clamp(world * projectionMatrix[1][1] * viewport / (2.0 * max(-at.z, 1e-9)), 0.45 * pixels, pixels);
    at.xyz -= shift * normalize(at.xyz); // towards the eye, out of the surfaces that touch there
    gl_Position = projectionMatrix * at;
    gl_PointSize = size;
  }`;

const fragmentShader = `
  uniform vec3 edge;
  uniform float rim;
  uniform float opacity;
  varying vec3 fill;
  varying float whichForm;
  varying float size;
  void main() {
    vec2 p = abs(gl_PointCoord - 0.5);
    float r = whichForm > 1.5 ? p.x + p.y : whichForm > 0.5 ? max(p.x, p.y) * 1.15 : length(p);
    if (r > 0.5) discard;
    gl_FragColor = vec4(r > 0.5 - rim ? edge : fill, opacity);
    #include <colorspace_fragment>
  }`;

type Marks = THREE.Points<THREE.BufferGeometry, THREE.ShaderMaterial>;

export class ContactMarks {
  readonly group = new THREE.Group();
  /** Contacts that are drawn: those of visible bodies, thinned out where there are too many. */
  drawn: number[] = [];
  /** Number of contacts of visible bodies. */
  total = 0;
  private readonly lines = new FatLines(2.5, 10);
  private readonly marks = makeMarks(11);
  private readonly hidden = makeMarks(9); // the same marks, faint and on top of everything
  private contacts: Contacts | null = null;
  private colours: SceneColours | null = null;
  private size = 1;

  constructor(private readonly options: Options) {
    this.hidden.geometry = this.marks.geometry;
    this.hidden.material.depthTest = false;
    this.group.add(this.lines.object, this.hidden, this.marks);
  }

  show(contacts: Contacts): void {
    this.contacts = contacts;
    this.redraw();
  }

  setColours(colours: SceneColours): void {
    this.colours = colours;
    this.redraw();
  }

  /** Size of the scene, m. */
  setSize(size: number): void {
    this.size = size;
  }

  /** Distance that marks are moved towards the eye, m. */
  get shift(): number {
    return 0.25 * this.diameter;
  }

  /** Of a mark, m. */
  private get diameter(): number {
    return (MARK_SIZE * this.size * markPixels(this.drawn.length)) / markPixels(1);
  }

  /** Height of the canvas in device pixels and their number in a CSS pixel. */
  setViewport(height: number, ratio: number): void {
    for (const { material } of [this.marks, this.hidden]) {
      material.uniforms.viewport.value = height;
      material.uniforms.pixels.value = ratio * markPixels(this.drawn.length);
    }
  }

  redraw(): void {
    const { contacts, colours } = this;
    const { contacts: visible, xray } = this.options.values;
    this.group.visible = visible;
    if (!contacts || !colours || !visible) return;

    const off = this.options.hiddenBodies;
    const candidates: number[] = [];
    for (let i = 0; i < contacts.count; i++) {
      if (!off.has(contacts.bodyA[i]) || !off.has(contacts.bodyB[i])) candidates.push(i);
    }
    this.total = candidates.length;
    this.drawn = thin(contacts, candidates, this.size);
    this.write(contacts, colours);
    const n = this.drawn.length;
    this.hidden.visible = n > 0 && !xray;
    this.lines.material.depthTest = this.marks.material.depthTest = !xray;
    this.lines.material.linewidth = n > 400 ? 1.2 : 2.5;
    for (const { material } of [this.marks, this.hidden]) {
      material.uniforms.world.value = this.diameter;
      material.uniforms.shift.value = this.shift;
      material.uniforms.edge.value.set(colours.markEdge);
    }
    this.marks.material.uniforms.rim.value = markRim(n);
    this.hidden.material.uniforms.opacity.value = HIDDEN_OPACITY;
  }

  private write(contacts: Contacts, colours: SceneColours): void {
    const n = this.drawn.length;
    const ends = new Float32Array(6 * n);
    const endColours = new Float32Array(6 * n);
    const middles = new Float32Array(3 * n);
    const markColours = new Float32Array(3 * n);
    const forms = new Float32Array(n);
    const motionColours = colours.contacts.map((colour) => new THREE.Color(colour).toArray());
    this.drawn.forEach((contact, k) => {
      const colour = motionColours[contacts.motion[contact]];
      forms[k] = FORMS[contacts.motion[contact]];
      for (let axis = 0; axis < 3; axis++) {
        const a = contacts.pointA[3 * contact + axis];
        const b = contacts.pointB[3 * contact + axis];
        ends[6 * k + axis] = a;
        ends[6 * k + 3 + axis] = b;
        middles[3 * k + axis] = (a + b) / 2;
        endColours[6 * k + axis] = endColours[6 * k + 3 + axis] = markColours[3 * k + axis] = colour[axis];
      }
    });
    this.lines.set(ends, endColours);
    this.setMarks(middles, markColours, forms);
  }

  private setMarks(middles: Float32Array, colours: Float32Array, forms: Float32Array): void {
    const n = forms.length;
    let { geometry } = this.marks;
    const capacity = geometry.getAttribute('form')?.count ?? 0;
    if (n > capacity) {
      geometry.dispose();
      geometry = this.marks.geometry = this.hidden.geometry = new THREE.BufferGeometry();
      for (const [name, width] of [['position', 3], ['color', 3], ['form', 1]] as const) {
        geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(2 * n * width), width));
      }
    }
    geometry.setDrawRange(0, n);
    this.marks.visible = n > 0;
    if (n === 0) return;
    for (const [name, values] of [['position', middles], ['color', colours], ['form', forms]] as const) {
      const attribute = geometry.getAttribute(name) as THREE.BufferAttribute;
      (attribute.array as Float32Array).set(values);
      attribute.needsUpdate = true;
    }
  }
}

function makeMarks(renderOrder: number): Marks {
  const values = { world: 1, shift: 0, pixels: 8, viewport: 1, rim: 0, opacity: 1, edge: new THREE.Color() };
  const uniforms = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
  const marks = new THREE.Points(new THREE.BufferGeometry(), new THREE.ShaderMaterial({ vertexShader, fragmentShader, transparent: true, uniforms }));
  marks.frustumCulled = false;
  marks.renderOrder = renderOrder;
  return marks;
}
