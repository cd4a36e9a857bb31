// What is drawn, and the page's own buttons.

import { h } from './dom';
import { icon, type IconName } from './icons';
import type { OptionName, Options } from './options';

export interface ToolbarActions {
  fit(): void;
  theme(): void;
  help(): void;
  panel(): void;
}

const TOGGLES: [OptionName, string, string][] = [
  ['surface', 'Surface', 'Surfaces of the bodies (s)'],
  ['wireframe', 'Wireframe', 'Edges of the triangles (w)'],
  ['contacts', 'Contacts', 'Contacts, by kind as in the legend (c)'],
  ['xray', 'X-ray', 'Draw contacts on top of the surfaces (x)'],
  ['boxes', 'Boxes', 'Bounding boxes of the bodies (b)'],
  ['grid', 'Grid', 'Ground grid (g)'],
];

export class Toolbar {
  private readonly buttons = new Map<OptionName, HTMLButtonElement>();
  private readonly scene = h('span', { className: 'scene' });

  constructor(root: HTMLElement, private readonly options: Options, actions: ToolbarActions) {
    const make = (name: IconName, label: string, title: string, onclick: () => void) =>
      h('button', { id: `button-${name}`, title, 'aria-label': title, onclick }, icon(name), h('span', { className: 'label' }, label));
    const toggles = TOGGLES.map(([name, label, title]) => {
      const button = make(name, label, title, () => options.toggle(name));
      this.buttons.set(name, button);
      return button;
    });
    root.append(
      h('span', { className: 'brand' }, 'Carom'),
      this.scene,
      h('span', { className: 'spring' }),
      h('div', { className: 'buttons' }, ...toggles),
      h('div', { className: 'buttons' }, make('fit', 'Fit', 'Fit the whole scene (f)', actions.fit)),
      h('span', { className: 'spring' }),
      h(
        'div',
        { className: 'buttons bare' },
        make('theme', '', 'Light or dark (t)', actions.theme),
        make('help', '', 'Help (?)', actions.help),
        make('panel', '', 'Show or hide the numbers (p)', actions.panel),
      ),
    );
    options.onChange(() => this.update());
    this.update();
  }

  setScene(name: string): void {
    this.scene.textContent = name;
    this.scene.title = name;
    document.title = name ? `${name} – Carom` : 'Carom';
  }

  private update(): void {
    for (const [name, button] of this.buttons) button.setAttribute('aria-pressed', String(this.options.values[name]));
    this.buttons.get('xray')!.disabled = !this.options.values.contacts;
  }
}
