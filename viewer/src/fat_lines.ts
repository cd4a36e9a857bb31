// Line segments some pixels wide (WebGL's own are one pixel) whose buffers are kept and only grow.

import * as THREE from 'three';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';

export class FatLines {
  readonly object: LineSegments2;
  readonly material: LineMaterial;
  private capacity = 0;

  constructor(width: number, renderOrder: number) {
    this.material = new LineMaterial({ linewidth: width, vertexColors: true, transparent: true });
    this.object = new LineSegments2(new LineSegmentsGeometry(), this.material);
    this.object.frustumCulled = false;
    this.object.renderOrder = renderOrder;
    this.object.visible = false;
  }

  /** Six numbers a segment in both arrays: two points, two colours. */
  set(points: Float32Array, colours: Float32Array): void {
    const count = points.length / 6;
    this.object.visible = count > 0;
    if (count > this.capacity) this.grow(count);
    this.object.geometry.instanceCount = count;
    this.write('instanceStart', points);
    this.write('instanceColorStart', colours);
  }

  private grow(count: number): void {
    this.capacity = 2 * count;
    this.object.geometry.dispose();
    this.object.geometry = new LineSegmentsGeometry();
    this.object.geometry.setPositions(new Float32Array(6 * this.capacity));
    this.object.geometry.setColors(new Float32Array(6 * this.capacity));
  }

  private write(name: string, values: Float32Array): void {
    const attribute = this.object.geometry.getAttribute(name) as THREE.InterleavedBufferAttribute | undefined;
    if (!attribute) return;
    (attribute.data.array as Float32Array).set(values);
    attribute.data.needsUpdate = true;
  }
}
