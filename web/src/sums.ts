// Sums of windows over an interval. The benchmark times these functions.

import type { Column, Table } from "./data";

const indices = new WeakMap<Table, Uint32Array>();

/** The first row of each window of a table in the order of windows; the last entry is the number of rows. */
export function rowsByWindow(table: Table, windows: number): Uint32Array {
  const known = indices.get(table);
  if (known && known.length === windows + 1) return known;
  const starts = new Uint32Array(windows + 1);
  if (table.rows) {
    const column = table.num("window");
    let row = 0;
    for (let window = 0; window <= windows; window++) {
      while (row < table.rows && column[row]! < window) row++;
      starts[window] = row;
    }
  }
  starts[windows] = table.rows;
  indices.set(table, starts);
  return starts;
}

/** Which jobs count: 1 by number. */
export function mask(jobs: number[], number: number): Uint8Array {
  const found = new Uint8Array(Math.max(1, number));
  if (jobs.length === 0) found.fill(1);
  else for (const job of jobs) if (job < number) found[job] = 1;
  return found;
}

/** The sum of a column by sending and receiving group, in windows `first` to `last` (not included). */
export function sumGroups(
  table: Table,
  windows: number,
  first: number,
  last: number,
  jobs: Uint8Array,
  cls: number,
  column: string,
  groups: number,
): Float64Array {
  const sums = new Float64Array(groups * groups);
  if (!table.rows) return sums;
  const starts = rowsByWindow(table, windows);
  const source = table.num("source");
  const target = table.num("target");
  const job = table.num("job");
  const kind = table.num("class");
  const value = table.num(column);
  const end = starts[Math.min(last, windows)]!;
  for (let row = starts[Math.min(first, windows)]!; row < end; row++) {
    if (jobs[job[row]!] && (cls < 0 || kind[row] === cls)) {
      sums[source[row]! * groups + target[row]!]! += value[row]!;
    }
  }
  return sums;
}

/** The number of links by sending and receiving group. */
export function countLinks(pairs: Table, cls: number, groups: number): Float64Array {
  const found = new Float64Array(groups * groups);
  if (!pairs.rows) return found;
  const [source, target, kind, links] = ["source", "target", "class", "links"].map((name) => pairs.num(name));
  for (let row = 0; row < pairs.rows; row++) {
    if (cls < 0 || kind![row] === cls) found[source![row]! * groups + target![row]!]! += links![row]!;
  }
  return found;
}

/** The sum of columns by link and job: a row of jobs for each link that has rows. */
export function sumLinks(
  table: Table,
  windows: number,
  first: number,
  last: number,
  jobs: Uint8Array,
  columns: string[],
): Map<number, Float64Array[]> {
  const found = new Map<number, Float64Array[]>();
  if (!table.rows) return found;
  const starts = rowsByWindow(table, windows);
  const link = table.num("link");
  const job = table.num("job");
  const values: Column[] = columns.map((name) => table.num(name));
  const end = starts[Math.min(last, windows)]!;
  for (let row = starts[Math.min(first, windows)]!; row < end; row++) {
    if (!jobs[job[row]!]) continue;
    let sums = found.get(link[row]!);
    if (!sums) found.set(link[row]!, (sums = columns.map(() => new Float64Array(jobs.length))));
    for (let at = 0; at < values.length; at++) sums[at]![job[row]!]! += values[at]![row]!;
  }
  return found;
}

export const total = (values: ArrayLike<number>): number => {
  let sum = 0;
  for (let at = 0; at < values.length; at++) sum += values[at]!;
  return sum;
};

/** The number and the value of the greatest entry. */
export function greatest(values: ArrayLike<number>): [number, number] {
  let best = -1;
  for (let at = 0; at < values.length; at++) if (best < 0 || values[at]! > values[best]!) best = at;
  return [best, best < 0 ? 0 : values[best]!];
}
