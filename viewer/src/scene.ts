// The picture: camera, light, ground, and what is drawn of a frame. Renders when something changed, not all the time.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Bodies, type BodyStyle, type Scale } from './bodies';
import { ContactArrows } from './contact_arrows';
import { ContactMarks } from './contact_marks';
import { diagonal, Extent, extentOfRun } from './extent';
import { FatLines } from './fat_lines';
import type { Vec3 } from './frame';
import { frame as frameCamera } from './framing';
import { boxCorners, type Box, type Frames, type ShownFrame } from './frames';
import { makeGround } from './ground';
import { Highlight } from './highlight';
import type { Options } from './options';
import { Painter } from './painter';
import { SCENE, type Theme } from './palette';
import type { Selection } from './selection';
import { Springs } from './springs';
import { TreeSpheres } from './tree_spheres';
import { WindArrows } from './wind_arrows';

const VIEW_DIRECTION = new THREE.Vector3(0.62, 0.42, 1).normalize();

/** Widths of the strips along the borders of the canvas that something covers, in CSS pixels. */
export interface Covered {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** What a reader of the picture should be told. */
export interface PictureState {
  seenThrough: number; // bodies
  marks: number; // drawn
  contacts: number; // of visible bodies
  scale: Scale | null; // of the colours of cloth
}

export class SceneView {
  readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  readonly bodies: Bodies;
  readonly marks: ContactMarks;
  readonly painter: Painter;
  private readonly scene = new THREE.Scene();
  private readonly controls: OrbitControls;
  private readonly highlight: Highlight;
  readonly arrows: ContactArrows;
  readonly wind = new WindArrows();
  readonly springs = new Springs();
  readonly spheres = new TreeSpheres();
  private ground: THREE.LineSegments | null = null;
  private extent = new Extent({ min: [-1, -1, -1], max: [1, 1, 1] });
  private theme: Theme = 'light';
  scheduled = false;
  private frame: ShownFrame | null = null;
  /** Fits again after a change of size, as long as the user has not moved the camera since. */
  private refit: (() => void) | null = null;
  private fitting = false;
  private tell: (state: PictureState) => void = () => {};
  private rendered: () => void = () => {};
  private readonly lines = new Map<string, FatLines>();
  private groundWanted = true;

  constructor(readonly canvas: HTMLCanvasElement, private readonly options: Options, private readonly covered: () => Covered) {
    this.painter = new Painter(canvas);
    this.bodies = new Bodies(options);
    this.marks = new ContactMarks(options);
    this.arrows = new ContactArrows(options);
    this.highlight = new Highlight(() => this.painter.pixelRatio);
    this.scene.add(this.bodies.group, this.marks.group, this.arrows.group, this.highlight.group, this.wind.group, this.springs.lines, this.spheres.group, this.camera, ...this.lights());

    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.15;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => {
      if (!this.fitting) this.refit = null;
      this.invalidate();
    });

    options.onChange(() => this.applyOptions());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  onState(tell: (state: PictureState) => void): void {
    this.tell = tell;
  }

  /** Called after each picture, for what lies over it. */
  onRendered(rendered: () => void): void {
    this.rendered = rendered;
  }

  setStyles(styles: ReadonlyMap<number, BodyStyle> | null): void {
    this.bodies.setStyles(styles);
    this.invalidate();
  }

  sizeOf(body: number): number {
    return this.bodies.sizeOf(body);
  }

  box(): Box {
    return this.extent.box;
  }

  /** Leaves out what is behind the plane. */
  setSection(plane: THREE.Plane | null): void {
    this.painter.clip(plane);
    this.invalidate();
  }

  showGround(visible: boolean): void {
    this.groundWanted = visible;
    this.applyOptions();
  }

  /** Lines over everything, such as a measure. */
  setLines(key: string, segments: THREE.Vector3[][], colour: string): void {
    let lines = this.lines.get(key);
    if (!lines) {
      lines = new FatLines(3, 30);
      lines.material.depthTest = false;
      this.lines.set(key, lines);
      this.scene.add(lines.object);
    }
    const rgb = new THREE.Color(colour).toArray();
    const points = new Float32Array(segments.flatMap(([a, b]) => [...a.toArray(), ...b.toArray()]));
    lines.set(points, points.map((_, i) => rgb[i % 3]));
    this.invalidate();
  }

  /** The axis that points up in the picture. */
  setUp(axis: 'y' | 'z'): void {
    this.camera.up.set(0, axis === 'y' ? 1 : 0, axis === 'z' ? 1 : 0);
    // The controls take the axis when they are made, and keep the turn to y.
    const turn = new THREE.Quaternion().setFromUnitVectors(this.camera.up, new THREE.Vector3(0, 1, 0));
    const inner = this.controls as unknown as { _quat: THREE.Quaternion; _quatInverse: THREE.Quaternion };
    inner._quat.copy(turn);
    inner._quatInverse.copy(turn.clone().invert());
  }

  fitBox(box: THREE.Box3, direction: Vec3): void {
    this.fitTo(() => boxCorners({ min: box.min.toArray(), max: box.max.toArray() }), () => new THREE.Vector3(...direction));
  }

  fitBodies(numbers: number[], direction: Vec3): void {
    const box = new THREE.Box3();
    for (const number of numbers) {
      const own = this.bodies.boxOf(number);
      if (own) box.expandByPoint(new THREE.Vector3(...own.min)).expandByPoint(new THREE.Vector3(...own.max));
    }
    if (!box.isEmpty()) this.fitBox(box, direction);
  }

