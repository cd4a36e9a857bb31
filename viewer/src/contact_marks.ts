// Contacts: a line between the two closest points, and a mark of constant size on the screen at its middle, since the
// line is often too short to be seen. Vertex-face marks are round and green, edge-edge marks square and red.

import * as THREE from 'three';
import { FatLines } from './fat_lines';
import type { Contacts } from './frame';
import type { Options } from './options';
import type { SceneColours } from './palette';

const vertexShader = `
  attribute float square;
  attribute vec3 color;
  uniform float size;
  varying vec3 fill;
  varying float isSquare;
  void main() {
    fill = color;
    isSquare = square;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_Position.z -= 1e-4 * gl_Position.w;
    gl_PointSize = size;
  }`;

const fragmentShader = `
  uniform vec3 edge;
  uniform float size;
  varying vec3 fill;
  varying float isSquare;
  void main() {
    vec2 p = abs(gl_PointCoord - 0.5) * size;
    float r = isSquare > 0.5 ? max(p.x, p.y) * 1.15 : length(p);
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
    const squares = new Float32Array(n);
    const vertexFace = new THREE.Color(colours.vertexFace).toArray();
    const edgeEdge = new THREE.Color(colours.edgeEdge).toArray();
    this.drawn.forEach((contact, k) => {
      const isEdgeEdge = contact >= contacts.vertexFace;
      const colour = isEdgeEdge ? edgeEdge : vertexFace;
      squares[k] = isEdgeEdge ? 1 : 0;
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
    this.setMarks(middles, markColours, squares);
    this.lines.material.depthTest = !xray;
    const { material } = this.marks;
    material.depthTest = !xray;
    material.uniforms.size.value = (n > 400 ? 6 : 8) * this.pixelRatio();
    material.uniforms.edge.value.set(colours.markEdge);
  }

  private setMarks(middles: Float32Array, colours: Float32Array, squares: Float32Array): void {
    const n = squares.length;
    let { geometry } = this.marks;
    const capacity = geometry.getAttribute('square')?.count ?? 0;
    if (n > capacity) {
      geometry.dispose();
      geometry = this.marks.geometry = new THREE.BufferGeometry();
      for (const [name, width] of [['position', 3], ['color', 3], ['square', 1]] as const) {
        geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(2 * n * width), width));
      }
    }
    geometry.setDrawRange(0, n);
    this.marks.visible = n > 0;
    if (n === 0) return;
    for (const [name, values] of [['position', middles], ['color', colours], ['square', squares]] as const) {
      const attribute = geometry.getAttribute(name) as THREE.BufferAttribute;
      (attribute.array as Float32Array).set(values);
      attribute.needsUpdate = true;
    }
  }
}
