// The payload of a CUTS chunk, docs/formats.md: cuts of bodies since the frame before, and the triangles that are faces of
// cuts, of those bodies whose triangles the frame holds.

import { payload, RecordingError, type Chunk } from './recording';

/** Cut of a body in a step. */
export interface Cut {
  step: number;
  body: number; // which was cut, and keeps the largest part
  pieces: number[]; // bodies that came off it
  crossed: number; // edges of cloth, or links between voxels of a soft body
  separated: number; // vertices of cloth, or nodes of a soft body, that became two or more
  length: number; // m, of cloth
  area: number; // m², of a soft body
}

export interface Cuts {
  events: Cut[];
  faces: Map<number, Uint32Array>; // triangles, by the number of the body
}

export function decodeCuts(chunk: Chunk | undefined): Cuts {
  const cuts: Cuts = { events: [], faces: new Map() };
  if (!chunk) return cuts;
  const bytes = payload(chunk);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (n: number) => {
    if (n > bytes.length - at) throw new RecordingError(`The CUTS chunk at byte ${chunk.offset} ends too early.`);
    at += n;
    return at - n;
  };
  const u32 = () => view.getUint32(take(4), true);
  const f64 = () => view.getFloat64(take(8), true);
  const list = () => {
    const n = u32();
    const begin = take(4 * n);
    return new Uint32Array(bytes.slice(begin, begin + 4 * n).buffer);
  };
  for (let n = u32(); n > 0; n--) {
    const step = Number(view.getBigUint64(take(8), true));
    cuts.events.push({ step, body: u32(), pieces: [...list()], crossed: u32(), separated: u32(), length: f64(), area: f64() });
  }
  for (let n = u32(); n > 0; n--) cuts.faces.set(u32(), list());
  return cuts;
}
