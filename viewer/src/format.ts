// Numbers as they are shown.

const grouped = new Intl.NumberFormat('en-US');

export function count(n: number): string {
  return grouped.format(n).replaceAll(',', '\u2009');
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

export function ms(value: number): string {
  if (value === 0) return '0';
  return value < 0.001 ? '<0.001' : value.toFixed(value < 1 ? 3 : value < 100 ? 2 : 1);
}

export function seconds(value: number): string {
  return `${value.toFixed(3)} s`;
}

/** A length in metres, in the unit that leaves one to three digits before the point. */
export function length(metres: number): string {
  const size = Math.abs(metres);
  if (size === 0) return '0 m';
  const units: [number, string][] = [[1, 'm'], [1e-3, 'mm'], [1e-6, 'µm'], [1e-9, 'nm']];
  const [scale, unit] = units.find(([scale]) => size >= scale * 0.9995) ?? [0, ''];
  return scale === 0 ? `${metres.toExponential(2)} m` : `${Number((metres / scale).toPrecision(4))} ${unit}`;
}

export function bytes(n: number): string {
  return n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`;
}

/** Three digits that count. */
export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(3)));
}
