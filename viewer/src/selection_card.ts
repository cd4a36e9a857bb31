// The selection in words.

import { h, row } from './dom';
import { count, length, shortNumber } from './format';
import { CONTACT_KINDS, FIRST_RIGID_KIND } from './frame';
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
  const name = CONTACT_KINDS[contacts.kind[i]];
  const isVertexFace = name === 'vertex-face';
  const kind = h('span', { className: name }, name);
  const a = bodyName(frame, contacts.bodyA[i]);
  const b = bodyName(frame, contacts.bodyB[i]);
  if (contacts.kind[i] >= FIRST_RIGID_KIND) {
    return [
      row('id', String(id)),
      row('kind', kind),
      row('distance', length(contacts.distance[i]), `${contacts.distance[i]} m`),
      row('speed', `${shortNumber(contacts.normalSpeed[i])} m/s`, 'Of b against a along the normal, before the response'),
      row('impulse', `${shortNumber(contacts.impulse[i])} N s`, 'Along the normal, over the step'),
      row('body a', a),
      row('body b', b),
    ];
  }
  const featureA = isVertexFace ? `vertex ${contacts.a0[i]}` : `edge ${contacts.a0[i]}–${contacts.a1[i]}`;
  const featureB = isVertexFace ? `triangle ${contacts.b0[i]}` : `edge ${contacts.b0[i]}–${contacts.b1[i]}`;
  return [
    row('id', String(id)),
    row('kind', kind),
    row('distance', length(contacts.distance[i]), `${contacts.distance[i]} m`),
    row('body a', a),
    row('', featureA),
    row('body b', b),
    row('', featureB),
  ];
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
  let nearest: number | null = null;
  for (let i = 0; i < contacts.count; i++) {
    if (contacts.kind[i] >= FIRST_RIGID_KIND) continue;
    const isVertexFace = contacts.kind[i] === 0;
    const onA =
      contacts.bodyA[i] === number && corners.includes(contacts.a0[i]) && (isVertexFace || corners.includes(contacts.a1[i]));
    const onB =
      contacts.bodyB[i] === number &&
      (isVertexFace ? contacts.b0[i] === triangle : corners.includes(contacts.b0[i]) && corners.includes(contacts.b1[i]));
    if ((onA || onB) && (nearest === null || contacts.distance[i] < nearest)) nearest = contacts.distance[i];
  }
  return nearest;
}

function bodyName(frame: ShownFrame, number: number): string {
  const name = bodyOf(frame, number)?.topology.name;
  return name ? `${name} (${number})` : String(number);
}
