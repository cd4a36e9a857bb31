// The page of a world that runs: pictures as they come, hands, and what is told of its pace.

import { tellCuts } from './cut_events';
import { byId, h } from './dom';
import type { Vec3 } from './frame';
import { icon } from './icons';
import type { Frames } from './frames';
import { bindKeys } from './keys';
import { Hands } from './live_hands';
import { Messages, type LiveInput } from './live_messages';
import { followPictures, type LivePicture, type LiveStatus } from './live_stream';
import type { App } from './main';

/** Whether the page was served by `carom live`. */
export function isLive(): boolean {
  return document.getElementById('carom-live') !== null;
}

const HELP: [string, string][] = [
  ['drag a body', 'pull it, in the plane of the screen; the wheel moves it away or closer'],
  ['shift and drag', 'turn it about the point that is held: rigid and scripted bodies'],
  ['a second finger', 'part the two to bring it closer, twist them to turn it'],
  ['drag beside', 'orbit'],
  ['k', 'take hold of the next body'],
  ['← → ↑ ↓', 'move what is held by k; page up and page down: away and closer'],
  ['shift and these', 'turn it by 5 degrees; page up and page down: in the plane of the screen'],
  ['esc', 'let go'],
  ['space', 'pause or go on'],
  ['.', 'one step'],
  ['r', 'begin again'],
];

/** How many of the last cuts are told. */
const TOLD_CUTS = 4;

export class Live {
  status: LiveStatus | null = null;
  private readonly messages = new Messages((problem) => this.complain(problem));
  private readonly hands: Hands;
  private origin: Vec3 = [0, 0, 0];
  private complaint = 0; // timer
  private lost = false;
  private readonly pause = this.button('live-pause', 'pause', 'Pause (space)', () => this.togglePause());
  private readonly text = h('output', { id: 'live-status', className: 'numbers' });
  private readonly cuts = h('ul', { id: 'live-cuts', className: 'numbers', hidden: true });
  private readonly gravity = this.slider('live-gravity', 'Gravity', 0, 200, (percent) => `${percent}%`, (percent) => this.setGravity(percent / 100));
  private readonly stiffness = this.slider('live-stiffness', 'Stiffness', -20, 20, (v) => `${factorOf(v).toPrecision(2)}×`, (v) => this.input({ stiffness: factorOf(v) }));

