// The numbers of the frame: scene, bodies, stages.

import { h, row } from './dom';
import { bytes, count, length, ms, plural, seconds, shortNumber } from './format';
import { countMotions, MOTIONS } from './frame';
import type { ShownFrame } from './frames';
import { source, unitChanges } from './funnel';
import { icon } from './icons';
import type { Options } from './options';
import { stageColour, type Theme } from './palette';
import { stageNames } from './run_charts';
import type { Recording, Stage, Stat } from './recording';

export class Panel {
  readonly chartsPlace = h('div');
  private readonly scene = h('h2', {});
  private readonly description = h('p', { id: 'description', hidden: true });
  private readonly summary = h('dl', { id: 'summary' });
  private readonly bodies = h('tbody', {});
  private readonly bodiesTitle = h('h2', {}, 'Bodies');
  private readonly stages = h('tbody', {});
  private readonly stagesNote = h('span', { className: 'note' });
  private readonly stagesPlace = h('section', {});
  private bodiesKey = '';
  private stageNames: string[] = [];
  private units = new Map<string, string>();
  private recording: Recording | null = null;

  constructor(root: HTMLElement, private readonly options: Options, close: () => void) {
    const closeButton = h('button', { className: 'icon close', title: 'Close (p)', 'aria-label': 'Close the numbers', onclick: close }, icon('close'));
    const head = (...names: string[]) => h('thead', {}, h('tr', {}, ...names.map((name) => h('th', { scope: 'col' }, name))));
    root.append(
      closeButton,
      h('section', {}, this.scene, this.description, this.summary),
      this.stagesPlace,
      this.chartsPlace,
      h(
        'section',
        {},
        this.bodiesTitle,
        h('div', { className: 'scroll' }, h('table', { id: 'bodies' }, head('name', 'kind', 'vertices', 'triangles'), this.bodies)),
      ),
    );
    this.stagesPlace.append(h('h2', {}, 'Stages', this.stagesNote), h('table', { id: 'stages' }, head('stage', 'in', 'out', 'culled', 'ms'), this.stages));
    options.onChange(() => this.markVisibility());
  }

  open(recording: Recording): void {
    this.recording = recording;
    this.bodiesKey = '';
    this.stageNames = stageNames(recording);
    this.units = unitChanges(recording.stats, this.stageNames);
    const { meta, size } = recording;
    const near = meta.contact_distance > 0 ? `, contact distance ${length(meta.contact_distance)}` : ''; // rigid bodies have none
    this.scene.replaceChildren(h('span', { className: 'name' }, meta.scene || 'Recording'), h('span', { className: 'note' }, bytes(size)));
    this.scene.title = `${bytes(size)}, recorded by carom ${meta.carom}, dt ${meta.dt} s${near}`;
    this.description.textContent = meta.description;
    this.description.hidden = meta.description === '';
    // What was not made by a run of the pipeline has none.
    this.stagesPlace.hidden = this.chartsPlace.hidden = this.stageNames.length === 0;
  }

  show(frame: ShownFrame, theme: Theme): void {
    if (!this.recording) return;
    this.showSummary(frame, this.recording);
    this.showBodies(frame);
    this.showStages(this.recording.stats[frame.number], theme);
  }

  private showSummary(frame: ShownFrame, recording: Recording): void {
    const { contacts } = frame;
    const frames = recording.frames.length;
    const triangles = frame.bodies.reduce((sum, body) => sum + body.triangles, 0);
    this.summary.replaceChildren(
      ...(frames > 1 ? [row('frame', `${count(frame.number)} of ${count(frames - 1)}`), row('time', seconds(frame.time))] : []),
      row('bodies', count(frame.bodies.length)),
      row('triangles', count(triangles)),
      ...(frames > 1 || contacts.count > 0 ? contactRows(frame) : []),
    );
  }

