// The selection in words.

import { h, row } from './dom';
import { count, length, shortNumber } from './format';
import { EDGE, FACE, FEATURES, MOTIONS, POINT, VERTEX, type Contacts } from './frame';
import type { ShownFrame } from './frames';
import { icon } from './icons';
import { bodyOf, contactIndex, triangleVertices, type Selection } from './selection';

export class SelectionCard {
  constructor(private readonly root: HTMLElement, private readonly clear: () => void) {}

  show(frame: ShownFrame, selection: Selection | null): void {
    this.root.hidden = selection === null;
    if (!selection) return;
    const title = selection.type === 'contact' ? 'Contact' : 'Triangle';
    const rows = selection.type === 'contact' ? contactRows(frame, selection.id) : triangleRows(frame, selection);
    const close = h('button', { className: 'icon', title: 'Clear (Escape)', 'aria-label': 'Clear the selection', onclick: this.clear }, icon('close'));
    this.root.replaceChildren(h('h2', {}, title, close), h('dl', {}, ...rows));
  }
}

function contactRows(frame: ShownFrame, id: bigint): HTMLElement[] {
  const { contacts } = frame;
  const i = contactIndex(contacts, id);
  if (i < 0) return [row('id', String(id)), row('distance', 'no such contact in this frame')];
  const motion = MOTIONS[contacts.motion[i]];
  const { distance, normalSpeed, impulse } = contacts;
  return [
    row('id', String(id)),
    row('motion', h('span', { className: motion }, motion)),
    row('distance', length(distance[i]), `${distance[i]} m`),
    ...(Number.isNaN(normalSpeed[i]) ? [] : [row('speed', `${shortNumber(normalSpeed[i])} m/s`, 'Of b against a along the normal, before the response')]),
    ...(Number.isNaN(impulse[i]) ? [] : [row('impulse', `${shortNumber(impulse[i])} N s`, 'Along the normal, over the step')]),
    row('body a', bodyName(frame, contacts.bodyA[i])),
    ...featureRow(contacts.featureA[i], contacts.a0[i], contacts.a1[i]),
    row('body b', bodyName(frame, contacts.bodyB[i])),
    ...featureRow(contacts.featureB[i], contacts.b0[i], contacts.b1[i]),
  ];
}

/** None for a point: it is a place on the body, and no feature of it. */
function featureRow(kind: number, first: number, second: number): HTMLElement[] {
  if (kind === POINT) return [];
  return [row('', kind === EDGE ? `edge ${first}–${second}` : `${FEATURES[kind]} ${first}`)];
}

function triangleRows(frame: ShownFrame, { body: number, triangle }: { body: number; triangle: number }): HTMLElement[] {
  const body = bodyOf(frame, number);
  if (!body || triangle >= body.triangles) return [row('triangle', `${triangle}, not in this frame`)];
  const nearest = nearestContact(frame, number, triangle);
  return [
    row('body', bodyName(frame, number)),
    row('triangle', `${count(triangle)} of ${count(body.triangles)}`),
    row('vertices', triangleVertices(body, triangle).join(', ')),
    row('distance', nearest === null ? 'no contact on it' : length(nearest), 'Of the nearest contact on this triangle, its edges or vertices'),
  ];
}

/** The smallest distance of the contacts whose feature on the body belongs to the triangle. */
function nearestContact({ contacts, bodies }: ShownFrame, number: number, triangle: number): number | null {
  const body = bodies.find((other) => other.number === number)!;
  const corners = triangleVertices(body, triangle);
  const belongs = (kind: number, first: number, second: number) => {
    if (kind === FACE) return first === triangle;
    return (kind === VERTEX || (kind === EDGE && corners.includes(second))) && corners.includes(first);
  };
  let nearest: number | null = null;
  for (let i = 0; i < contacts.count; i++) {
    if (!onBody(contacts, i, number, belongs)) continue;
    if (nearest === null || contacts.distance[i] < nearest) nearest = contacts.distance[i];
  }
  return nearest;
}

function onBody(contacts: Contacts, i: number, number: number, belongs: (kind: number, first: number, second: number) => boolean): boolean {
  const { bodyA, bodyB, featureA, featureB, a0, a1, b0, b1 } = contacts;
  return (bodyA[i] === number && belongs(featureA[i], a0[i], a1[i])) || (bodyB[i] === number && belongs(featureB[i], b0[i], b1[i]));
}

function bodyName(frame: ShownFrame, number: number): string {
  const name = bodyOf(frame, number)?.topology.name;
  return name ? `${name} (${number})` : String(number);
}
