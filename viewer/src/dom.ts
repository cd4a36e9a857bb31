// Makes elements in one expression: h('button', { title: 'Play', onclick: play }, icon, 'Play').

type Child = Node | string | null | undefined;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Record<string, unknown> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name in element && !name.startsWith('aria-')) (element as unknown as Record<string, unknown>)[name] = value;
    else element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child != null));
  return element;
}

export function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** A value with its label in a definition list. */
export function row(label: string, value: Child, title?: string): HTMLElement {
  return h('div', { className: 'row', title: title ?? '' }, h('dt', {}, label), h('dd', {}, value));
}
