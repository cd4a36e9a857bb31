// The two charts of the run: the time of each stage, and the funnel of what may touch.

import { Chart, type Scale, type Series } from './chart';
import { count, ms } from './format';
import { funnelLines } from './funnel';
import { stageColour, stageRank, type Theme } from './palette';
import type { Recording, Stage, Stat } from './recording';

export class RunCharts {
  private readonly times: Chart;
  private readonly funnel: Chart;
  private recording: Recording | null = null;

  constructor(root: HTMLElement, seek: (frame: number) => void) {
    this.times = new Chart({ title: 'Stage times, ms', stacked: true, scale: linearScale, format: ms, seek });
    this.funnel = new Chart({ title: 'Funnel: what may touch', stacked: false, scale: logScale, format: count, seek });
    this.times.root.id = 'chart-times';
    this.funnel.root.id = 'chart-funnel';
    root.append(this.times.root, this.funnel.root);
  }

  open(recording: Recording, theme: Theme): void {
    this.recording = recording;
    this.setTheme(theme);
  }

  setTheme(theme: Theme): void {
    if (!this.recording) return;
    const { stats } = this.recording;
    const times = stageNames(this.recording).map(
      (name): Series => ({ name, colour: stageColour(name, theme), values: collect(stats, name, (stage) => stage.ms) }),
    );
    this.times.setData(times, peak(stats));
    const lines = funnelLines(stats).map(({ stage, label, values }): Series => ({ name: label, colour: stageColour(stage, theme), values }));
    this.funnel.setData(lines, 'log scale');
  }

  setFrame(frame: number): void {
    this.times.setFrame(frame);
    this.funnel.setFrame(frame);
  }
}

/** Of the whole run, in the pipeline's order. */
export function stageNames({ stats }: Recording): string[] {
  const names = [...new Set(stats.flatMap((stat) => stat.stages.map((stage) => stage.name)))];
  return names.sort((a, b) => stageRank(a) - stageRank(b));
}

function collect(stats: Stat[], name: string, value: (stage: Stage) => number): Float64Array {
  return Float64Array.from(stats, ({ stages }) => {
    const stage = stages.find((other) => other.name === name);
    return stage ? value(stage) : 0;
  });
}

function peak(stats: Stat[]): string {
  const totals = stats.map(({ stages }) => stages.reduce((sum, stage) => sum + stage.ms, 0));
  const largest = totals.reduce((a, b) => Math.max(a, b), 0);
  return `peak ${ms(largest)} at frame ${totals.indexOf(largest)}`;
}

/** Up to the largest value, unless a few frames (the first, most often) tower so high that the rest would be flat. */
export function linearScale(largest: Float64Array): Scale {
  const sorted = largest.slice().sort();
  const high = sorted[sorted.length - 1] || 1;
  const usual = sorted[Math.floor(0.97 * (sorted.length - 1))];
  const top = usual > 0 && high > 3 * usual ? 1.5 * usual : high;
  const rough = top / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((k) => k * power >= rough) ?? 10);
  const ticks = Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, k) => k * step);
  return { top, ticks, toUnit: (value) => value / top };
}

/** log(1 + value): like a logarithm, with a place for zero. */
export function logScale(largest: Float64Array): Scale {
  const high = largest.reduce((a, b) => Math.max(a, b), 1);
  const decades = Math.max(1, Math.ceil(Math.log10(high)));
  const top = 10 ** decades;
  const every = decades > 5 ? 2 : 1;
  const ticks = [0, ...Array.from({ length: Math.floor(decades / every) }, (_, k) => 10 ** ((k + 1) * every))];
  return { top, ticks, toUnit: (value) => Math.log1p(value) / Math.log1p(top) };
}
