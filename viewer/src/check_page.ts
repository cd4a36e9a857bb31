// The page of a clash check: list, tree of parts, section, measure and views. A chosen clash shows both parts in two
// colours, the rest as ghosts, and its overlap solid, with its depth at it.

import * as THREE from 'three';
import { amountOf, lengthText, volumeText, type Check, type CheckClash } from './check_data';
import { ClashList } from './clash_list';
import { h } from './dom';
import type { Vec3 } from './frame';
import type { Frames } from './frames';
import { Options } from './options';
import { PartsTree } from './parts_tree';
import { castRay, toScreen, type ScreenPoint } from './picking';
import type { SceneView } from './scene';
import type { BodyStyle } from './bodies';

const COLOUR_A = '#2f7fd6';
const COLOUR_B = '#e69200';
const COLOUR_OVERLAP = '#d00030';
const GHOST: BodyStyle = { colour: '#8b95a3', opacity: 0.07 };
/** Ghosts of a picture; more would neither be told apart nor drawn in time. */
const MAX_GHOSTS = 600;

const VIEWS: [string, Vec3, Vec3][] = [
  // name, towards the eye with y up, with z up
  ['Iso', [0.62, 0.42, 1], [0.62, -1, 0.42]],
  ['Front', [0, 0, 1], [0, -1, 0]],
  ['Back', [0, 0, -1], [0, 1, 0]],
  ['Left', [-1, 0, 0], [-1, 0, 0]],
  ['Right', [1, 0, 0], [1, 0, 0]],
  ['Top', [0, 1, 1e-3], [0, -1e-3, 1]],
  ['Bottom', [0, -1, 1e-3], [0, -1e-3, -1]],
];

export class CheckPage {
  private check: Check | null = null;
  private origin: Vec3 = [0, 0, 0];
  private zUp = true;
  private measuring = false;
  private measured: THREE.Vector3[] = [];
  private section: { axis: number; at: number; flipped: boolean } | null = null;
  private readonly list: ClashList;
  private readonly tree: PartsTree;
  private readonly detail = h('div', { className: 'detail', 'aria-live': 'polite' });
  private readonly tabs: HTMLElement[] = [];
  private readonly bodies: HTMLElement[] = [];
  private readonly labels = new Map<string, { element: HTMLElement; at: THREE.Vector3 }>();
  private readonly labelLayer = h('div', { id: 'labels' });
  private readonly slider = h('input', { type: 'range', id: 'section-at', min: '0', max: '1', step: '0.001', value: '0.5', 'aria-label': 'Place of the section', hidden: true });
  private readonly sectionButtons: HTMLButtonElement[];
  private readonly measureButton: HTMLButtonElement;
  private readonly upButton: HTMLButtonElement;

  constructor(private readonly root: HTMLElement, private readonly view: SceneView, options: Options) {
    const listPlace = h('div', { className: 'pane', id: 'clash-list' });
    const treePlace = h('div', { className: 'pane', id: 'parts-tree', hidden: true });
    this.list = new ClashList(listPlace, (clash) => this.choose(clash));
    this.tree = new PartsTree(treePlace, options, (part) => this.showPart(part));
    this.bodies.push(listPlace, treePlace);
    this.tabs = ['Clashes', 'Parts'].map((name, i) => h('button', { type: 'button', role: 'tab', onclick: () => this.openTab(i) }, name));
    this.measureButton = h('button', { type: 'button', id: 'measure', 'aria-pressed': false, title: 'Distance between two points: click both', onclick: () => this.setMeasuring(!this.measuring) }, 'Measure');
    this.upButton = h('button', { type: 'button', id: 'z-up', 'aria-pressed': true, title: 'z or y points up', onclick: () => this.setUp(!this.zUp) }, 'z up');
    this.sectionButtons = ['x', 'y', 'z'].map((axis, i) => h('button', { type: 'button', 'aria-pressed': false, title: `Cut at right angles to ${axis}; again: the other side, then none`, onclick: () => this.cut(i) }, axis));
    this.slider.addEventListener('input', () => this.applySection());
    const views = h('select', { id: 'check-views', 'aria-label': 'View from' }, h('option', { value: '' }, 'View'), ...VIEWS.map(([name], i) => h('option', { value: i }, name)));
    views.addEventListener('change', () => {
      if (views.value !== '') this.lookFrom(Number(views.value));
      views.value = '';
    });
    const tools = h('div', { className: 'tools' }, views, this.upButton, this.measureButton, h('span', { className: 'section' }, 'Section', ...this.sectionButtons), this.slider);
    const all = h('button', { type: 'button', id: 'show-all', onclick: () => this.choose(-1) }, 'All parts');
    const head = h('div', { className: 'tabs', role: 'tablist' }, ...this.tabs, all);
    root.append(head, tools, this.detail, ...this.bodies);
    view.canvas.parentElement!.append(this.labelLayer);
    view.onRendered(() => this.placeLabels());
    this.openTab(0);
  }

