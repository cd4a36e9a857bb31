// Which frame is shown, and how it moves on with time.

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  frame = 0;
  frames = 1;
  dt = 1 / 60;
  playing = false;
  speed = 1;
  loop = false;
  private readonly listeners: (() => void)[] = [];
  private played = 0; // frames, with the fraction not yet shown
  private lastTick = 0;

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  open(frames: number, dt: number): void {
    this.frames = frames;
    this.dt = dt;
    this.frame = 0;
    this.playing = false;
    this.changed();
  }

  seek(frame: number): void {
    const next = Math.min(Math.max(Math.round(frame), 0), this.frames - 1);
    this.played = next;
    if (next === this.frame) return;
    this.frame = next;
    this.changed();
  }

  step(frames: number): void {
    this.pause();
    this.seek(this.frame + frames);
  }

  play(): void {
    if (this.playing || this.frames < 2) return;
    if (this.frame === this.frames - 1) this.seek(0);
    this.playing = true;
    this.played = this.frame;
    this.lastTick = performance.now();
    requestAnimationFrame((now) => this.tick(now));
    this.changed();
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.changed();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    this.changed();
  }

  private tick(now: number): void {
    if (!this.playing) return;
    const elapsed = Math.min(Math.max(now - this.lastTick, 0), 250) / 1000; // a hidden tab does not jump ahead
    this.lastTick = now;
    let played = this.played + (elapsed * this.speed) / this.dt;
    if (played >= this.frames - 1 && !this.loop) {
      this.seek(this.frames - 1);
      this.pause();
      return;
    }
    played %= this.frames;
    this.seek(Math.floor(played));
    this.played = played;
    requestAnimationFrame((next) => this.tick(next));
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
