// Who waited at a link: a strip of packets that wait by the job that makes them wait, and a table of pairs.

import type { App } from "./app";
import { ink, jobColour } from "./colour";
import type { Table } from "./data";
import { type Cell, h, table as tableOf } from "./dom";
import { duration, percent, significant } from "./format";
import { paintAxis, type Strip } from "./strip";
import { ANY, eachWait, rounded } from "./waits";

/** Pairs of jobs in the table at most. */
const MOST = 12;

/** The waiting times at a link, or the sentence that says why there are none. */
export function waitersAt(app: App, link: number): Table | string {
  const missing = app.facts()?.missing.blame_links;
  if (missing) return missing;
  const found = app.table("waiters", app.run, link);
  if (!found) return "Reading the tables …";
  if (found instanceof Error) return found.message;
  if (!found.rows) return String(found.facts.why ?? found.remedy);
  return found;
}

export interface Pair {
  victim: number;
  aggressor: number;
  wait: number;
}

/** The waiting time of each pair of jobs in the interval, the longest first; the first job of a pair is chosen. */
export function pairsAt(app: App, table: Table): Pair[] {
  const sums = new Map<number, Pair>();
  const [who, whom, wait] = [table.num("victim"), table.num("aggressor"), table.num("wait_ns")];
  eachWait(app, table, app.run, (row) => {
    const key = who[row]! * 65536 + whom[row]!;
    let pair = sums.get(key);
    if (!pair) sums.set(key, (pair = { victim: who[row]!, aggressor: whom[row]!, wait: 0 }));
    pair.wait += wait[row]!;
  }, ANY);
  return [...sums.values()].sort((a, b) => b.wait - a.wait || a.victim - b.victim || a.aggressor - b.aggressor);
}

/** The table of who waited here because of whom. */
export function waitersTable(app: App, found: Table | string): HTMLElement {
  const head = h("h3", {}, "Who waited here, because of whom");
  if (typeof found === "string") return h("div", {}, head, h("p", { class: "note" }, found));
  const pairs = pairsAt(app, found);
  const all = pairs.reduce((sum, pair) => sum + pair.wait, 0);
  if (!all) return h("div", {}, head, h("p", { class: "note" }, "No packet of the chosen jobs waited here in this interval."));
  const { state } = app;
  const rows = pairs.slice(0, MOST).map(({ victim, aggressor, wait }): (Cell | string)[] => {
    const chosen = state.victim === victim && state.aggressor === aggressor;
    const change = chosen ? { victim: null, aggressor: null, jobs: [] } : { victim, aggressor, jobs: [...new Set([victim, aggressor])].sort((a, b) => a - b) };
    return [
      { text: app.job(victim), colour: victim, act: () => app.store.set(change), strong: chosen },
      { text: victim === aggressor ? "itself" : app.job(aggressor), colour: aggressor },
      { text: duration(wait), number: true },
      { text: percent(wait / all), number: true },
    ];
  });
  const length = Number(found.facts.window_ns);
  const notes = ["Waiting time, summed over packets; those behind the head of a queue wait for the link that the head waits for."];
  if (pairs.length > MOST) notes.push(`${pairs.length - MOST} more pairs are in the table behind this view (SQL).`);
  if (rounded(app, found)) notes.push(`It is recorded in windows of ${duration(length)}, so more than the interval is counted.`);
  return h("div", {}, head, tableOf(["waits", "because of", "waiting", "share"], rows, notes.join(" ")));
}

/** Draws the mean number of packets that wait in each window, by the job that makes them wait. */
export function paintWaiters(app: App, pen: CanvasRenderingContext2D, table: Table, x: (time: number) => number, strip: Strip): void {
  const { left, top, height } = strip;
  const interval = app.interval()!;
  const end = app.facts()!.simulated_ns;
  const length = Number(table.facts.window_ns);
  const windows = new Map<number, Float64Array>();
  const [window, whom, wait] = [table.num("window"), table.num("aggressor"), table.num("wait_ns")];
  eachWait(app, table, app.run, (row) => {
    let sums = windows.get(window[row]!);
    if (!sums) windows.set(window[row]!, (sums = new Float64Array(app.facts()!.jobs.length)));
    sums[whom[row]!]! += wait[row]!;
  }, ANY);
  const time = (n: number): number => Math.min(length, end - n * length) || length;
  let most = 0;
  for (const [n, sums] of windows) most = Math.max(most, sums.reduce((a, b) => a + b, 0) / time(n));
  most ||= 1;
  paintAxis(pen, strip, (share) => significant(most * share, 2));
  for (const [n, sums] of windows) {
    const [from, till] = [x(Math.max(n * length, interval.from)), x(Math.min(n * length + length, interval.to))];
    let below = 0;
    sums.forEach((sum, job) => {
      if (!sum || till <= from) return;
      const tall = (sum / time(n) / most) * height;
      pen.fillStyle = jobColour(job);
      pen.fillRect(from, top + height - below - tall, Math.max(0.75, till - from - (till - from > 4 ? 0.5 : 0)), tall);
      below += tall;
    });
  }
  pen.fillStyle = ink("ink");
  pen.fillText("packets that wait for it, by the job that makes them wait", left + 4, top - 6);
}
