// What is drawn, and the page's own buttons. Where there is no room for the toggles they are in a menu, with a line of
// explanation each: a finger cannot hover over a button to read its title.

import { h } from './dom';
import { icon, type IconName } from './icons';
import { OPTIONS, type OptionName, type Options } from './options';

export interface ToolbarActions {
  fit(): void;
  theme(): void;
  help(): void;
  panel(): void;
}

const OF_CONTACTS: OptionName[] = ['contacts', 'xray', 'arrows'];
const OF_CLOTH: OptionName[] = ['strain', 'force', 'springs'];

export class Toolbar {
  private readonly buttons = new Map<OptionName, HTMLButtonElement>();
  private readonly scene = h('span', { className: 'scene' });
  private readonly menu: HTMLElement;
  private readonly menuButton: HTMLButtonElement;

  constructor(root: HTMLElement, private readonly options: Options, actions: ToolbarActions) {
    const make = (name: IconName, label: string, title: string, onclick: () => void, ...more: HTMLElement[]) =>
      h('button', { id: `button-${name}`, title, 'aria-label': title, onclick }, icon(name), h('span', { className: 'label' }, label), ...more);
    for (const { name, key, label, explains } of OPTIONS) {
      const why = h('span', { className: 'why' }, explains);
      this.buttons.set(name, make(name, label, `${label}: ${explains} (${key})`, () => options.toggle(name), why));
    }
    this.menu = h('div', { id: 'show-menu', className: 'buttons toggles' }, ...this.buttons.values());
    this.menuButton = make('menu', 'Show', 'What is drawn', () => this.openMenu(!this.menuIsOpen));
    this.menuButton.setAttribute('aria-controls', 'show-menu');
    root.append(
      h('span', { className: 'brand' }, 'Carom'),
      this.scene,
      h('span', { className: 'spring' }),
      this.menuButton,
      this.menu,
      h('div', { className: 'buttons' }, make('fit', 'Fit', 'Fit the whole scene (f)', actions.fit)),
      h('span', { className: 'spring last' }),
      h(
        'div',
        { className: 'buttons bare' },
        make('theme', '', 'Light or dark (t)', actions.theme),
        make('help', '', 'Help (?)', actions.help),
        make('panel', '', 'Show or hide the numbers (p)', actions.panel),
      ),
    );
    window.addEventListener('pointerdown', ({ target }) => {
      if (this.menuIsOpen && !this.menu.contains(target as Node) && !this.menuButton.contains(target as Node)) this.openMenu(false);
    });
    this.openMenu(false);
    options.onChange(() => this.update());
    this.update();
  }

  get menuIsOpen(): boolean {
    return this.menu.classList.contains('open');
  }

  openMenu(open: boolean): void {
    this.menu.classList.toggle('open', open);
    this.menuButton.setAttribute('aria-expanded', String(open));
  }

  setScene(name: string, description: string): void {
    this.scene.textContent = name;
    this.scene.title = description ? `${name}: ${description}` : name;
    document.title = name ? `${name} – Carom` : 'Carom';
  }

  /** Without contacts, as of a mesh that is only looked at, their toggles are left out. */
  setContacts(possible: boolean): void {
    for (const name of OF_CONTACTS) this.buttons.get(name)!.hidden = !possible;
  }

  /** Without cloth its colours are left out, without wind its arrows, without levels and spheres what shows them. */
  setCloth(cloth: boolean, wind: boolean, levels: boolean, spheres: boolean): void {
    for (const name of OF_CLOTH) this.buttons.get(name)!.hidden = !cloth;
    this.buttons.get('wind')!.hidden = !wind;
    this.buttons.get('levels')!.hidden = !levels;
    this.buttons.get('spheres')!.hidden = !spheres;
  }

  private update(): void {
    for (const [name, button] of this.buttons) button.setAttribute('aria-pressed', String(this.options.values[name]));
    for (const name of ['xray', 'arrows'] as const) this.buttons.get(name)!.disabled = !this.options.values.contacts;
  }
}
