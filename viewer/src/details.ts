// The payload of a DETL chunk, docs/formats.md: levels of cloth, and spheres of the tree of detection.

import { payload, RecordingError, type Chunk } from './recording';

export interface Details {
  levels: Map<number, Uint8Array>; // of the vertices of a body, by its number
  spheres: Float32Array; // x, y, z, radius each
}

export function decodeDetails(chunk: Chunk | undefined): Details {
  const details: Details = { levels: new Map(), spheres: new Float32Array(0) };
  if (!chunk) return details;
  const bytes = payload(chunk);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (n: number) => {
    if (n > bytes.length - at) throw new RecordingError(`The DETL chunk at byte ${chunk.offset} ends too early.`);
    at += n;
    return at - n;
  };
  const u32 = () => view.getUint32(take(4), true);
  for (let n = u32(); n > 0; n--) {
    const body = u32();
    const vertices = u32();
    const begin = take(vertices);
    details.levels.set(body, bytes.slice(begin, begin + vertices));
  }
  const spheres = u32();
  const begin = take(16 * spheres);
  details.spheres = new Float32Array(bytes.slice(begin, begin + 16 * spheres).buffer);
  return details;
}
