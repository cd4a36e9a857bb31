// What a clash check found, as META has it under "check": see docs/formats.md.

import type { Vec3 } from './frame';

export interface CheckRegion {
  depth: number | null; // m
  volume: number | null; // m^3
  a: Vec3; // points of the deepest place, in the world
  b: Vec3;
  min: Vec3;
  max: Vec3;
}

export interface CheckClash {
  kind: 'overlap' | 'touch' | 'close';
  a: number; // parts
  b: number;
  distance: number | null; // m; null if there is no exit
  error: number | null; // m; null if it is not known
  volume: number | null;
  places: number;
  point_a: Vec3;
  point_b: Vec3;
  allowed: boolean;
  change: string; // against an earlier run; empty if there was none
  regions: CheckRegion[];
  overlap?: number; // body that shows the overlap
}

export interface Check {
  parts: number;
  names: string[];
  unit: { name: string; length: number };
  clashes: CheckClash[];
  all: number; // clashes that were found, of which the list may have the worst only
  defects: { part: number; text: string; consequence: string }[];
}

export type ClashSort = 'depth' | 'volume' | 'name';

export function readCheck(json: unknown): Check | null {
  if (json === null || typeof json !== 'object') return null;
  const check = json as Partial<Check>;
  if (!Array.isArray(check.clashes) || !Array.isArray(check.names)) return null;
  return {
    parts: Number(check.parts ?? check.names.length),
    names: check.names.map(String),
    unit: { name: String(check.unit?.name ?? 'm'), length: Number(check.unit?.length) > 0 ? Number(check.unit!.length) : 1 },
    clashes: check.clashes,
    all: Number(check.all ?? check.clashes.length),
    defects: Array.isArray(check.defects) ? check.defects : [],
  };
}

export function lengthText(metres: number, unit: Check['unit']): string {
  return `${Number((metres / unit.length).toPrecision(4))} ${unit.name}`;
}

export function amountOf(clash: CheckClash, unit: Check['unit']): string {
  if (clash.kind === 'touch') return 'touch';
  if (clash.distance === null) return 'no way out';
  if (clash.kind === 'close') return `${lengthText(clash.distance, unit)} apart`;
  return `${clash.error === null ? 'at least ' : ''}${lengthText(-clash.distance, unit)} deep`;
}

export function volumeText(volume: number | null, unit: Check['unit']): string {
  return volume === null ? '' : `${Number((volume / unit.length ** 3).toPrecision(4))} ${unit.name}³`;
}

/** Clashes that fit the words, all of them in either name, and the kinds; sorted. Numbers in the list of all. */
export function selectClashes(check: Check, words: string, kinds: ReadonlySet<string>, sort: ClashSort): number[] {
  const wanted = words.toLowerCase().split(/\s+/).filter((word) => word);
  const name = (i: number) => `${check.names[check.clashes[i].a]} ${check.names[check.clashes[i].b]}`.toLowerCase();
  const found = check.clashes
    .map((_, i) => i)
    .filter((i) => kinds.has(check.clashes[i].allowed ? 'allowed' : check.clashes[i].kind) && wanted.every((word) => name(i).includes(word)));
  const volume = (i: number) => check.clashes[i].volume ?? -1;
  const distance = (i: number) => check.clashes[i].distance ?? -Infinity;
  if (sort === 'depth') found.sort((i, j) => distance(i) - distance(j) || i - j);
  if (sort === 'volume') found.sort((i, j) => volume(j) - volume(i) || i - j);
  if (sort === 'name') found.sort((i, j) => (name(i) < name(j) ? -1 : name(i) > name(j) ? 1 : i - j));
  return found;
}

export interface TreeNode {
  name: string;
  part: number | null; // null for a branch
  children: TreeNode[];
}

/** Parts by the branches of their names, "gearbox/shaft" or "file.glb:wheel". */
export function treeOf(names: string[]): TreeNode {
  const root: TreeNode = { name: '', part: null, children: [] };
  const branches = new Map<string, TreeNode>();
  names.forEach((name, part) => {
    const steps = name.split(/[/:]/);
    let node = root;
    for (let depth = 0; depth + 1 < steps.length; depth++) {
      const key = steps.slice(0, depth + 1).join('/');
      let next = branches.get(key);
      if (!next) {
        next = { name: steps[depth], part: null, children: [] };
        branches.set(key, next);
        node.children.push(next);
      }
      node = next;
    }
    node.children.push({ name: steps[steps.length - 1] || name, part, children: [] });
  });
  return root;
}

export function partsOf(node: TreeNode): number[] {
  return node.part !== null ? [node.part] : node.children.flatMap(partsOf);
}
