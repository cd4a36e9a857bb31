// The tree of parts: show and hide, look at one alone. Branches make their rows when they are opened.

import { partsOf, treeOf, type Check, type TreeNode } from './check_data';
import { h } from './dom';
import type { Options } from './options';

const ROWS = 500;

export class PartsTree {
  private readonly search = h('input', { type: 'search', placeholder: 'Search parts', 'aria-label': 'Search the tree of parts' });
  private readonly rows = h('div', { className: 'tree', role: 'tree' });
  private check: Check | null = null;

  constructor(root: HTMLElement, private readonly options: Options, private readonly show: (part: number) => void) {
    root.append(h('div', { className: 'search' }, this.search, h('button', { type: 'button', onclick: () => this.showAll() }, 'Show all')), this.rows);
    this.search.addEventListener('input', () => this.update());
  }

  open(check: Check): void {
    this.check = check;
    this.update();
  }

  private showAll(): void {
    this.options.showAllBodies();
    this.update();
  }

  private update(): void {
    if (!this.check) return;
    const word = this.search.value.toLowerCase();
    if (word === '') {
      const { children } = treeOf(this.check.names);
      this.rows.replaceChildren(...this.limited(children));
      return;
    }
    const found = this.check.names.map((name, part) => ({ name, part, children: [] })).filter(({ name }) => name.toLowerCase().includes(word));
    this.rows.replaceChildren(...this.limited(found));
  }

  private limited(nodes: TreeNode[]): HTMLElement[] {
    const rows = nodes.slice(0, ROWS).map((node) => this.row(node));
    if (nodes.length > ROWS) rows.push(h('p', {}, `and ${nodes.length - ROWS} more: search to find them`));
    return rows;
  }

  private row(node: TreeNode): HTMLElement {
    const parts = partsOf(node);
    const box = h('input', { type: 'checkbox', checked: parts.some((part) => !this.options.hiddenBodies.has(part)), 'aria-label': `Show ${node.name}` });
    box.addEventListener('click', (event) => event.stopPropagation());
    box.addEventListener('change', () => this.options.showBodies(parts, box.checked));
    const defects = this.check!.defects.filter(({ part }) => part === node.part).map(({ text, consequence }) => `${text}: ${consequence}`);
    if (node.part !== null) {
      const part = node.part;
      const name = h('button', { type: 'button', title: this.check!.names[part], onclick: () => this.show(part) }, node.name);
      return h('div', { className: 'leaf', role: 'treeitem' }, box, name, defects.length > 0 ? h('span', { className: 'defect', title: defects.join('\n') }, '⚠') : null);
    }
    const inner = h('div', { className: 'branch' });
    const details = h('details', {}, h('summary', {}, box, `${node.name} (${parts.length})`), inner);
    details.addEventListener('toggle', () => {
      if (details.open && inner.childElementCount === 0) inner.replaceChildren(...this.limited(node.children));
    });
    return details;
  }
}
