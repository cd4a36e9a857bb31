// The picture: camera, light, ground, and what is drawn of a frame. Renders when something changed, not all the time.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Bodies } from './bodies';
import { ContactMarks } from './contact_marks';
import { emptyBox, growBox, type Box, type Frames, type ShownFrame } from './frames';
import { makeGround } from './ground';
import { Highlight } from './highlight';
import type { Options } from './options';
import { SCENE, type Theme } from './palette';
import type { Selection } from './selection';

const VIEW_DIRECTION = new THREE.Vector3(0.62, 0.42, 1).normalize();

export class SceneView {
  readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  readonly bodies: Bodies;
  readonly marks: ContactMarks;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly controls: OrbitControls;
  private readonly highlight: Highlight;
  private ground: THREE.LineSegments | null = null;
  private extent: Box = { min: [-1, -1, -1], max: [1, 1, 1] };
  private theme: Theme = 'light';
  private scheduled = false;
  private frame: ShownFrame | null = null;

  constructor(readonly canvas: HTMLCanvasElement, private readonly options: Options) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    const ratio = () => this.renderer.getPixelRatio();
    this.bodies = new Bodies(options);
    this.marks = new ContactMarks(options, ratio);
    this.highlight = new Highlight(ratio);
    this.scene.add(this.bodies.group, this.marks.group, this.highlight.group, this.camera, ...this.lights());

    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.15;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.invalidate());

    options.onChange(() => this.applyOptions());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  /** Frames the whole run and draws the ground under it. */
  open(frames: Frames): void {
    this.bodies.clear();
    this.extent = extentOfRun(frames);
    if (this.ground) {
      this.scene.remove(this.ground);
      this.ground.geometry.dispose();
    }
    this.ground = makeGround(this.extent, frames.origin);
    this.scene.add(this.ground);
    this.setTheme(this.theme);
    this.fit();
  }

  show(frame: ShownFrame, selection: Selection | null): void {
    this.frame = frame;
    this.bodies.show(frame);
    this.marks.show(frame.contacts);
    this.select(selection);
  }

  select(selection: Selection | null): void {
    if (this.frame) this.highlight.show(this.frame, selection);
    this.invalidate();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const colours = SCENE[theme];
    this.scene.background = new THREE.Color(colours.background);
    (this.ground?.material as THREE.ShaderMaterial | undefined)?.uniforms.colour.value.set(colours.grid);
    this.bodies.setColours(colours);
    this.marks.setColours(colours);
    this.highlight.setColours(colours);
    this.invalidate();
  }

  fit(): void {
    const low = new THREE.Vector3(...this.extent.min);
    const high = new THREE.Vector3(...this.extent.max);
    const centre = low.clone().add(high).multiplyScalar(0.5);
    const radius = Math.max(low.distanceTo(high) / 2, 1e-9);
    const half = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.min(half, Math.atan(Math.tan(half) * this.camera.aspect));
    const distance = radius / Math.sin(narrow);
    this.camera.near = radius / 500;
    this.camera.far = 200 * radius;
    this.camera.position.copy(VIEW_DIRECTION).multiplyScalar(distance).add(centre);
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = radius / 200;
    this.controls.maxDistance = 40 * radius;
    this.controls.target.copy(centre);
    this.controls.update();
    this.invalidate();
  }

  invalidate(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.controls.update();
      this.render();
    });
  }

  render(): void {
    this.renderer.render(this.scene, this.camera);
  }

  /** Returns when the picture is really drawn; rendering itself only queues commands. */
  finish(): void {
    const gl = this.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }

  private applyOptions(): void {
    this.bodies.applyOptions();
    this.marks.redraw();
    if (this.ground) this.ground.visible = this.options.values.grid;
    this.invalidate();
  }

  private lights(): THREE.Object3D[] {
    const sky = new THREE.HemisphereLight('#ffffff', '#8f98a8', 1.5);
    const key = new THREE.DirectionalLight('#ffffff', 1.7);
    key.position.set(-0.5, 0.8, 1);
    // Hung on the camera, so that what one looks at is lit from any side.
    this.camera.add(key, key.target);
    key.target.position.set(0, 0, -1);
    return [sky];
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas.parentElement!;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(clientWidth, clientHeight);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.render();
  }
}

/**
 * The box of the run, from frames spread over it; all of them would take too long to decode. A ground much larger
 * than what moves on it is left out, or there would be little to see.
 */
function extentOfRun(frames: Frames): Box {
  const SAMPLES = 12;
  const BUDGET_MS = 500;
  const all = emptyBox();
  const moving = emptyBox();
  const begin = performance.now();
  const wanted = [...new Set(Array.from({ length: SAMPLES }, (_, k) => Math.round((k * (frames.count - 1)) / (SAMPLES - 1))))];
  // Ends first: if time runs out, they say most.
  wanted.sort((a, b) => Math.abs(b - frames.count / 2) - Math.abs(a - frames.count / 2));
  for (const [k, number] of wanted.entries()) {
    if (k >= 2 && performance.now() - begin > BUDGET_MS) break;
    try {
      for (const body of frames.at(number).bodies) {
        growBox(all, body.placement.box);
        if (body.topology.kind !== 'static') growBox(moving, body.placement.box);
      }
    } catch {
      // A frame that cannot be read is reported when it is shown.
    }
  }
  if (!(all.min[0] <= all.max[0])) return { min: [-1, -1, -1], max: [1, 1, 1] };
  const size = (box: Box) => Math.hypot(...box.max.map((max, axis) => max - box.min[axis]));
  return size(moving) > 0 && size(moving) < 0.3 * size(all) ? moving : all;
}
