// Numbers in words, as the report writes them: three significant digits and a unit.

const NBSP = "\u00a0";

export function significant(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.max(0, Math.min(9, digits - 1 - size)));
}

function scaled(value: number, units: [number, string][]): string {
  const [size, unit] = units.find(([least]) => Math.abs(value) >= least) ?? units[units.length - 1]!;
  return `${significant(value / size).replace("-", "−")}${NBSP}${unit}`;
}

const TIMES: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];
const SIZES: [number, string][] = [
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
  [1, "B"],
];

export const duration = (ns: number): string => (Number.isFinite(ns) ? scaled(ns, TIMES) : "–");
export const bytes = (value: number): string => scaled(value, SIZES);
export const count = (value: number): string => value.toLocaleString("en-US");

export function percent(share: number): string {
  if (!Number.isFinite(share)) return "–";
  const value = share * 100;
  if (value === 0) return `0${NBSP}%`;
  if (value !== 0 && Math.abs(value) < 0.1) return `${value < 0 ? "−" : ""}<${NBSP}0.1${NBSP}%`;
  const text = Math.abs(value) >= 10 ? value.toFixed(0) : value.toFixed(1);
  return `${text.replace("-", "−")}${NBSP}%`;
}

/** A time of the run with as many digits as its window needs: 570 µs, 1.23 ms. */
export function moment(ns: number): string {
  const [size, unit] = TIMES.find(([least]) => ns >= least) ?? TIMES[3]!;
  return `${+(ns / size).toFixed(size >= 1e6 ? 3 : 1)}${NBSP}${unit}`;
}

/** Round values that divide a range into at most `most` parts. */
export function ticks(low: number, high: number, most: number): number[] {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10);
  const found: number[] = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at++) found.push(at * step);
  return found;
}