  constructor(private readonly app: App) {
    byId('app').classList.add('live');
    this.hands = new Hands(app.view, () => app.shown, () => this.origin, (...inputs) => this.input(...inputs));
    app.view.add(this.hands.group);
    const footer = byId('live');
    footer.hidden = false;
    byId('notice').before(this.cuts);
    this.cuts.setAttribute('aria-label', 'Cuts');
    this.cuts.setAttribute('aria-live', 'polite');
    footer.append(
      h(
        'div',
        { className: 'buttons' },
        this.pause,
        this.button('live-step', 'next', 'One step (.)', () => this.messages.control({ pause: true, steps: 1 })),
        this.button('live-reset', 'first', 'Begin again (r)', () => this.reset()),
      ),
      this.gravity.label,
      this.stiffness.label,
      h('a', { id: 'live-save', href: 'live/record', download: 'hand.input', title: 'Save the input until now: carom run SCENE --input hand.input replays it' }, 'Save input'),
      this.text,
    );
    bindKeys([
      { keys: [' '], run: () => this.togglePause() },
      { keys: ['.'], run: () => this.messages.control({ pause: true, steps: 1 }) },
      { keys: ['r'], run: () => this.reset() },
      { keys: ['k'], run: () => this.hands.nextByKey() },
      { keys: ['ArrowLeft'], run: () => this.hands.moveByKey(-1, 0, 0) },
      { keys: ['ArrowRight'], run: () => this.hands.moveByKey(1, 0, 0) },
      { keys: ['ArrowUp'], run: () => this.hands.moveByKey(0, 1, 0) },
      { keys: ['ArrowDown'], run: () => this.hands.moveByKey(0, -1, 0) },
      { keys: ['PageUp'], run: () => this.hands.moveByKey(0, 0, -1) },
      { keys: ['PageDown'], run: () => this.hands.moveByKey(0, 0, 1) },
      { keys: ['Shift+ArrowLeft'], run: () => this.hands.turnByKey(0, -1, 0) },
      { keys: ['Shift+ArrowRight'], run: () => this.hands.turnByKey(0, 1, 0) },
      { keys: ['Shift+ArrowUp'], run: () => this.hands.turnByKey(-1, 0, 0) },
      { keys: ['Shift+ArrowDown'], run: () => this.hands.turnByKey(1, 0, 0) },
      { keys: ['Shift+PageUp'], run: () => this.hands.turnByKey(0, 0, 1) },
      { keys: ['Shift+PageDown'], run: () => this.hands.turnByKey(0, 0, -1) },
      { keys: ['Escape'], run: () => this.hands.releaseKey() },
    ]);
    byId('help').append(h('h2', {}, 'Live'), h('dl', {}, ...HELP.map(([key, does]) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, does)))));
  }

  follow(): void {
    const drawn = () => new Promise<void>((resolve) => requestAnimationFrame(() => resolve()));
    void followPictures((picture) => this.show(picture), drawn, (why) => this.lose(why));
  }

  input(...inputs: LiveInput[]): void {
    this.messages.input(...inputs);
  }

  /** Where the camera is in the world. */
  get eye(): Vec3 {
    const { x, y, z } = this.app.view.camera.position;
    return [x + this.origin[0], y + this.origin[1], z + this.origin[2]];
  }

  private show({ status, shown, frames, fresh }: LivePicture): void {
    const first = this.status === null;
    const begun = this.status?.resets !== status.resets;
    this.status = status;
    this.origin = frames.origin;
    if (fresh) this.app.openLive(frames, status.scene, status.description, status.wind.some((value) => value !== 0) ? status.wind : null, !first);
    if (begun && !first) this.hands.forget();
    if (fresh) this.tellCuts(frames, status.dt);
    this.hands.draw(status.hands);
    this.app.showLive(shown);
    this.stiffness.label.hidden = !shown.bodies.some(({ topology }) => topology.kind === 'particles');
    if (begun) this.setSliders();
    this.tell(status);
  }

  private setSliders(): void {
    const { gravity, scene_gravity, stiffness } = this.status!;
    const size = Math.hypot(...scene_gravity);
    this.gravity.set(size > 0 ? Math.round((100 * Math.hypot(...gravity)) / size) : Math.round((100 * Math.hypot(...gravity)) / 9.81));
    this.stiffness.set(Math.round(20 * Math.log10(stiffness)));
  }

  /** The last cuts, and what came off. */
  private tellCuts(frames: Frames, dt: number): void {
    const told = tellCuts(frames.events.get(0) ?? [], dt, TOLD_CUTS, (body) => frames.nameOf(body, 0));
    this.cuts.hidden = told.length === 0;
    this.cuts.replaceChildren(...told.map((text) => h('li', {}, text)));
  }

  /** How fast the world is, and how late. */
  private tell(status: LiveStatus): void {
    const { paused, failure, ms, rate, steps_per_second, missed, step, hands } = status;
    const slow = !paused && steps_per_second > 0 && steps_per_second < 0.95 * rate;
    const pace = failure ? `stopped: ${failure}` : paused ? 'paused' : `${steps_per_second.toFixed(0)} of ${rate.toFixed(0)} steps/s`;
    const force = hands.map((hand) => `${hand.body} ${hand.force.toFixed(1)} N`).join(', ');
    this.text.replaceChildren(
      h('b', {}, pace),
      h('span', {}, `${ms.toFixed(ms < 10 ? 1 : 0)} ms a step`),
      h('span', { title: 'Steps that were not done when the next was due' }, `${missed} late`),
      h('span', { className: 'step' }, `step ${step}`),
      h('span', { className: 'held' }, force),
    );
    this.text.classList.toggle('slow', slow || failure !== '');
    const title = paused ? 'Go on (space)' : 'Pause (space)';
    if (this.pause.title !== title) {
      this.pause.title = title;
      this.pause.setAttribute('aria-label', title);
      this.pause.replaceChildren(icon(paused ? 'play' : 'pause'));
    }
  }

  private togglePause(): void {
    this.messages.control({ pause: !this.status?.paused });
  }

  private reset(): void {
    this.input({ reset: true });
  }

  private setGravity(factor: number): void {
    const { scene_gravity } = this.status!;
    const whole: Vec3 = scene_gravity.some((value) => value !== 0) ? scene_gravity : [0, -9.81, 0];
    this.input({ gravity: whole.map((value) => factor * value) as Vec3 });
  }

  /** Says that no pictures come, until one does. */
  private lose(why: string | null): void {
    if (why !== null || this.lost) this.app.notice(why);
    this.lost = why !== null;
  }

  private complain(problem: string): void {
    this.app.notice(problem);
    window.clearTimeout(this.complaint);
    this.complaint = window.setTimeout(() => this.app.notice(null), 4000);
  }

  private button(id: string, name: 'pause' | 'next' | 'first', title: string, onclick: () => void): HTMLButtonElement {
    return h('button', { id, className: 'icon', title, 'aria-label': title, onclick }, icon(name));
  }

  private slider(id: string, name: string, min: number, max: number, text: (value: number) => string, changed: (value: number) => void) {
    const value = h('output', {});
    const input = h('input', { id, type: 'range', min: String(min), max: String(max), step: '1', 'aria-label': name });
    const show = () => (value.textContent = text(Number(input.value)));
    input.addEventListener('input', () => {
      show();
      changed(Number(input.value));
    });
    const set = (to: number) => {
      input.value = String(to);
      show();
    };
    return { label: h('label', { className: 'slider' }, h('span', {}, name), input, value), set };
  }
}

/** Twenty steps of the slider are a factor of ten. */
function factorOf(value: number): number {
  return 10 ** (value / 20);
}
