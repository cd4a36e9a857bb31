// The picture: camera, light, ground, and what is drawn of a frame. Renders when something changed, not all the time.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Bodies } from './bodies';
import { ContactMarks } from './contact_marks';
import { extentOf, extentOfRun, fitCamera, type Extent } from './framing';
import { boxCorners, type Frames, type ShownFrame } from './frames';
import { makeGround } from './ground';
import { Highlight } from './highlight';
import type { Options } from './options';
import { Painter } from './painter';
import { SCENE, type Theme } from './palette';
import type { Selection } from './selection';

const VIEW_DIRECTION = new THREE.Vector3(0.62, 0.42, 1).normalize();

export class SceneView {
  readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  readonly bodies: Bodies;
  readonly marks: ContactMarks;
  readonly painter: Painter;
  private readonly scene = new THREE.Scene();
  private readonly controls: OrbitControls;
  private readonly highlight: Highlight;
  private ground: THREE.LineSegments | null = null;
  private extent: Extent = extentOf([{ min: [-1, -1, -1], max: [1, 1, 1] }]);
  private theme: Theme = 'light';
  scheduled = false;
  private frame: ShownFrame | null = null;

  constructor(readonly canvas: HTMLCanvasElement, private readonly options: Options) {
    this.painter = new Painter(canvas);
    const ratio = () => this.painter.pixelRatio;
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
    this.ground = makeGround(this.extent.box, frames.origin);
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
    this.fitTo(this.extent.corners);
  }

  /** Where the contacts of the frame are; the whole of it if there are none. */
  fitContacts(): void {
    const { contacts } = this.frame ?? {};
    if (!contacts || contacts.count === 0) return this.fit();
    const points: THREE.Vector3[] = [];
    for (const list of [contacts.pointA, contacts.pointB])
      for (let i = 0; i < contacts.count; i++) points.push(new THREE.Vector3(list[3 * i], list[3 * i + 1], list[3 * i + 2]));
    // A point alone has no size: some of what is around it belongs into the picture.
    const { min, max } = extentOf([this.extent.box]).box;
    const around = 0.04 * Math.hypot(...max.map((high, axis) => high - min[axis]));
    const box = new THREE.Box3().setFromPoints(points).expandByScalar(around);
    this.fitTo(boxCorners({ min: box.min.toArray(), max: box.max.toArray() }).map((p) => new THREE.Vector3(...p)));
  }

  private fitTo(corners: THREE.Vector3[]): void {
    // Without damping an update takes all of the movement that is left, so that none follows the fit.
    this.controls.enableDamping = false;
    this.controls.update();
    this.controls.enableDamping = true;
    const { centre, distance, radius } = fitCamera(this.camera, corners, VIEW_DIRECTION);
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
    this.bodies.fade(this.camera.position);
    this.painter.draw(this.scene, this.camera);
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
    this.painter.resize(clientWidth, clientHeight);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.render();
  }
}
