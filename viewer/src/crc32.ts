// CRC-32 (IEEE 802.3, reflected), four bytes a turn: a recording of 100 MB is checked in a fraction of a second.

const tables = makeTables();

function makeTables(): Uint32Array[] {
  const all = [0, 1, 2, 3].map(() => new Uint32Array(256));
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    all[0][n] = c;
  }
  for (let t = 1; t < 4; t++) {
    for (let n = 0; n < 256; n++) all[t][n] = all[0][all[t - 1][n] & 255] ^ (all[t - 1][n] >>> 8);
  }
  return all;
}

export function crc32(bytes: Uint8Array): number {
  const [t0, t1, t2, t3] = tables;
  const n = bytes.length;
  const whole = n & ~3;
  let c = ~0;
  let i = 0;
  for (; i < whole; i += 4) {
    c ^= bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    c = t3[c & 255] ^ t2[(c >>> 8) & 255] ^ t1[(c >>> 16) & 255] ^ t0[c >>> 24];
  }
  for (; i < n; i++) c = t0[(c ^ bytes[i]) & 255] ^ (c >>> 8);
  return ~c >>> 0;
}
