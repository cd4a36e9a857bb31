// A chart of some series over the frames of the run. The drawing is made once for a size and a theme; the cursor and
// the hover line are elements above it, so that scrubbing draws nothing again.

import { h } from './dom';
import { count } from './format';

export interface Series {
  name: string;
  colour: string;
  values: Float64Array; // one a frame
}

export interface Scale {
  top: number; // the value at the upper border
  ticks: number[];
  toUnit(value: number): number; // 0 at the lower border, 1 at the upper
}

export interface ChartOptions {
  title: string;
  stacked: boolean;
  scale(largest: Float64Array): Scale; // from the largest value (or sum, if stacked) of each frame
  format(value: number): string;
  seek(frame: number): void;
}

const LEFT = 40;
const RIGHT = 6;
const TOP = 8;
const BOTTOM = 18;
const HEIGHT = 108;

export class Chart {
  readonly root: HTMLElement;
  private readonly canvas = h('canvas', { height: HEIGHT });
  private readonly cursor = h('div', { className: 'cursor' });
  private readonly hover = h('div', { className: 'cursor hover', hidden: true });
  private readonly tip = h('div', { className: 'tip', hidden: true });
  private readonly legend = h('div', { className: 'legend' });
  private readonly note = h('span', { className: 'note' });
  private series: Series[] = [];
  private frames = 1;
  private frame = 0;

