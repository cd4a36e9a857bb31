// The container of docs/formats.md, section "Recording": chunks, their checksums, META and STAT.
// FRAM payloads stay compressed here; frame.ts decodes one when it is shown.

import { unzlibSync } from 'fflate';
import { readCheck, type Check } from './check_data';
import { crc32 } from './crc32';

/** What to look at first; the others of its frame are hidden if it names bodies. */
export interface View {
  title: string;
  frame: number;
  bodies: number[];
}

export interface Meta {
  carom: string;
  scene: string;
  description: string; // empty if there is none
  dt: number;
  gravity: number[];
  contact_distance: number;
  wind: [number, number, number] | null; // m/s; null if there is none
  views: View[];
  check: Check | null; // of a clash check
}

export interface Stage {
  name: string;
  in: number;
  inUnit: string; // what `in` counts; empty if it is not known, or the stage did not run
  out: number;
  outUnit: string;
  remembered: number; // of `in`: not from the stage before, but from earlier steps
  culled: Record<string, number>;
  limited: number;
  ms: number;
}

export interface Stat {
  frame: number;
  time: number;
  stages: Stage[];
}

export interface Chunk {
  tag: string;
  offset: number; // of the header in the file
  compressed: boolean;
  rawSize: number;
  stored: Uint8Array;
}

export interface Recording {
  version: number;
  meta: Meta;
  stats: Stat[]; // one a frame
  frames: Chunk[];
  details: Map<number, Chunk>; // of frames that have any
  cuts: Map<number, Chunk>; // the same
  size: number;
  notice: string | null; // why the frames end before the file should have, in plain words
}

/** A fault of the file, worded for whoever opened it. */
export class RecordingError extends Error {}

/** The file ends before what it announces; all before that is whole. */
class CutShort extends RecordingError {}

const FILE_HEADER = 16;
const CHUNK_HEADER = 32;
const NEWEST_VERSION = 2;
const MAGIC = 'CAROMREC';

export function parseRecording(bytes: Uint8Array): Recording {
  const version = checkFileHeader(bytes);
  const recording = { meta: undefined as Meta | undefined, stats: [] as Stat[], frames: [] as Chunk[], details: new Map<number, Chunk>(), cuts: new Map<number, Chunk>() };
  let fault: RecordingError | null = null;
  let closed = false;
  try {
    closed = readChunks(bytes, recording);
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    fault = error;
  }

  const { meta, frames, details, cuts } = recording;
  if (!meta || frames.length === 0) {
    throw fault ?? new RecordingError('The recording holds no frame: it was cut short before the first one was whole.');
  }
  const stats = recording.stats.slice(0, frames.length);
  return { version, meta, stats, frames, details, cuts, size: bytes.length, notice: noticeOf(fault, closed, frames.length) };
}

function noticeOf(fault: RecordingError | null, closed: boolean, frames: number): string | null {
  const shown = `Shown up to its last whole frame, ${frames - 1}.`;
  if (fault && !(fault instanceof CutShort)) return `${fault.message} ${shown}`;
  return closed ? null : `The recording was cut short: it has no index at its end. ${shown}`;
}

/** Returns the version. */
function checkFileHeader(bytes: Uint8Array): number {
  const magic = ascii(bytes.subarray(0, 8));
  if (!MAGIC.startsWith(magic) || magic.length === 0) {
    throw new RecordingError('This is not a Carom recording: it does not begin with "CAROMREC".');
  }
  if (bytes.length < FILE_HEADER) {
    throw new RecordingError(`The recording is cut short: it has ${bytes.length} bytes, less than its header of 16.`);
  }
  const version = view(bytes).getUint32(8, true);
  if (version < 1 || version > NEWEST_VERSION) {
    throw new RecordingError(`The recording has version ${version}; this viewer reads versions 1 to ${NEWEST_VERSION}.`);
  }
  return version;
}

/** Returns whether the index closed the file. */
function readChunks(bytes: Uint8Array, into: { meta?: Meta; stats: Stat[]; frames: Chunk[]; details: Map<number, Chunk>; cuts: Map<number, Chunk> }): boolean {
  let offset = FILE_HEADER;
  while (offset < bytes.length) {
    const chunk = readChunk(bytes, offset);
    offset += CHUNK_HEADER + chunk.stored.length;
    if (!into.meta && chunk.tag !== 'META') {
      throw new RecordingError(`The recording does not begin with its META chunk but with ${chunk.tag} at byte ${chunk.offset}.`);
    }
    switch (chunk.tag) {
      case 'META':
        into.meta ??= readMeta(chunk);
        break;
      case 'DETL':
        into.details.set(into.frames.length, chunk);
        break;
      case 'CUTS':
        into.cuts.set(into.frames.length, chunk);
        break;
      case 'STAT':
        if (into.stats.length !== into.frames.length) throw orderFault(chunk);
        into.stats.push(readStat(chunk, into.frames.length));
        break;
      case 'FRAM':
        if (into.stats.length !== into.frames.length + 1) throw orderFault(chunk);
        into.frames.push(chunk);
        break;
      case 'INDX':
        checkIndex(chunk, into.frames);
        return true;
    }
  }
  return false;
}

