// Pictures of a world that runs, one after the other (docs/formats.md, "Live pictures"). The page asks for the next one
// when it has drawn the last: what it is too slow for it never gets, and nothing waits for it.

import { Frames, type ShownFrame } from './frames';
import type { Vec3 } from './frame';
import { RecordingError, type Chunk, type Meta, type Recording } from './recording';

export interface HandStatus {
  hand: number;
  body: string;
  point: Vec3;
  target: Vec3;
  force: number; // N
}

export interface LiveStatus {
  number: number;
  key: number;
  frame: number;
  scene: string;
  description: string;
  dt: number; // s
  rate: number; // steps a second that are wanted
  step: number;
  resets: number;
  time: number; // s
  paused: boolean;
  ms: number; // of a step
  steps_per_second: number;
  late_ms: number;
  missed: number; // deadlines
  gravity: Vec3;
  scene_gravity: Vec3;
  stiffness: number;
  wind: Vec3;
  inputs: number;
  refused: number;
  failure: string;
  hands: HandStatus[];
}

/** The parts of a picture: what is to be said, the key frame and its cuts unless the page has them, and the frame. */
export function splitPicture(bytes: Uint8Array): { status: LiveStatus; key: Uint8Array; cuts: Uint8Array; frame: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const part = () => {
    if (at + 4 > bytes.length) throw new RecordingError('A picture of the live world ends too early.');
    const size = view.getUint32(at, true);
    at += 4;
    if (size > bytes.length - at) throw new RecordingError('A picture of the live world ends too early.');
    at += size;
    return bytes.subarray(at - size, at);
  };
  const status = JSON.parse(new TextDecoder().decode(part())) as LiveStatus;
  return { status, key: part(), cuts: part(), frame: part() };
}

export interface LivePicture {
  status: LiveStatus;
  shown: ShownFrame;
  frames: Frames;
  fresh: boolean; // a key frame came with it: bodies may be others than before
}

/** Pictures as frames of a recording that holds nothing but the key frame and the last one. */
export class LiveFrames {
  key = 0;
  last = 0; // number of the last picture
  private frames: Frames | null = null;
  private recording: Recording | null = null;
  private origin: Vec3 | null = null;

  take(bytes: Uint8Array): LivePicture {
    const { status, key, cuts, frame } = splitPicture(bytes);
    const fresh = key.length > 0;
    if (fresh) {
      this.recording = { version: 2, meta: metaOf(status), stats: [], frames: [chunkOf('FRAM', key)], details: new Map(), cuts: cutsOf(cuts), size: 0, notice: null };
      this.frames = new Frames(this.recording, this.origin ?? undefined);
      this.origin = this.frames.origin; // stays, so that the camera may
      this.key = status.key;
    }
    if (!this.frames || !this.recording || this.key !== status.key) throw new RecordingError('A picture came without its key frame.');
    this.recording.frames[status.frame] = chunkOf('FRAM', frame);
    const shown = this.frames.at(status.frame);
    delete this.recording.frames[status.frame];
    this.last = status.number;
    return { status, shown, frames: this.frames, fresh };
  }
}

/** All cuts since the world began are in the key frame. */
function cutsOf(payload: Uint8Array): Map<number, Chunk> {
  return payload.length > 0 ? new Map([[0, chunkOf('CUTS', payload)]]) : new Map();
}

function chunkOf(tag: 'FRAM' | 'CUTS', payload: Uint8Array): Chunk {
  return { tag, offset: 0, compressed: false, rawSize: payload.length, stored: payload };
}

function metaOf(status: LiveStatus): Meta {
  const wind = status.wind.some((value) => value !== 0) ? status.wind : null;
  return { carom: '', scene: status.scene, description: status.description, dt: status.dt, gravity: status.gravity, contact_distance: 0, wind, views: [], check: null };
}

/** Asks for pictures until the page is closed. `drawn` resolves when the last one is on the screen. */
export async function followPictures(show: (picture: LivePicture) => void, drawn: () => Promise<void>, lost: (why: string | null) => void): Promise<void> {
  const frames = new LiveFrames();
  for (;;) {
    try {
      const answer = await fetch(`live/picture?key=${frames.key}&after=${frames.last}`);
      if (answer.status === 200) {
        show(frames.take(new Uint8Array(await answer.arrayBuffer())));
        lost(null);
        await drawn();
      } else if (answer.status !== 204) {
        throw new Error(`the server answered ${answer.status}`);
      }
    } catch (error) {
      lost(error instanceof RecordingError ? error.message : 'The program has ended, or does not answer.');
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}
