// Layout of the page: whether the panel is open, and what of the picture is covered. In a small window the panel is a
// sheet over the picture instead of a column beside it.

import { byId } from './dom';
import type { Covered } from './scene';

/** Windows in which the panel lies over the picture; the same as in theme.css. */
const SMALL = '(max-width: 759px), (max-height: 479px)';

/** Fraction of the picture that may be reckoned as covered, up and across. */
const MAX_COVERED = 0.7;

export class Layout {
  constructor(private readonly changed: () => void) {
    const small = window.matchMedia(SMALL);
    this.showPanel(!small.matches);
    small.addEventListener('change', () => this.showPanel(!small.matches));
    const observer = new ResizeObserver(() => this.changed());
    for (const id of ['panel', 'views', 'check']) observer.observe(byId(id));
  }

  togglePanel(): void {
    this.showPanel(byId('app').classList.contains('no-panel'));
  }

  showPanel(visible: boolean): void {
    byId('app').classList.toggle('no-panel', !visible);
    byId('button-panel').setAttribute('aria-pressed', String(visible));
  }

  /** A recording of one frame has no timeline. */
  setSingle(single: boolean): void {
    byId('app').classList.toggle('single', single);
  }
}

/**
 * What lies over the picture: the entries of the legend, the list of views, and the panel in a small window. Notes under the entries come
 * and go while one orbits, and the picture must not jump with them.
 */
export function coveredBy(): Covered {
  const stage = byId('stage').getBoundingClientRect();
  const covered: Covered = { left: 0, top: 0, right: 0, bottom: 0 };
  const legend = byId('legend-entries').getBoundingClientRect();
  if (legend.height > 0) covered.top = Math.min(legend.bottom - stage.top, 0.3 * stage.height);
  const list = byId('check').hidden ? 'views' : 'check';
  const views = byId(list).getBoundingClientRect();
  if (views.width > 0.5 * stage.width) covered.bottom = stage.bottom - views.top;
  else if (views.width > 0) covered.left = views.right - stage.left;
  const panel = byId('panel').getBoundingClientRect();
  const across = Math.min(panel.right, stage.right) - Math.max(panel.left, stage.left);
  const up = Math.min(panel.bottom, stage.bottom) - Math.max(panel.top, stage.top);
  if (across > 0 && up > 0) {
    // A sheet as wide as the picture covers its lower part, a drawer its right one.
    if (across > 0.9 * stage.width) covered.bottom = Math.min(up, MAX_COVERED * stage.height - covered.top);
    else covered.right = Math.min(across, MAX_COVERED * stage.width - covered.left);
  }
  return covered;
}
