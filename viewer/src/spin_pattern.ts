// Shading of rigid bodies by octants of their own frame. A ball or a top of one colour would not show that it turns.

import * as THREE from 'three';
import type { ShownBody } from './frames';

/** Boxes and other shapes of few faces show by their edges how they turn. */
const MIN_TRIANGLES = 46;

export function addSpinPattern(body: ShownBody, geometry: THREE.BufferGeometry, material: THREE.MeshLambertMaterial): void {
  if (!body.rest || body.triangles < MIN_TRIANGLES) return;
  geometry.setAttribute('rest', new THREE.BufferAttribute(body.rest, 3));
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nattribute vec3 rest;\nvarying vec3 octant;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\noctant = rest;');
    // Divided by its change from pixel to pixel, so that borders between octants are smooth.
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec3 octant;')
      .replace(
        '#include <color_fragment>',
        `#include <color_fragment>
        vec3 side = clamp(octant / max(fwidth(octant), vec3(1e-9)), -1.0, 1.0);
        diffuseColor.rgb *= 0.86 + 0.14 * side.x * side.y * side.z;`,
      );
  };
  material.customProgramCacheKey = () => 'spin-pattern';
}