  constructor(private readonly options: ChartOptions) {
    const plot = h('div', { className: 'plot' }, this.canvas, this.cursor, this.hover, this.tip);
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `${options.title} over the run`);
    this.root = h('section', { className: 'chart' }, h('h2', {}, options.title, this.note), plot, this.legend);
    plot.addEventListener('pointerdown', (event) => {
      plot.setPointerCapture(event.pointerId);
      options.seek(this.frameAt(event));
    });
    plot.addEventListener('pointermove', (event) => {
      if (event.buttons & 1) options.seek(this.frameAt(event));
      this.showTip(this.frameAt(event));
    });
    plot.addEventListener('pointerleave', () => (this.tip.hidden = this.hover.hidden = true));
    new ResizeObserver(() => this.draw()).observe(plot);
  }

  setData(series: Series[], note: string): void {
    this.series = series;
    this.frames = series[0]?.values.length ?? 1;
    this.note.textContent = note;
    this.legend.replaceChildren(
      ...series.map(({ name, colour }) => {
        const swatch = h('i', {});
        swatch.style.background = colour;
        return h('span', {}, swatch, name);
      }),
    );
    this.draw();
  }

  setFrame(frame: number): void {
    this.frame = frame;
    this.cursor.style.transform = `translateX(${this.xOf(frame)}px)`;
  }

  private get width(): number {
    return this.canvas.clientWidth;
  }

  private xOf(frame: number): number {
    const share = this.frames > 1 ? frame / (this.frames - 1) : 0;
    return LEFT + share * (this.width - LEFT - RIGHT);
  }

  private frameAt(event: PointerEvent): number {
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    const share = (x - LEFT) / (this.width - LEFT - RIGHT);
    return Math.round(Math.min(Math.max(share, 0), 1) * (this.frames - 1));
  }

  private showTip(frame: number): void {
    if (this.series.length === 0) return;
    this.tip.hidden = this.hover.hidden = false;
    const x = this.xOf(frame);
    this.hover.style.transform = `translateX(${x}px)`;
    const line = (name: string, value: number, colour: string) => {
      const swatch = h('i', {});
      swatch.style.background = colour;
      return h('div', {}, swatch, h('span', {}, name), h('b', {}, this.options.format(value)));
    };
    const rows = this.series.map(({ name, colour, values }) => line(name, values[frame], colour));
    if (this.options.stacked) {
      rows.reverse(); // as they lie in the picture
      rows.push(line('all', this.series.reduce((sum, { values }) => sum + values[frame], 0), 'transparent'));
    }
    this.tip.replaceChildren(h('em', {}, `frame ${count(frame)}`), ...rows);
    if (x < this.width / 2) Object.assign(this.tip.style, { left: `${x + 10}px`, right: 'auto' });
    else Object.assign(this.tip.style, { left: 'auto', right: `${this.width - x + 10}px` });
  }

  draw(): void {
    const { width, canvas } = this;
    if (width === 0 || this.series.length === 0) return;
    const ratio = window.devicePixelRatio;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(HEIGHT * ratio);
    const context = canvas.getContext('2d')!;
    context.scale(ratio, ratio);

    const columns = this.columns();
    const scale = this.options.scale(this.largestPerFrame());
    const plotHeight = HEIGHT - TOP - BOTTOM;
    const y = (value: number) => TOP + plotHeight * (1 - Math.min(Math.max(scale.toUnit(value), 0), 1));
    this.drawAxes(context, scale, y);
    if (this.options.stacked) this.drawAreas(context, columns, y);
    else this.drawLines(context, columns, y);
    this.setFrame(this.frame);
  }

  /** The frames drawn: all, or, if there are more than pixels, the largest of each pixel's, so that no peak is lost. */
  private columns(): number[] {
    const wide = Math.max(this.width - LEFT - RIGHT, 1);
    if (this.frames <= wide) return Array.from({ length: this.frames }, (_, frame) => frame);
    const largest = this.largestPerFrame();
    const columns: number[] = [];
    for (let frame = 0; frame < this.frames; ) {
      const end = Math.max(frame + 1, Math.floor(((columns.length + 1) * this.frames) / wide));
      let best = frame;
      for (; frame < end && frame < this.frames; frame++) if (largest[frame] > largest[best]) best = frame;
      columns.push(best);
    }
    return columns;
  }

  private largestPerFrame(): Float64Array {
    const largest = new Float64Array(this.frames);
    for (const { values } of this.series) {
      for (let f = 0; f < this.frames; f++) {
        largest[f] = this.options.stacked ? largest[f] + values[f] : Math.max(largest[f], values[f]);
      }
    }
    return largest;
  }

  private drawAxes(context: CanvasRenderingContext2D, scale: Scale, y: (value: number) => number): void {
    const style = getComputedStyle(this.root);
    context.font = `11px ${style.fontFamily}`;
    context.fillStyle = style.getPropertyValue('--muted');
    context.strokeStyle = style.getPropertyValue('--line');
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const tick of scale.ticks) {
      const at = Math.round(y(tick)) + 0.5;
      context.beginPath();
      context.moveTo(LEFT, at);
      context.lineTo(this.width - RIGHT, at);
      context.stroke();
      context.fillText(tickLabel(tick), LEFT - 5, at);
    }
    context.textBaseline = 'alphabetic';
    context.textAlign = 'left';
    context.fillText('0', LEFT, HEIGHT - 4);
    context.textAlign = 'center';
    context.fillText('frame', (LEFT + this.width - RIGHT) / 2, HEIGHT - 4);
    context.textAlign = 'right';
    context.fillText(count(this.frames - 1), this.width - RIGHT, HEIGHT - 4);
  }

  private drawAreas(context: CanvasRenderingContext2D, columns: number[], y: (value: number) => number): void {
    const below = new Float64Array(columns.length);
    for (const { colour, values } of this.series) {
      const lower = below.slice();
      columns.forEach((frame, k) => (below[k] += values[frame]));
      context.beginPath();
      columns.forEach((frame, k) => context.lineTo(this.xOf(frame), y(below[k])));
      for (let k = columns.length - 1; k >= 0; k--) context.lineTo(this.xOf(columns[k]), y(lower[k]));
      context.closePath();
      context.fillStyle = colour;
      context.fill();
    }
  }

  private drawLines(context: CanvasRenderingContext2D, columns: number[], y: (value: number) => number): void {
    context.lineWidth = 1.5;
    context.lineJoin = 'round';
    for (const { colour, values } of this.series) {
      context.beginPath();
      for (const frame of columns) context.lineTo(this.xOf(frame), y(values[frame]));
      context.strokeStyle = colour;
      context.stroke();
    }
  }
}

function tickLabel(value: number): string {
  for (const [unit, suffix] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']] as const) {
    if (value >= unit) return `${Number((value / unit).toPrecision(3))}${suffix}`;
  }
  return String(Number(value.toPrecision(3)));
}
