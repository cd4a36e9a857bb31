// Contacts: a line between the two closest points, and a mark of constant size on the screen at its middle, since the
// line is often too short to be seen. Each kind has a colour and a form: vertex-face round and green, edge-edge square
// and red; of rigid bodies, resting round and green, colliding square and red, separating a blue diamond.

import * as THREE from 'three';
import { FatLines } from './fat_lines';
import { CONTACT_KINDS, type Contacts } from './frame';
import type { Options } from './options';
import type { SceneColours } from './palette';

/** 0 round, 1 square, 2 a square on its corner; in the order of CONTACT_KINDS. */
const FORMS = CONTACT_KINDS.map((kind) => ({ 'vertex-face': 0, resting: 0, 'edge-edge': 1, colliding: 1, separating: 2 })[kind]);

const vertexShader = `
  attribute float form;
  attribute vec3 color;
  uniform float size;
  varying vec3 fill;
  varying float whichForm;
  void main() {
    fill = color;
    whichForm = form;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_Position.z -= 1e-4 * gl_Position.w;
    gl_PointSize = size;
  }`;

const fragmentShader = `
  uniform vec3 edge;
  uniform float size;
  varying vec3 fill;
  varying float whichForm;
  void main() {
    vec2 p = abs(gl_PointCoord - 0.5) * size;
    float r = whichForm > 1.5 ? p.x + p.y : whichForm > 0.5 ? max(p.x, p.y) * 1.15 : length(p);
    float outer = size * 0.5;
    if (r > outer) discard;
    gl_FragColor = vec4(r > outer - 0.16 * size ? edge : fill, 1.0);
    #include <colorspace_fragment>
  }`;

export class ContactMarks {
  readonly group = new THREE.Group();
  /** Which contacts are drawn: those of visible bodies. */
  drawn: number[] = [];
  private readonly lines = new FatLines(2.5, 10);
  private readonly marks: THREE.Points<THREE.BufferGeometry, THREE.ShaderMaterial>;
  private contacts: Contacts | null = null;
  private colours: SceneColours | null = null;

  constructor(private readonly options: Options, private readonly pixelRatio: () => number) {
    const material = new THREE.ShaderMaterial({
      vertexShader,
      fragmentShader,
      transparent: true,
      uniforms: { size: { value: 8 }, edge: { value: new THREE.Color() } },
    });
    this.marks = new THREE.Points(new THREE.BufferGeometry(), material);
    this.marks.frustumCulled = false;
    this.marks.renderOrder = 11;
    this.group.add(this.lines.object, this.marks);
  }

  show(contacts: Contacts): void {
    this.contacts = contacts;
    this.redraw();
  }

  setColours(colours: SceneColours): void {
    this.colours = colours;
    this.redraw();
  }

  redraw(): void {
    const { contacts, colours } = this;
    const { contacts: visible, xray } = this.options.values;
    this.group.visible = visible;
    if (!contacts || !colours || !visible) return;

    const hidden = this.options.hiddenBodies;
    this.drawn = [];
    for (let i = 0; i < contacts.count; i++) {
      if (!hidden.has(contacts.bodyA[i]) || !hidden.has(contacts.bodyB[i])) this.drawn.push(i);
    }
    const n = this.drawn.length;
    const ends = new Float32Array(6 * n);
    const endColours = new Float32Array(6 * n);
    const middles = new Float32Array(3 * n);
    const markColours = new Float32Array(3 * n);
    const forms = new Float32Array(n);
    const kindColours = colours.contacts.map((colour) => new THREE.Color(colour).toArray());
    this.drawn.forEach((contact, k) => {
      const colour = kindColours[contacts.kind[contact]];
      forms[k] = FORMS[contacts.kind[contact]];
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
    this.lines.material.depthTest = !xray;
    const { material } = this.marks;
    material.depthTest = !xray;
    material.uniforms.size.value = (n > 400 ? 6 : 8) * this.pixelRatio();
    material.uniforms.edge.value.set(colours.markEdge);
  }

  private setMarks(middles: Float32Array, colours: Float32Array, forms: Float32Array): void {
    const n = forms.length;
    let { geometry } = this.marks;
    const capacity = geometry.getAttribute('form')?.count ?? 0;
    if (n > capacity) {
      geometry.dispose();
      geometry = this.marks.geometry = new THREE.BufferGeometry();
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