  get active(): boolean {
    return this.check !== null;
  }

  open(check: Check | null, frames: Frames): void {
    this.check = check;
    this.root.hidden = check === null;
    this.root.parentElement!.classList.toggle('checking', check !== null);
    this.labels.clear();
    this.labelLayer.replaceChildren();
    this.view.setStyles(null);
    this.view.setSection(null);
    if (!check) return;
    this.origin = frames.origin;
    this.list.open(check);
    this.tree.open(check);
    this.view.showGround(false);
    this.setUp(true);
    this.choose(-1);
  }

  step(by: number): void {
    this.list.step(by);
  }

  /** Shows one clash, or with -1 all parts. */
  choose(number: number): void {
    const { check } = this;
    if (!check) return;
    const clash = check.clashes[number];
    this.list.mark(clash ? number : -1);
    this.removeLabel('depth');
    this.view.setLines('depth', [], COLOUR_OVERLAP);
    if (!clash) {
      this.view.setStyles(new Map(check.names.map((_, part) => [part, { colour: null, opacity: 1 }])));
      this.tell(null);
      this.view.fit();
      return;
    }
    this.view.setStyles(this.stylesOf(clash));
    this.tell(clash);
    const worst = clash.regions[0];
    const [a, b] = [worst?.a ?? clash.point_a, worst?.b ?? clash.point_b].map((point) => this.inScene(point));
    this.view.setLines('depth', [[a, b]], COLOUR_OVERLAP);
    const middle = a.clone().add(b).multiplyScalar(0.5);
    this.setLabel('depth', amountOf(clash, check.unit), middle);
    this.lookAt(clash, middle);
  }

  /** A click on the picture; true if it was taken. */
  click(at: ScreenPoint): boolean {
    if (!this.check || !this.measuring) return false;
    const hit = castRay(this.view, at);
    if (!hit) return true;
    if (this.measured.length === 2) this.measured = [];
    this.measured.push(hit.point.clone());
    this.showMeasure();
    return true;
  }

  private stylesOf(clash: CheckClash): Map<number, BodyStyle> {
    const styles = new Map<number, BodyStyle>();
    const { parts } = this.check!;
    for (let part = 0; part < Math.min(parts, MAX_GHOSTS); part++) styles.set(part, GHOST);
    const opacity = clash.overlap === undefined ? 0.75 : 0.35;
    styles.set(clash.a, { colour: COLOUR_A, opacity });
    styles.set(clash.b, { colour: COLOUR_B, opacity });
    if (clash.overlap !== undefined) styles.set(clash.overlap, { colour: COLOUR_OVERLAP, opacity: 0.999, order: 10 });
    return styles;
  }

  /** Fits the place of the clash, with enough of the smaller part around it to see what it is. */
  private lookAt(clash: CheckClash, middle: THREE.Vector3): void {
    const box = new THREE.Box3().setFromPoints([middle]);
    for (const region of clash.regions.slice(0, 1)) {
      box.expandByPoint(this.inScene(region.min));
      box.expandByPoint(this.inScene(region.max));
    }
    const sizes = [clash.a, clash.b].map((part) => this.view.sizeOf(part)).filter((size) => size > 0);
    const size = box.getSize(new THREE.Vector3()).length();
    const around = Math.max(0.15 * size, 0.3 * Math.min(...sizes));
    this.view.fitBox(box.expandByScalar(around), this.zUp ? VIEWS[0][2] : VIEWS[0][1]);
  }

  private showPart(part: number): void {
    const { names } = this.check!;
    const styles = new Map<number, BodyStyle>();
    for (let other = 0; other < Math.min(names.length, MAX_GHOSTS); other++) styles.set(other, GHOST);
    styles.set(part, { colour: COLOUR_A, opacity: 1 });
    this.view.setStyles(styles);
    this.list.mark(-1);
    const defects = this.check!.defects.filter((defect) => defect.part === part);
    this.detail.replaceChildren(h('strong', {}, names[part]), ...defects.map(({ text, consequence }) => h('p', { className: 'warning' }, `${text}: ${consequence}`)));
    this.view.fitBodies([part], this.zUp ? VIEWS[0][2] : VIEWS[0][1]);
  }