  private showBodies(frame: ShownFrame): void {
    const key = frame.bodies.map((body) => body.topologyKey).join();
    if (key === this.bodiesKey) return;
    this.bodiesKey = key;
    this.bodiesTitle.replaceChildren('Bodies', h('span', { className: 'note' }, plural(frame.bodies.length, 'body', 'bodies')));
    this.bodies.replaceChildren(
      ...frame.bodies.map(({ number, topology, colour, vertices, triangles }) => {
        const name = topology.name || `body ${number}`;
        const box = h('input', { type: 'checkbox', title: `Show ${name}`, 'aria-label': `Show ${name}` });
        box.dataset.body = String(number);
        box.style.setProperty('--body', colour);
        box.addEventListener('change', () => this.options.showBody(number, box.checked));
        const label = h('label', { title: `${name}, body ${number}` }, box, name);
        return h('tr', {}, h('td', {}, label), h('td', {}, topology.kind), h('td', {}, count(vertices)), h('td', {}, count(triangles)));
      }),
    );
    this.markVisibility();
  }

  private markVisibility(): void {
    for (const box of this.bodies.querySelectorAll('input')) {
      box.checked = !this.options.hiddenBodies.has(Number(box.dataset.body));
    }
  }

  private showStages(stat: Stat, theme: Theme): void {
    this.stagesNote.textContent = stat.stages.length === 0 ? 'no step yet: this is how the run begins' : '';
    const total = stat.stages.reduce((sum, stage) => sum + stage.ms, 0);
    // Every stage of the run has its row in every frame, so that nothing below moves while one scrubs.
    this.stages.replaceChildren(
      ...this.stageNames.flatMap((name) => [
        stageRow(name, stat.stages.find((stage) => stage.name === name), theme),
        ...(this.units.has(name) ? [unitRow(this.units.get(name)!, source(stat, name, count))] : []),
      ]),
      h('tr', { className: 'total' }, h('td', { colSpan: 4 }, 'all'), h('td', {}, stat.stages.length ? ms(total) : '')),
    );
  }
}

function contactRows(frame: ShownFrame): HTMLElement[] {
  const { contacts } = frame;
  const smallest = contacts.distance.reduce((a, b) => Math.min(a, b), Infinity);
  const counts = countMotions(contacts);
  const impulses = contacts.impulse.reduce((sum, impulse) => sum + (impulse || 0), 0);
  return [
    row('contacts', count(contacts.count)),
    row('min distance', contacts.count ? length(smallest) : 'none', contacts.count ? `Smallest distance: ${smallest} m` : 'No contact'),
    ...MOTIONS.map((motion, i) => row(motion, h('span', { className: motion }, count(counts[i])))),
    row('impulses', `${shortNumber(impulses)} N s`, 'Sum along the normals of all contacts, over the step'),
  ];
}

/** What a stage takes in, and how that comes from what the stage before it gave out. */
function unitRow(unit: string, from: string): HTMLElement {
  const text = from ? `${unit} = ${from}` : unit;
  const title = `${text}\nWhat the stage takes in; where the stage before it counts something else: its out, times how many each of these holds`;
  return h('tr', { className: 'unit', title }, h('td', { colSpan: 5 }, text));
}

function stageRow(name: string, stage: Stage | undefined, theme: Theme): HTMLElement {
  const swatch = h('i', {});
  swatch.style.background = stageColour(name, theme);
  const first = h('td', {}, swatch, name);
  if (!stage) return h('tr', {}, first, h('td', { colSpan: 4 }));
  const reasons = Object.entries(stage.culled);
  const culled = reasons.reduce((sum, [, n]) => sum + n, 0);
  const why = [...reasons, ...(stage.limited > 0 ? [['limited', stage.limited] as const] : [])]
    .map(([reason, n]) => `${reason}: ${count(n)}`)
    .join('\n');
  return h(
    'tr',
    {},
    first,
    h('td', { title: stage.inUnit }, count(stage.in)),
    h('td', { title: stage.outUnit }, count(stage.out)),
    h('td', { title: why, className: why ? 'explained' : '' }, reasons.length ? count(culled) : '–'),
    h('td', {}, ms(stage.ms)),
  );
}
