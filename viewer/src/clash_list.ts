// The list of clashes: search, sort, filter. Rows are made for what is shown only, as there may be thousands.

import { amountOf, selectClashes, volumeText, type Check, type ClashSort } from './check_data';
import { h } from './dom';

const ROWS = 100;
const KINDS = ['overlap', 'touch', 'close', 'allowed'] as const;
const KIND_TEXTS = { overlap: 'overlaps', touch: 'touches', close: 'close', allowed: 'allowed' };

export class ClashList {
  chosen = -1;
  private check: Check | null = null;
  private found: number[] = [];
  private shown = ROWS;
  private kinds = new Set<string>();
  private readonly search = h('input', { type: 'search', id: 'clash-search', placeholder: 'Search parts', 'aria-label': 'Search parts' });
  private readonly sort = h('select', { id: 'clash-sort', 'aria-label': 'Sort by' }, ...['depth', 'volume', 'name'].map((key) => h('option', { value: key }, `by ${key}`)));
  private readonly filters = h('div', { className: 'filters', role: 'group', 'aria-label': 'Kinds' });
  private readonly count = h('p', { className: 'count', role: 'status' });
  private readonly rows = h('div', { className: 'rows', role: 'listbox', 'aria-label': 'Clashes' });
  private readonly more = h('button', { type: 'button', className: 'more', onclick: () => this.extend() }, 'Show more');

  constructor(root: HTMLElement, private readonly choose: (clash: number) => void) {
    root.append(h('div', { className: 'search' }, this.search, this.sort), this.filters, this.count, this.rows, this.more);
    this.search.addEventListener('input', () => this.update());
    this.sort.addEventListener('change', () => this.update());
  }

  open(check: Check): void {
    this.check = check;
    this.chosen = -1;
    const present = KINDS.filter((kind) => check.clashes.some((clash) => (clash.allowed ? 'allowed' : clash.kind) === kind));
    this.kinds = new Set(present.filter((kind) => kind !== 'allowed' || present.length === 1));
    this.filters.replaceChildren(
      ...present.map((kind) => {
        const button = h('button', { type: 'button', 'aria-pressed': this.kinds.has(kind) }, KIND_TEXTS[kind]);
        button.addEventListener('click', () => {
          if (!this.kinds.delete(kind)) this.kinds.add(kind);
          button.setAttribute('aria-pressed', String(this.kinds.has(kind)));
          this.update();
        });
        return button;
      }),
    );
    this.update();
  }

  /** The clash after or before the one chosen, in the order of the list. */
  step(by: number): void {
    if (this.found.length === 0) return;
    const at = this.found.indexOf(this.chosen);
    const next = at < 0 ? 0 : Math.min(Math.max(at + by, 0), this.found.length - 1);
    while (next >= this.shown) this.extend();
    this.mark(this.found[next]);
    this.choose(this.found[next]);
  }

  mark(clash: number): void {
    this.chosen = clash;
    for (const row of this.rows.children) {
      const own = (row as HTMLElement).dataset.clash === String(clash);
      row.setAttribute('aria-selected', String(own));
      if (own) row.scrollIntoView({ block: 'nearest' });
    }
  }

  private update(): void {
    if (!this.check) return;
    this.found = selectClashes(this.check, this.search.value, this.kinds, this.sort.value as ClashSort);
    this.shown = Math.min(ROWS, this.found.length);
    const { clashes, all } = this.check;
    this.count.textContent = `${this.found.length} of ${all}${all > clashes.length ? ` (the page has the worst ${clashes.length})` : ''}`;
    this.rows.replaceChildren(...this.found.slice(0, this.shown).map((clash) => this.row(clash)));
    this.more.hidden = this.shown >= this.found.length;
    this.mark(this.chosen);
  }

  private extend(): void {
    const next = this.found.slice(this.shown, this.shown + ROWS);
    this.shown += next.length;
    this.rows.append(...next.map((clash) => this.row(clash)));
    this.more.hidden = this.shown >= this.found.length;
  }

  private row(clash: number): HTMLElement {
    const { clashes, names, unit } = this.check!;
    const entry = clashes[clash];
    const notes = [volumeText(entry.volume && entry.volume > 0 ? entry.volume : null, unit), entry.places > 1 ? `${entry.places} places` : '', entry.allowed ? 'allowed' : '', entry.change];
    const row = h(
      'button',
      { type: 'button', role: 'option', 'aria-selected': false, title: `${names[entry.a]} and ${names[entry.b]}` },
      h('span', { className: `amount ${entry.kind}` }, amountOf(entry, unit)),
      h('span', { className: 'notes' }, notes.filter((note) => note).join(', ')),
      h('span', { className: 'part a' }, names[entry.a]),
      h('span', { className: 'part b' }, names[entry.b]),
    );
    row.dataset.clash = String(clash);
    row.addEventListener('click', () => {
      this.mark(clash);
      this.choose(clash);
    });
    return row;
  }
}
