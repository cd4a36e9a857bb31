// What the colours in the picture mean; a click on a body's entry hides it. Notes say what the picture does not show as
// it is.

import { byId, h } from './dom';
import { count } from './format';
import { MOTIONS } from './frame';
import { SCALE } from './measures';
import type { ShownBody, ShownFrame } from './frames';
import type { Options } from './options';
import type { PictureState } from './scene';

const MAX_BODIES = 8; // more would cover the picture; the panel lists them all

export const MOTION_TEXTS: Record<string, string> = {
  colliding: 'two bodies, or two places of one, that approach each other',
  resting: 'two that keep their distance',
  separating: 'two that leave each other',
};

export class Legend {
  private key = '';
  private noteKey = '';
  private readonly buttons = new Map<number, HTMLButtonElement>();
  private readonly entries = byId('legend-entries');
  private readonly notes = h('div', { className: 'entries' });

  constructor(private readonly root: HTMLElement, private readonly options: Options) {
    root.append(this.notes);
    options.onChange(() => this.update());
  }

  show(frame: ShownFrame, withContacts: boolean): void {
    const { bodies } = frame;
    // The frame of the triangles alone does not tell: in pictures of a live world it is always the key frame.
    const key = [withContacts, ...bodies.map(({ topologyKey, topology, parent, cutFaces }) => [topologyKey, topology.name, parent, cutFaces !== null])].join();
    if (key === this.key) return;
    this.key = key;
    this.buttons.clear();
    for (const { number, topology, colour, parent } of bodies.length > MAX_BODIES ? [] : bodies) {
      const swatch = h('i', {});
      swatch.style.background = colour;
      const name = topology.name || `body ${number}`;
      const onclick = () => this.options.showBody(number, this.options.hiddenBodies.has(number));
      this.buttons.set(number, h('button', { title: `Show or hide ${name}${cameOff(parent, bodies)}`, onclick }, swatch, h('span', {}, name)));
    }
    const contact = (motion: string) =>
      h('span', { className: 'contact', title: `Contact: ${MOTION_TEXTS[motion]}` }, h('i', { className: `mark ${motion}` }), motion);
    const cut = h('span', { id: 'legend-cut', title: 'Faces that blades have made' }, h('i', { className: 'cut' }), 'faces of cuts');
    const withCuts = bodies.some(({ cutFaces }) => cutFaces);
    this.entries.replaceChildren(...this.buttons.values(), ...(withCuts ? [cut] : []), ...(withContacts ? MOTIONS.map(contact) : []));
    this.update();
  }

  note({ seenThrough, marks, contacts, scale }: PictureState): void {
    const key = [seenThrough > 0, marks, contacts, scale?.name, scale?.end].join();
    if (key === this.noteKey) return;
    this.noteKey = key;
    const notes: HTMLElement[] = [];
    if (scale) {
      const bar = h('i', { className: 'scale' });
      bar.style.background = `linear-gradient(to right, ${SCALE.join(', ')})`;
      const ends = {
        strain: ['strain 0', `${count(100 * scale.end)}%`],
        force: ['impulse 0', `${scale.end.toPrecision(1)} N s`],
        levels: ['level 0, fine', `${scale.end}, coarse`],
      };
      const [low, high] = ends[scale.name];
      notes.push(h('span', { id: 'note-scale' }, low, bar, high));
    }
    if (seenThrough > 0) {
      const title = 'Fixed bodies stand in front of the moving ones and are drawn see-through. Click to draw them solid (v).';
      notes.push(h('button', { id: 'note-through', title, onclick: () => this.options.toggle('through') }, 'fixed bodies are see-through'));
    }
    if (marks < contacts) {
      const title = 'Contacts close to others of their motion have no mark of their own; the panel counts them all.';
      notes.push(h('span', { id: 'note-marks', className: 'contact', title }, `${count(marks)} of ${count(contacts)} contacts marked`));
    }
    this.notes.replaceChildren(...notes);
  }

  private update(): void {
    for (const [number, button] of this.buttons) {
      button.setAttribute('aria-pressed', String(!this.options.hiddenBodies.has(number)));
    }
    this.root.classList.toggle('no-contacts', !this.options.values.contacts);
  }
}

function cameOff(parent: number | null, bodies: ShownBody[]): string {
  if (parent === null) return '';
  const body = bodies.find(({ number }) => number === parent);
  return `, which came off ${body?.topology.name || `body ${parent}`}`;
}
