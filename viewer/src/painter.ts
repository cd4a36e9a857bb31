// Draws the scene on its canvas. Where there is no graphics hardware, smooth edges cost four times the drawing; there
// a plain picture is drawn while things move, and a smooth one on a second canvas above it once they are still.

import * as THREE from 'three';

const STILL_MS = 200;

export class Painter {
  /** Whether the picture is the final one. */
  still = false;
  private readonly plain: THREE.WebGLRenderer;
  private readonly smooth: THREE.WebGLRenderer | null = null;
  private timer = 0;

  constructor(canvas: HTMLCanvasElement) {
    const software = drawsInSoftware();
    this.plain = new THREE.WebGLRenderer({ canvas, antialias: !software });
    if (!software) return;
    const above = document.createElement('canvas');
    above.className = 'smooth';
    canvas.after(above);
    this.smooth = new THREE.WebGLRenderer({ canvas: above, antialias: true });
  }

  get pixelRatio(): number {
    return this.plain.getPixelRatio();
  }

  /** Of the picture, in device pixels. */
  get height(): number {
    return this.plain.domElement.height;
  }

  resize(width: number, height: number): void {
    for (const renderer of [this.plain, this.smooth]) {
      renderer?.setPixelRatio(Math.min(window.devicePixelRatio, 2));
      renderer?.setSize(width, height);
    }
  }

  /** Leaves out what is behind the plane. */
  clip(plane: THREE.Plane | null): void {
    for (const renderer of [this.plain, this.smooth]) if (renderer) renderer.clippingPlanes = plane ? [plane] : [];
  }

  draw(scene: THREE.Scene, camera: THREE.Camera): void {
    this.plain.render(scene, camera);
    const { smooth } = this;
    this.still = smooth === null;
    if (!smooth) return;
    smooth.domElement.style.visibility = 'hidden';
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      smooth.render(scene, camera);
      smooth.domElement.style.visibility = 'visible';
      this.still = true;
    }, STILL_MS);
  }

  /** Returns when the picture is really drawn; drawing itself only queues commands. */
  finish(): void {
    const gl = this.plain.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }
}

function drawsInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return false;
  const names = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