  private tell(clash: CheckClash | null): void {
    const { names, unit, defects, parts } = this.check!;
    if (!clash) {
      const faulty = new Set(defects.map(({ part }) => part));
      this.detail.replaceChildren(
        `${parts} parts`,
        ...(faulty.size > 0 ? [h('p', { className: 'warning', title: defects.slice(0, 20).map(({ part, text, consequence }) => `${names[part]} is ${text}: ${consequence}`).join('\n') }, `${faulty.size} of them with defects that limit what is known: see Parts`)] : []),
      );
      return;
    }
    const colour = (value: string) => h('span', { className: 'swatch', style: `background:${value}` });
    const rows = [amountOf(clash, unit)];
    if (clash.error !== null && clash.kind === 'overlap') rows.push(`± ${lengthText(clash.error, unit)}`);
    if (clash.volume !== null && clash.volume > 0) rows.push(volumeText(clash.volume, unit));
    if (clash.places > 1) rows.push(`${clash.places} places`);
    this.detail.replaceChildren(
      h('p', {}, colour(COLOUR_A), names[clash.a]),
      h('p', {}, colour(COLOUR_B), names[clash.b]),
      h('p', {}, colour(COLOUR_OVERLAP), rows.join(', ')),
      ...defects.filter(({ part }) => part === clash.a || part === clash.b).map(({ part, text, consequence }) => h('p', { className: 'warning' }, `${names[part]} is ${text}: ${consequence}`)),
    );
  }

  private openTab(number: number): void {
    this.tabs.forEach((tab, i) => tab.setAttribute('aria-selected', String(i === number)));
    this.bodies.forEach((body, i) => (body.hidden = i !== number));
  }

  private lookFrom(number: number): void {
    this.view.fitFrom(VIEWS[number][this.zUp ? 2 : 1]);
  }

  private setUp(zUp: boolean): void {
    this.zUp = zUp;
    this.upButton.setAttribute('aria-pressed', String(zUp));
    this.upButton.textContent = zUp ? 'z up' : 'y up';
    this.view.setUp(zUp ? 'z' : 'y');
    this.lookFrom(0);
  }

  private cut(axis: number): void {
    const now = this.section;
    if (now?.axis !== axis) this.section = { axis, at: 0.5, flipped: false };
    else if (!now.flipped) now.flipped = true;
    else this.section = null;
    this.sectionButtons.forEach((button, i) => button.setAttribute('aria-pressed', String(this.section?.axis === i)));
    this.slider.hidden = this.section === null;
    this.applySection();
  }

  private applySection(): void {
    if (!this.section) return this.view.setSection(null);
    const { axis, flipped } = this.section;
    const box = this.view.box();
    const at = box.min[axis] + Number(this.slider.value) * (box.max[axis] - box.min[axis]);
    const normal = new THREE.Vector3().setComponent(axis, flipped ? 1 : -1);
    this.view.setSection(new THREE.Plane(normal, flipped ? -at : at));
  }

  private setMeasuring(on: boolean): void {
    this.measuring = on;
    this.measured = [];
    this.measureButton.setAttribute('aria-pressed', String(on));
    this.showMeasure();
  }

  private showMeasure(): void {
    const [a, b] = this.measured;
    this.removeLabel('measure');
    this.view.setLines('measure', a ? [[a, b ?? a.clone().addScalar(1e-6)]] : [], '#008060');
    if (!b) return;
    const between = b.clone().sub(a);
    // Rounding of the points that were hit is no length.
    const along = (i: number) => (Math.abs(between.getComponent(i)) < 1e-9 * between.length() ? 0 : Math.abs(between.getComponent(i)));
    const parts = ['x', 'y', 'z'].map((axis, i) => `${axis} ${lengthText(along(i), this.check!.unit)}`);
    this.setLabel('measure', `${lengthText(between.length(), this.check!.unit)}  (${parts.join(', ')})`, a.clone().add(b).multiplyScalar(0.5));
  }

  private inScene(point: Vec3): THREE.Vector3 {
    return new THREE.Vector3(...point.map((value, i) => value - this.origin[i]));
  }

  private setLabel(key: string, text: string, at: THREE.Vector3): void {
    this.removeLabel(key);
    const element = h('span', { className: `label ${key}` }, text);
    this.labelLayer.append(element);
    this.labels.set(key, { element, at });
    this.placeLabels();
  }

  private removeLabel(key: string): void {
    this.labels.get(key)?.element.remove();
    this.labels.delete(key);
  }

  private placeLabels(): void {
    for (const { element, at } of this.labels.values()) {
      const point = toScreen(this.view, at.clone());
      element.hidden = point === null;
      if (point) element.style.transform = `translate(${point.x + 8}px, ${point.y - 12}px)`;
    }
  }
}
