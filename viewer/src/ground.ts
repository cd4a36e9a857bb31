// A discreet grid under the scene, on round world coordinates, fading out so that it has no border.

import * as THREE from 'three';
import type { Vec3 } from './frame';
import type { Box } from './frames';

const LINES = 20; // each way from the middle

export function makeGround({ min, max }: Box, origin: Vec3): THREE.LineSegments {
  const span = Math.max(max[0] - min[0], max[2] - min[2], (max[1] - min[1]) / 2, 1e-9);
  const step = roundStep(span / 6);
  const middle = [0, 2].map((axis) => {
    const world = origin[axis] + (min[axis] + max[axis]) / 2;
    return Math.round(world / step) * step - origin[axis];
  });
  const y = min[1] - 2e-3 * span;
  const reach = LINES * step;
  const points: number[] = [];
  // Cut at every crossing: the fade is interpolated between the ends of a segment.
  for (let i = -LINES; i <= LINES; i++) {
    for (let j = -LINES; j < LINES; j++) {
      const across = i * step;
      const from = j * step;
      points.push(middle[0] + across, y, middle[1] + from, middle[0] + across, y, middle[1] + from + step);
      points.push(middle[0] + from, y, middle[1] + across, middle[0] + from + step, y, middle[1] + across);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
  const material = new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: {
      colour: { value: new THREE.Color('#888888') },
      middle: { value: new THREE.Vector2(middle[0], middle[1]) },
      reach: { value: reach },
    },
    vertexShader: `
      uniform vec2 middle;
      uniform float reach;
      varying float fade;
      void main() {
        fade = clamp(1.0 - distance(position.xz, middle) / reach, 0.0, 1.0);
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: `
      uniform vec3 colour;
      varying float fade;
      void main() {
        gl_FragColor = vec4(colour, 0.55 * fade * fade);
        #include <colorspace_fragment>
      }`,
  });
  const grid = new THREE.LineSegments(geometry, material);
  grid.renderOrder = -1;
  return grid;
}

/** The nearest of 1, 2, 5 times a power of ten above. */
function roundStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((k) => k * power >= value) ?? 10);
}
