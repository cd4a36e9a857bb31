// What the user picked. A contact is known by its id, so it is found again in other frames while it lasts;
// a triangle by its body and index.

import { EDGE, FACE, type Contacts } from './frame';
import type { ShownBody, ShownFrame } from './frames';

export type Selection = { type: 'contact'; id: bigint } | { type: 'triangle'; body: number; triangle: number };

export function contactIndex(contacts: Contacts, id: bigint): number {
  return contacts.id.indexOf(id);
}

export function bodyOf(frame: ShownFrame, number: number): ShownBody | undefined {
  return frame.bodies.find((body) => body.number === number);
}

export function triangleVertices(body: ShownBody, triangle: number): number[] {
  return [...body.topology.triangles.subarray(3 * triangle, 3 * triangle + 3)];
}

/** The edges of the selected features as pairs of points, in the scene. */
export function selectedEdges(frame: ShownFrame, selection: Selection): Float32Array {
  const points: number[] = [];
  const edge = (body: ShownBody | undefined, from: number, to: number) => {
    if (!body || from >= body.vertices || to >= body.vertices) return;
    const { positions } = body.placement;
    points.push(...positions.subarray(3 * from, 3 * from + 3), ...positions.subarray(3 * to, 3 * to + 3));
  };
  const outline = (body: ShownBody | undefined, triangle: number) => {
    if (!body || triangle >= body.triangles) return;
    const [u, v, w] = triangleVertices(body, triangle);
    edge(body, u, v);
    edge(body, v, w);
    edge(body, w, u);
  };

  if (selection.type === 'triangle') {
    outline(bodyOf(frame, selection.body), selection.triangle);
    return new Float32Array(points);
  }
  const { contacts } = frame;
  const i = contactIndex(contacts, selection.id);
  if (i < 0) return new Float32Array();
  const feature = (body: ShownBody | undefined, kind: number, first: number, second: number) => {
    if (kind === FACE) outline(body, first);
    if (kind === EDGE) edge(body, first, second);
  };
  feature(bodyOf(frame, contacts.bodyA[i]), contacts.featureA[i], contacts.a0[i], contacts.a1[i]);
  feature(bodyOf(frame, contacts.bodyB[i]), contacts.featureB[i], contacts.b0[i], contacts.b1[i]);
  return new Float32Array(points);
}

/** The middle of the selected contact, in the scene. */
export function selectedPoint(frame: ShownFrame, selection: Selection): [number, number, number] | null {
  if (selection.type !== 'contact') return null;
  const i = contactIndex(frame.contacts, selection.id);
  return i < 0 ? null : contactMiddle(frame.contacts, i);
}

export function contactMiddle({ pointA, pointB }: Contacts, i: number): [number, number, number] {
  const middle = (axis: number) => (pointA[3 * i + axis] + pointB[3 * i + axis]) / 2;
  return [middle(0), middle(1), middle(2)];
}
