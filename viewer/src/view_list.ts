// The list of what the recording says is worth a look, such as the clashes of an assembly, worst first.

import { h } from './dom';
import type { View } from './recording';

export class ViewList {
  private rows: HTMLButtonElement[] = [];

  constructor(private readonly root: HTMLElement, private readonly show: (view: View) => void) {}

  open(views: View[]): void {
    this.rows = views.map((view) => {
      const row = h('button', { type: 'button', title: view.title }, view.title);
      row.addEventListener('click', () => {
        this.mark(row);
        this.show(view);
      });
      return row;
    });
    this.root.hidden = views.length === 0;
    this.root.replaceChildren(...this.rows);
  }

  private mark(chosen: HTMLButtonElement): void {
    for (const row of this.rows) row.setAttribute('aria-pressed', String(row === chosen));
  }
}
