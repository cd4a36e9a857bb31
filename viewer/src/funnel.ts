// How the stages of a step narrow down what may touch. The `out` of a stage is the `in` of the next one; where the next
// stage counts something else, each of these holds several of those.

import type { Stage, Stat } from './recording';

const STAGES = ['broad', 'mid', 'narrow', 'contacts', 'respond'];

/** Stages of the funnel that ran, in order. */
function chain({ stages }: Stat): Stage[] {
  return STAGES.flatMap((name) => stages.filter((stage) => stage.name === name && stage.inUnit !== ''));
}

/** How the `in` of a stage comes from the `out` of the stage before it; empty where it is just that. */
export function source(stat: Stat, name: string, format: (n: number) => string): string {
  const all = chain(stat);
  const at = all.findIndex((stage) => stage.name === name);
  const [before, stage] = [all[at - 1], all[at]];
  if (!before || !stage) return '';
  if (before.outUnit === stage.inUnit) return '';
  const fresh = stage.in - stage.remembered;
  const each = before.out > 0 ? ` × ${Number((fresh / before.out).toPrecision(3))}` : '';
  const remembered = stage.remembered > 0 ? ` + ${format(stage.remembered)} remembered` : '';
  return `${format(before.out)}${each}${remembered}`;
}

/** What each stage takes in, by name, where that is something else than what the stage above it takes in. */
export function unitChanges(stats: Stat[], names: string[]): Map<string, string> {
  const changes = new Map<string, string>();
  let above = '';
  for (const name of names) {
    const unit = stats.flatMap(({ stages }) => stages.filter((stage) => stage.name === name && stage.inUnit !== ''))[0]?.inUnit ?? '';
    if (unit !== '' && unit !== above) changes.set(name, unit);
    if (unit !== '') above = unit;
  }
  return changes;
}

export interface FunnelLine {
  stage: string;
  label: string;
  values: Float64Array; // one a frame
}

/** Lines of the chart, each of another count: what a stage leaves or, where it counts something else than the stage before, what it takes in. */
export function funnelLines(stats: Stat[]): FunnelLine[] {
  const lines: FunnelLine[] = [];
  let unit = '';
  for (const name of STAGES.slice(0, 4)) {
    const found = stats.map(({ stages }) => stages.find((stage) => stage.name === name));
    const ran = found.find((stage) => stage && stage.inUnit !== '') ?? found.find((stage) => stage !== undefined);
    if (!ran) continue;
    const takes = name === 'narrow' && (ran.inUnit === '' || ran.inUnit !== unit);
    const what = takes ? ran.inUnit : ran.outUnit;
    if (ran.outUnit !== '') unit = ran.outUnit;
    const values = Float64Array.from(found, (stage) => (stage ? (takes ? stage.in : stage.out) : 0));
    if (values.some((value) => value > 0)) lines.push({ stage: name, label: what ? `${name}: ${what}` : name, values });
  }
  return lines;
}
