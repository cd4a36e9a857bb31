// Play, pause, step, scrub, speed, and marks of events.

import type { Mark } from './cut_events';
import { h } from './dom';
import { seconds } from './format';
import { icon, type IconName } from './icons';
import { SPEEDS, type Player } from './player';

export class Timeline {
  private readonly playButton: HTMLButtonElement;
  private readonly loopButton: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly marksPlace = h('div', { id: 'events', role: 'group', 'aria-label': 'Events' });
  private marks: Mark[] = [];
  private readonly label: HTMLElement;
  private readonly speed: HTMLSelectElement;

  constructor(root: HTMLElement, private readonly player: Player, private readonly timeOf: (frame: number) => number) {
    const button = (name: IconName, title: string, onclick: () => void) =>
      h('button', { id: `button-${name}`, className: 'icon', title, 'aria-label': title, onclick }, icon(name));
    this.playButton = button('play', 'Play (space)', () => player.toggle());
    this.playButton.classList.add('primary');
    this.loopButton = button('loop', 'Loop (l)', () => player.setLoop(!player.loop));
    this.slider = h('input', { id: 'scrub', type: 'range', min: '0', step: '1', value: '0', 'aria-label': 'Frame' });
    this.slider.addEventListener('input', () => player.seek(Number(this.slider.value)));
    this.slider.addEventListener('pointerdown', () => player.pause());
    this.label = h('output', { id: 'frame-label', className: 'numbers' });
    this.speed = h('select', { id: 'speed', title: 'Speed, of real time', 'aria-label': 'Speed, of real time' });
    for (const speed of SPEEDS) this.speed.append(h('option', { value: String(speed) }, `${speed}×`));
    this.speed.addEventListener('change', () => player.setSpeed(Number(this.speed.value)));

    root.append(
      h(
        'div',
        { className: 'buttons' },
        button('first', 'First frame (Home)', () => player.step(-player.frames)),
        button('previous', 'One frame back (←; with Shift ten)', () => player.step(-1)),
        this.playButton,
        button('next', 'One frame on (→; with Shift ten)', () => player.step(1)),
        button('last', 'Last frame (End)', () => player.step(player.frames)),
      ),
      h('div', { className: 'track' }, this.slider, this.marksPlace),
      this.label,
      this.speed,
      this.loopButton,
    );
    player.onChange(() => this.update());
    this.update();
  }

  /** Marks of a recording that has this many frames. */
  open(marks: Mark[], frames: number): void {
    this.marks = marks;
    const share = (frame: number) => (frames > 1 ? frame / (frames - 1) : 0);
    this.marksPlace.replaceChildren(
      ...marks.map(({ kind, from, to, text }) => {
        const mark = h('button', { className: kind, title: text, 'aria-label': text, onclick: () => this.goTo(from) });
        mark.style.setProperty('--from', String(share(from)));
        mark.style.setProperty('--size', String(share(to) - share(from)));
        return mark;
      }),
    );
  }

  /** The nearest event after the frame shown (1), or before it (-1). */
  stepEvent(direction: 1 | -1): void {
    const frames = this.marks.map(({ from }) => from).filter((from) => direction * (from - this.player.frame) > 0);
    if (frames.length > 0) this.goTo(direction > 0 ? Math.min(...frames) : Math.max(...frames));
  }

  private goTo(frame: number): void {
    this.player.pause();
    this.player.seek(frame);
  }

  private update(): void {
    const { frame, frames, playing, loop, speed } = this.player;
    const title = playing ? 'Pause (space)' : 'Play (space)';
    if (this.playButton.title !== title || !this.playButton.dataset.drawn) {
      this.playButton.replaceChildren(icon(playing ? 'pause' : 'play'));
      this.playButton.title = title;
      this.playButton.setAttribute('aria-label', title);
      this.playButton.dataset.drawn = 'yes';
    }
    this.loopButton.setAttribute('aria-pressed', String(loop));
    this.slider.max = String(frames - 1);
    this.slider.value = String(frame);
    this.slider.style.setProperty('--done', `${frames > 1 ? (100 * frame) / (frames - 1) : 0}%`);
    const time = seconds(this.timeOf(frame));
    this.slider.setAttribute('aria-valuetext', `frame ${frame}, ${time}`);
    const digits = String(frames - 1).length;
    this.label.replaceChildren(h('b', {}, String(frame).padStart(digits, '\u2007')), ` / ${frames - 1}`, h('span', {}, time));
    this.speed.value = String(speed);
  }
}
