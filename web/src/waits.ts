// Who waited because of whom, between groups and at links: sums over the windows of an interval.

import type { App } from "./app";
import type { Table } from "./data";

/** The windows of a table that lie in the selected interval, or overlap it if they are longer than those of links. */
export function windowsOf(app: App, table: Table, run = app.run): [number, number] {
  const interval = app.interval(run)!;
  const length = Number(table.facts.window_ns);
  if (interval.whole) return [0, Infinity];
  return [Math.floor(interval.from / length + 1e-6), Math.ceil(interval.to / length - 1e-6)];
}

/** Whether an end of the interval lies inside a window of a table, so that more than the interval is counted. */
export function rounded(app: App, table: Table): boolean {
  const interval = app.interval()!;
  const length = Number(table.facts.window_ns);
  const even = (time: number): boolean => Math.abs(time / length - Math.round(time / length)) < 1e-6;
  return !interval.whole && !(even(interval.from) && (even(interval.to) || interval.to >= app.facts()!.simulated_ns));
}

/** The chosen pair in a run, by the names of its jobs: -1 for all jobs, null for a job that did not run. */
export function pairIn(app: App, run: number): { victim: number | null; aggressor: number | null } {
  const jobs = app.facts(run)?.jobs ?? [];
  const of = (job: number | null): number | null => {
    if (job === null) return -1;
    if (run === app.run) return job;
    const found = jobs.indexOf(app.job(job));
    return found < 0 ? null : found;
  };
  return { victim: of(app.state.victim), aggressor: of(app.state.aggressor) };
}

/** Every pair of jobs. */
export const ANY = { victim: -1, aggressor: -1 };

const starts = new WeakMap<Table, Map<number, number>>();

/** The first row at or after a window, of a table in the order of windows. */
function rowOf(table: Table, window: number): number {
  if (window === Infinity) return table.rows;
  let known = starts.get(table);
  if (!known) starts.set(table, (known = new Map()));
  const found = known.get(window);
  if (found !== undefined) return found;
  const column = table.num("window");
  let [low, high] = [0, table.rows];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle]! < window) low = middle + 1;
    else high = middle;
  }
  known.set(window, low);
  return low;
}

/** Calls `take` with each row of the interval: of the chosen pair, or without one of the chosen jobs that wait. */
export function eachWait(app: App, table: Table, run: number, take: (row: number) => void, pair = pairIn(app, run)): void {
  const { victim, aggressor } = pair;
  if (!table.rows || victim === null || aggressor === null) return;
  const mask = app.mask(run);
  const [who, whom] = [table.num("victim"), table.num("aggressor")];
  const [first, last] = windowsOf(app, table, run);
  const end = rowOf(table, last);
  for (let row = rowOf(table, first); row < end; row++) {
    if (victim < 0 ? !mask[who[row]!] : who[row] !== victim) continue;
    if (aggressor >= 0 && whom[row] !== aggressor) continue;
    take(row);
  }
}

/** The waiting time by sending and receiving group. */
export function waitsBetween(app: App, table: Table, run: number, groups: number): Float64Array {
  const sums = new Float64Array(groups * groups);
  if (!table.rows) return sums;
  const [kind, source, target, wait] = ["class", "source", "target", "wait_ns"].map((name) => table.num(name));
  const cls = app.cls(table);
  const nics = ["injection", "ejection"].map((name) => table.classes.indexOf(name));
  eachWait(app, table, run, (row) => {
    if (cls < 0 ? nics.includes(kind![row]!) : kind![row] !== cls) return;
    sums[source![row]! * groups + target![row]!]! += wait![row]!;
  });
  return sums;
}
