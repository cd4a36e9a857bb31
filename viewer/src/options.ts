// What of the scene is drawn. One list, so that buttons, keys, help and the scene agree.

import { recall, remember } from './storage';

export interface ViewOptions {
  surface: boolean;
  wireframe: boolean;
  contacts: boolean;
  xray: boolean; // hidden contacts are drawn as strongly as visible ones
  arrows: boolean; // impulses or normals of contacts
  through: boolean; // fixed bodies in front of moving ones are see-through
  strain: boolean; // colours of cloth by its strain
  force: boolean; // colours of cloth by the impulses of contacts on it
  levels: boolean; // colours of cloth by its levels of detail
  springs: boolean; // of bodies that deform, as lines
  spheres: boolean; // of the tree of detection, as recorded
  wind: boolean; // arrows upwind of the scene
  boxes: boolean;
  grid: boolean;
}

export type OptionName = keyof ViewOptions;

export interface OptionText {
  name: OptionName;
  key: string;
  label: string;
  explains: string;
}

export const OPTIONS: OptionText[] = [
  { name: 'surface', key: 's', label: 'Surface', explains: 'Surfaces of the bodies' },
  { name: 'wireframe', key: 'w', label: 'Wireframe', explains: 'Edges of the triangles' },
  { name: 'contacts', key: 'c', label: 'Contacts', explains: 'Contacts, by motion as in the legend; those behind a surface are faint' },
  { name: 'xray', key: 'x', label: 'X-ray', explains: 'Draw contacts behind surfaces as strongly as those in front' },
  { name: 'arrows', key: 'a', label: 'Arrows', explains: 'Normal impulses of contacts between rigid bodies as arrows, the longest for the largest of the frame; normals of other contacts' },
  { name: 'through', key: 'v', label: 'See through', explains: 'See through fixed bodies in front of moving ones, such as the walls of a pit; on unless switched off' },
  { name: 'strain', key: 'e', label: 'Strain', explains: 'Color cloth by its strain, against its shape in the first frame' },
  { name: 'force', key: 'i', label: 'Impulse', explains: 'Color cloth by the normal impulses of its contacts' },
  { name: 'levels', key: 'd', label: 'Levels', explains: 'Color cloth by its levels of detail: pale where all vertices move by themselves' },
  { name: 'springs', key: 'k', label: 'Springs', explains: 'Edges of cloth, and what bends across them, by how far they are from their length in the first frame' },
  { name: 'spheres', key: 'o', label: 'Spheres', explains: 'Spheres of one level of the tree of detection, as recorded with --spheres' },
  { name: 'wind', key: 'n', label: 'Wind', explains: 'Arrows upwind of the scene, as long as the wind is strong' },
  { name: 'boxes', key: 'b', label: 'Boxes', explains: 'Bounding boxes of the bodies' },
  { name: 'grid', key: 'g', label: 'Grid', explains: 'Ground grid' },
];

// Options that are remembered. The others are not: surfaces switched off in one recording would leave the next one empty.
const REMEMBERED: OptionName[] = ['xray', 'arrows', 'through', 'grid'];
const storageKey = (name: OptionName) => `carom-show-${name}`;

export class Options {
  readonly values: ViewOptions = { surface: true, wireframe: false, contacts: true, xray: false, arrows: false, through: true, strain: false, force: false, levels: false, springs: false, spheres: true, wind: true, boxes: false, grid: true };
  readonly hiddenBodies = new Set<number>();
  private readonly listeners: (() => void)[] = [];

  constructor() {
    for (const name of REMEMBERED) {
      const value = recall(storageKey(name));
      if (value === 'on' || value === 'off') this.values[name] = value === 'on';
    }
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  toggle(name: OptionName): void {
    this.values[name] = !this.values[name];
    const colours: OptionName[] = ['strain', 'force', 'levels'];
    if (colours.includes(name)) for (const other of colours) if (other !== name) this.values[other] = false; // one at a time
    if (REMEMBERED.includes(name)) remember(storageKey(name), this.values[name] ? 'on' : 'off');
    this.changed();
  }

  /** Sets an option for now, without remembering it. */
  set(name: OptionName, value: boolean): void {
    this.values[name] = value;
    this.changed();
  }

  showBody(number: number, visible: boolean): void {
    if (visible) this.hiddenBodies.delete(number);
    else this.hiddenBodies.add(number);
    this.changed();
  }

  showBodies(numbers: number[], visible: boolean): void {
    for (const number of numbers) {
      if (visible) this.hiddenBodies.delete(number);
      else this.hiddenBodies.add(number);
    }
    this.changed();
  }

  showAllBodies(): void {
    this.hiddenBodies.clear();
    this.changed();
  }

  /** None given: all. */
  showOnlyBodies(all: Iterable<number>, wanted: number[]): void {
    this.hiddenBodies.clear();
    if (wanted.length > 0) for (const number of all) if (!wanted.includes(number)) this.hiddenBodies.add(number);
    this.changed();
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