  /** Adds what is drawn over the bodies. */
  add(object: THREE.Object3D): void {
    this.scene.add(object);
  }

  /** Whether pointers move the camera. */
  setOrbit(enabled: boolean): void {
    this.controls.enabled = enabled;
  }

  /** Frames the whole run, unless the camera is to stay, and draws the ground under it. */
  open(frames: Frames, wind: Vec3 | null, stay = false): void {
    this.extent = extentOfRun(frames);
    this.bodies.clear(this.extent.grounds);
    this.marks.setSize(diagonal(this.extent.box));
    if (this.ground) {
      this.scene.remove(this.ground);
      this.ground.geometry.dispose();
    }
    this.ground = makeGround(this.extent.box, frames.origin);
    this.scene.add(this.ground);
    this.wind.open(wind, this.extent.box, SCENE[this.theme].outline);
    this.setTheme(this.theme);
    if (!stay) this.fit();
  }

  isGround(body: number): boolean {
    return this.extent.grounds.has(body);
  }

  show(frame: ShownFrame, selection: Selection | null): void {
    this.frame = frame;
    this.extent.include(frame);
    this.bodies.show(frame);
    this.marks.show(frame.contacts);
    this.drawArrows();
    this.drawDetails();
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
    this.drawArrows();
    this.highlight.setColours(colours);
    this.wind.setColour(colours.outline);
    this.spheres.setColour(colours.outline);
    this.invalidate();
  }

  /** Fits all of the scene into the picture, seen from where a recording is first seen from. */
  fit(): void {
    this.fitTo(() => this.extent.points(), () => this.viewDirection());
  }

  private viewDirection(): THREE.Vector3 {
    return this.camera.up.z === 1 ? new THREE.Vector3(VIEW_DIRECTION.x, -VIEW_DIRECTION.z, VIEW_DIRECTION.y) : VIEW_DIRECTION;
  }

  /** Fits without turning the view. */
  fitFromHere(): void {
    this.fitTo(() => this.extent.points(), () => this.camera.position.clone().sub(this.controls.target));
  }

  /** Fits, seen against the direction. */
  fitFrom(direction: Vec3): void {
    this.fitTo(() => this.extent.points(), () => new THREE.Vector3(...direction));
  }

  /**
   * Fits the contacts of the frame with some of what is around them; the whole scene if there are none. The smaller of
   * the bodies that are visible says how much around is needed to see what they belong to.
   */
  fitContacts(): void {
    const { contacts, bodies } = this.frame ?? {};
    if (!contacts || !bodies || contacts.count === 0) return this.fit();
    const points: THREE.Vector3[] = [];
    for (const list of [contacts.pointA, contacts.pointB])
      for (let i = 0; i < contacts.count; i++) points.push(new THREE.Vector3(list[3 * i], list[3 * i + 1], list[3 * i + 2]));
    const sizes = bodies.filter(({ number }) => !this.options.hiddenBodies.has(number)).map(({ placement }) => diagonal(placement.box));
    const around = Math.max(0.04 * diagonal(this.extent.box), 0.5 * Math.min(diagonal(this.extent.box), ...sizes));
    const box = new THREE.Box3().setFromPoints(points).expandByScalar(around);
    this.fitTo(() => boxCorners({ min: box.min.toArray(), max: box.max.toArray() }), () => VIEW_DIRECTION);
  }

  private fitTo(points: () => Vec3[], direction: () => THREE.Vector3): void {
    this.fitting = true;
    // Without damping an update takes all of the movement that is left, so that none follows the fit.
    this.controls.enableDamping = false;
    this.controls.update();
    this.controls.enableDamping = true;
    const toward = direction().normalize();
    const { center, distance, radius } = frameCamera(points(), toward.toArray(), this.camera.fov, this.camera.aspect, this.camera.up.toArray());
    this.camera.near = radius / 500;
    this.camera.far = 200 * radius + 4 * distance;
    this.controls.minDistance = radius / 200;
    this.controls.maxDistance = Math.max(40 * radius, 4 * distance);
    this.controls.target.set(...center);
    this.camera.position.copy(toward).multiplyScalar(distance).add(this.controls.target);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.fitting = false;
    this.refit = () => this.fitTo(points, direction);
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
    this.marks.setViewport(this.painter.height, this.painter.pixelRatio);
    this.painter.draw(this.scene, this.camera);
    this.rendered();
    this.tell({ seenThrough: this.bodies.faded, marks: this.marks.drawn.length, contacts: this.marks.total, scale: this.bodies.scale });
  }

  private drawArrows(): void {
    if (this.frame) this.arrows.show(this.frame.contacts, this.marks.drawn, diagonal(this.extent.box), SCENE[this.theme]);
  }

  private drawDetails(): void {
    const { springs, spheres } = this.options.values;
    this.springs.show(this.frame, springs, this.options.hiddenBodies);
    this.spheres.show(this.frame, spheres);
  }

  private applyOptions(): void {
    this.bodies.applyOptions();
    this.marks.redraw();
    this.drawArrows();
    this.drawDetails();
    if (this.ground) this.ground.visible = this.options.values.grid && this.groundWanted;
    this.wind.group.visible = this.options.values.wind;
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

  /**
   * Takes over the size of the canvas and what covers it. The angle of view and the center of the picture belong to the
   * part that is not covered.
   */
  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    if (width === 0 || height === 0) return;
    this.painter.resize(width, height);
    const { left, top, right, bottom } = this.covered();
    this.camera.setViewOffset(Math.max(width - left - right, 1), Math.max(height - top - bottom, 1), -left, -top, width, height);
    this.refit?.();
    this.render();
  }
}