function orderFault(chunk: Chunk): RecordingError {
  return new RecordingError(`The ${chunk.tag} chunk at byte ${chunk.offset} is out of order: STAT and FRAM must alternate.`);
}

function readChunk(bytes: Uint8Array, offset: number): Chunk {
  if (bytes.length - offset < CHUNK_HEADER) {
    throw new CutShort(`The recording is cut short in the chunk header at byte ${offset}.`);
  }
  const header = bytes.subarray(offset, offset + CHUNK_HEADER);
  const fields = view(header);
  if (crc32(header.subarray(0, 28)) !== fields.getUint32(28, true)) {
    throw new RecordingError(`The recording is damaged: checksum mismatch in the chunk header at byte ${offset}.`);
  }
  const tag = ascii(header.subarray(0, 4));
  const storedSize = Number(fields.getBigUint64(8, true));
  const rawSize = Number(fields.getBigUint64(16, true));
  const begin = offset + CHUNK_HEADER;
  if (storedSize > bytes.length - begin) {
    throw new CutShort(`The recording is cut short in the ${tag} chunk at byte ${offset}.`);
  }
  const stored = bytes.subarray(begin, begin + storedSize);
  if (crc32(stored) !== fields.getUint32(24, true)) {
    throw new RecordingError(`The recording is damaged: checksum mismatch in the ${tag} chunk at byte ${offset}.`);
  }
  return { tag, offset, compressed: (fields.getUint32(4, true) & 1) === 1, rawSize, stored };
}

/** The chunk's payload, decompressed. */
export function payload(chunk: Chunk): Uint8Array {
  const { tag, offset, stored, rawSize } = chunk;
  const wrong = (why: string) => new RecordingError(`The ${tag} chunk at byte ${offset} cannot be read: ${why}.`);
  if (!chunk.compressed) {
    if (stored.length !== rawSize) throw wrong('its two sizes differ though it is not compressed');
    return stored;
  }
  // Deflate cannot expand by more than 1032; the bound keeps a false size from taking all memory.
  if (rawSize > 1032 * stored.length + 1024) throw wrong(`${stored.length} bytes cannot hold the ${rawSize} announced`);
  let raw: Uint8Array;
  try {
    raw = unzlibSync(stored, { out: new Uint8Array(rawSize) });
  } catch {
    throw wrong('its compressed data is not valid');
  }
  if (raw.length !== rawSize) throw wrong(`it holds ${raw.length} bytes instead of ${rawSize}`);
  return raw;
}

function readJson(chunk: Chunk): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload(chunk)));
    if (value !== null && typeof value === 'object') return value as Record<string, unknown>;
  } catch (error) {
    if (error instanceof RecordingError) throw error;
  }
  throw new RecordingError(`The ${chunk.tag} chunk at byte ${chunk.offset} is not valid JSON.`);
}

function readMeta(chunk: Chunk): Meta {
  const json = readJson(chunk) as Partial<Meta>;
  return {
    carom: String(json.carom ?? ''),
    scene: String(json.scene ?? ''),
    description: String(json.description ?? ''),
    dt: Number(json.dt) > 0 ? Number(json.dt) : 1 / 60,
    gravity: Array.isArray(json.gravity) ? json.gravity.map(Number) : [0, 0, 0],
    contact_distance: Number(json.contact_distance ?? 0),
    wind: Array.isArray(json.wind) && json.wind.length === 3 ? (json.wind.map(Number) as [number, number, number]) : null,
    views: (Array.isArray(json.views) ? json.views : []).map((view) => ({
      title: String(view.title ?? ''),
      frame: Number(view.frame ?? 0),
      bodies: Array.isArray(view.bodies) ? view.bodies.map(Number) : [],
    })),
    check: readCheck((json as { check?: unknown }).check ?? null),
  };
}

function readStat(chunk: Chunk, frame: number): Stat {
  const json = readJson(chunk) as { time?: unknown; stages?: unknown };
  const stages = (Array.isArray(json.stages) ? json.stages : []).map((stage) => ({
    name: String(stage.name),
    in: Number(stage.in ?? 0),
    inUnit: String(stage.in_unit ?? ''),
    out: Number(stage.out ?? 0),
    outUnit: String(stage.out_unit ?? ''),
    remembered: Number(stage.remembered ?? 0),
    culled: stage.culled ?? {},
    limited: Number(stage.limited ?? 0),
    ms: Number(stage.ms ?? 0),
  }));
  return { frame, time: Number(json.time ?? 0), stages };
}

function checkIndex(chunk: Chunk, frames: Chunk[]): void {
  const raw = payload(chunk);
  const fields = view(raw);
  const agrees =
    raw.length === 8 * (frames.length + 1) &&
    Number(fields.getBigUint64(0, true)) === frames.length &&
    frames.every((frame, i) => Number(fields.getBigUint64(8 * (i + 1), true)) === frame.offset);
  if (!agrees) throw new RecordingError(`The index at byte ${chunk.offset} does not agree with the frames before it.`);
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function ascii(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
