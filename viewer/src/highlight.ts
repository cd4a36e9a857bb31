// The selected features, drawn on top of everything.

import * as THREE from 'three';
import { FatLines } from './fat_lines';
import type { ShownFrame } from './frames';
import type { SceneColours } from './palette';
import { selectedEdges, selectedPoint, type Selection } from './selection';

const ringShader = {
  vertexShader: `
    uniform float size;
    void main() {
      gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      gl_PointSize = size;
    }`,
  fragmentShader: `
    uniform vec3 colour;
    void main() {
      float r = length(gl_PointCoord - 0.5);
      if (r > 0.5 || r < 0.34) discard;
      gl_FragColor = vec4(colour, 1.0);
      #include <colorspace_fragment>
    }`,
};

export class Highlight {
  readonly group = new THREE.Group();
  private readonly edges = new FatLines(3, 20);
  private readonly ring: THREE.Points<THREE.BufferGeometry, THREE.ShaderMaterial>;
  private colour = new THREE.Color();

  constructor(private readonly pixelRatio: () => number) {
    this.edges.material.depthTest = false;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3), 3));
    const uniforms = { size: { value: 20 }, colour: { value: this.colour } };
    const material = new THREE.ShaderMaterial({ ...ringShader, uniforms, depthTest: false, transparent: true });
    this.ring = new THREE.Points(geometry, material);
    this.ring.frustumCulled = false;
    this.ring.renderOrder = 21;
    this.ring.visible = false;
    this.group.add(this.edges.object, this.ring);
  }

  setColours(colours: SceneColours): void {
    this.colour.set(colours.highlight);
  }

  show(frame: ShownFrame, selection: Selection | null): void {
    const points = selection ? selectedEdges(frame, selection) : new Float32Array();
    const rgb = this.colour.toArray();
    this.edges.set(points, points.map((_, i) => rgb[i % 3]));
    const point = selection && selectedPoint(frame, selection);
    this.ring.visible = point !== null;
    if (!point) return;
    const attribute = this.ring.geometry.getAttribute('position') as THREE.BufferAttribute;
    attribute.setXYZ(0, ...point);
    attribute.needsUpdate = true;
    this.ring.material.uniforms.size.value = 20 * this.pixelRatio();
  }
}
