// Density limit of contact marks: thousands of them would hide the bodies they belong to.

import type { Contacts } from './frame';

/** Marks that a picture bears. */
export const MAX_MARKS = 1500;

/** Cells along the scene in the finest and in the coarsest grid. */
const FINEST = 2048;
const GRIDS = 32;

/**
 * At most `limit` of the contacts: one of each motion and cell of the finest grid with few enough cells. The one of the
 * lowest id stays, so that marks do not jump between frames.
 */
export function thin(contacts: Contacts, candidates: number[], size: number, limit = MAX_MARKS): number[] {
  if (candidates.length <= limit || !(size > 0)) return candidates;
  let fine = -1; // too many cells
  let coarse = GRIDS;
  let kept = candidates.slice(0, limit);
  while (coarse - fine > 1) {
    const grid = (fine + coarse) >> 1;
    const ones = oneOfEachCell(contacts, candidates, (size / FINEST) * 1.25 ** grid);
    if (ones.length > limit) {
      fine = grid;
    } else {
      coarse = grid;
      kept = ones;
    }
  }
  return kept.sort((a, b) => a - b);
}

function oneOfEachCell({ pointA, motion, id }: Contacts, candidates: number[], cell: number): number[] {
  const first = new Map<number, number>();
  const WRAP = 2 ** 16; // 3 motions and three axes are less than 2 ** 53
  for (const i of candidates) {
    let key = motion[i];
    for (let axis = 0; axis < 3; axis++) key = key * WRAP + ((Math.floor(pointA[3 * i + axis] / cell) % WRAP) + WRAP) % WRAP;
    const other = first.get(key);
    if (other === undefined || id[i] < id[other]) first.set(key, i);
  }
  return [...first.values()];
}

/** Diameter in pixels: smaller where there are many. */
export function markPixels(count: number): number {
  return Math.min(Math.max(9 * (60 / Math.max(count, 1)) ** 0.25, 4), 9);
}

/** Rim of a mark, as a fraction of its diameter: it sets few marks off, and would blacken many. */
export function markRim(count: number): number {
  return count <= 150 ? 0.14 : 0;
}
