// Links to a frame: page.html#frame=60 shows frame 60, and the address follows the frame shown.

/** Time between two changes of the address; browsers refuse more than some tens in ten seconds. */
const INTERVAL_MS = 250;

export interface FrameLink {
  frame: number | null; // null: the address names none, or none that is a number
  note: string | null; // why another frame than the one asked for is shown
}

export function parseFrameLink(hash: string, frames: number): FrameLink {
  const asked = new URLSearchParams(hash.replace(/^#/, '')).get('frame');
  if (asked === null) return { frame: null, note: null };
  if (!/^\d+$/.test(asked)) return { frame: null, note: `The address asks for frame "${asked}", which is not a frame number.` };
  const last = frames - 1;
  const frame = Math.min(Number(asked), last);
  const note = frame === Number(asked) ? null : `The address asks for frame ${asked}; the last frame is ${last}.`;
  return { frame, note };
}

export function withFrame(hash: string, frame: number): string {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  fields.set('frame', String(frame));
  return `#${fields}`;
}

export class FrameAddress {
  private timer = 0;
  private wanted = 0;

  constructor(private readonly follow: () => void) {
    window.addEventListener('hashchange', () => this.follow());
  }

  /** Brings the frame into the address, some time later if it was changed just before. */
  set(frame: number): void {
    this.wanted = frame;
    if (this.timer) return;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.write();
    }, INTERVAL_MS);
  }

  private write(): void {
    const hash = withFrame(location.hash, this.wanted);
    if (hash === location.hash) return;
    try {
      history.replaceState(history.state, '', hash);
    } catch {
      // A page within another page may not change its address.
    }
  }
}
