// The keyboard, and the overlay that lists it.

import { h } from './dom';
import { icon } from './icons';

export interface KeyBinding {
  keys: string[]; // as in KeyboardEvent.key, with "Shift+" before
  shown?: string; // in the help
  does?: string;
  run(): void;
}

export function bindKeys(bindings: KeyBinding[]): void {
  const byKey = new Map(bindings.flatMap((binding) => binding.keys.map((key) => [key, binding] as const)));
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    // A focused control keeps the keys it works with; the slider does not, its arrows mean the same here.
    if (target.matches('select') && event.key !== 'Escape') return;
    if (target.matches('button, input[type=checkbox]') && (event.key === ' ' || event.key === 'Enter')) return;
    const key = event.key.length > 1 ? event.key : event.key.toLowerCase();
    const binding = byKey.get((event.shiftKey && event.key.length > 1 ? 'Shift+' : '') + key);
    if (!binding) return;
    event.preventDefault();
    binding.run();
  });
  // A control clicked with the pointer gives up the focus, or the space bar would press it again instead of playing.
  window.addEventListener('click', (event) => {
    const control = (event.target as Element).closest<HTMLElement>('button, input[type=checkbox]');
    if (control && event.detail > 0) control.blur();
  });
}

/** Sections of the help, each a list of entries and what they mean. */
export interface HelpSection {
  title: string;
  entries: [string, string][];
}

export function fillHelp(dialog: HTMLDialogElement, sections: HelpSection[]): void {
  const list = (entries: [string, string][]) =>
    h('dl', {}, ...entries.map(([key, does]) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, does))));
  dialog.replaceChildren(
    h('button', { className: 'icon close', title: 'Close', 'aria-label': 'Close the help', onclick: () => dialog.close() }, icon('close')),
    ...sections.flatMap(({ title, entries }) => [h('h2', {}, title), list(entries)]),
  );
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
}
