// What the colours in the picture mean; a click on a body's entry hides it.

import { h } from './dom';
import { contactKindsOf, type ShownFrame } from './frames';
import type { Options } from './options';
import { bodyColour } from './palette';

const MOST_BODIES = 8; // more would cover the picture; the panel lists them all

export class Legend {
  private key = '';
  private readonly buttons = new Map<number, HTMLButtonElement>();

  constructor(private readonly root: HTMLElement, private readonly options: Options) {
    options.onChange(() => this.update());
  }

  show(frame: ShownFrame): void {
    const { bodies } = frame;
    const key = bodies.map((body) => body.topologyKey).join();
    if (key === this.key) return;
    this.key = key;
    this.buttons.clear();
    for (const { number, topology } of bodies.length > MOST_BODIES ? [] : bodies) {
      const swatch = h('i', {});
      swatch.style.background = bodyColour(number, topology.kind);
      const name = topology.name || `body ${number}`;
      const onclick = () => this.options.showBody(number, this.options.hiddenBodies.has(number));
      this.buttons.set(number, h('button', { title: `Show or hide ${name}`, onclick }, swatch, name));
    }
    const contact = (kind: string) => h('span', { className: 'contact' }, h('i', { className: `mark ${kind}` }), kind);
    this.root.replaceChildren(...this.buttons.values(), ...contactKindsOf(frame).map(contact));
    this.update();
  }

  private update(): void {
    for (const [number, button] of this.buttons) {
      button.setAttribute('aria-pressed', String(!this.options.hiddenBodies.has(number)));
    }
    this.root.classList.toggle('no-contacts', !this.options.values.contacts);
  }
}
