// Who waited at a link: a strip of packets that wait by the job that makes them wait, and a table of pairs; of two runs.

import type { App } from "./app";
import { ink, jobColour } from "./colour";
import type { Table } from "./data";
import { type Cell, h, table as tableOf } from "./dom";
import { duration, percent, significant } from "./format";
import { paintAxis, type Strip } from "./strip";
import { ANY, eachWait, rounded } from "./waits";

/** Pairs of jobs in the table at most. */
const MOST = 12;

/** The waiting times at a link in a run, or the sentence that says why there are none. */
export function waitersAt(app: App, link: number, run = app.run): Table | string {
  const missing = app.facts(run)?.missing.blame_links;
  if (missing) return missing;
  const found = app.table("waiters", run, link);
  if (!found) return "Reading the tables …";
  if (found instanceof Error) return found.message;
  if (!found.rows) return String(found.facts.why ?? found.remedy);
  return found;
}

/** The waiting of a pair of jobs, by their names: in the run, and in the run beside it. */
export interface Pair {
  victim: string;
  aggressor: string;
  wait: number;
  beside: number;
}

/** The waiting time of each pair of jobs in the interval, the longest of both runs first. */
export function pairsAt(app: App, found: Table | string, other: Table | string | null): Pair[] {
  const sums = new Map<string, Pair>();
  const add = (table: Table | string | null, run: number, into: "wait" | "beside"): void => {
    if (table === null || typeof table === "string") return;
    const [who, whom, wait] = [table.num("victim"), table.num("aggressor"), table.num("wait_ns")];
    eachWait(app, table, run, (row) => {
      const [victim, aggressor] = [app.job(who[row]!, run), app.job(whom[row]!, run)];
      const key = JSON.stringify([victim, aggressor]);
      let pair = sums.get(key);
      if (!pair) sums.set(key, (pair = { victim, aggressor, wait: 0, beside: 0 }));
      pair[into] += wait[row]!;
    }, ANY);
  };
  add(found, app.run, "wait");
  if (app.beside !== null) add(other, app.beside, "beside");
  const order = app.facts()?.jobs ?? [];
  const most = (pair: Pair): number => Math.max(pair.wait, pair.beside);
  const place = (pair: Pair): number => order.indexOf(pair.victim) * 65536 + order.indexOf(pair.aggressor);
  return [...sums.values()].sort((a, b) => most(b) - most(a) || place(a) - place(b));
}

/** The table of who waited here because of whom. */
export function waitersTable(app: App, found: Table | string, other: Table | string | null): HTMLElement {
  const head = h("h3", {}, "Who waited here, because of whom");
  const { beside } = app;
  const why = (run: number, table: Table | string | null): string[] => (typeof table === "string" ? [beside === null ? table : `${app.facts(run)?.title ?? ""}: ${table}`] : []);
  const lacking = [...why(app.run, found), ...(beside === null ? [] : why(beside, other))];
  const known = [found, other].some((table) => table !== null && typeof table !== "string");
  if (!known) return h("div", {}, head, ...lacking.map((text) => h("p", { class: "note" }, text)));
  const pairs = pairsAt(app, found, other);
  const all = pairs.reduce((sum, pair) => sum + pair.wait, 0);
  if (!pairs.length) return h("div", {}, head, h("p", { class: "note" }, "No packet of the chosen jobs waited here in this interval."));
  const { state } = app;
  const jobs = app.facts()!.jobs;
  const colour = (name: string): number => (jobs.includes(name) ? jobs.indexOf(name) : app.colourIn(beside!, app.facts(beside!)!.jobs.indexOf(name)));
  const time = (table: Table | string | null, wait: number): string => (table === null || typeof table === "string" ? "–" : duration(wait));
  const rows = pairs.slice(0, MOST).map(({ victim, aggressor, wait, beside: second }): (Cell | string)[] => {
    const [who, whom] = [jobs.indexOf(victim), jobs.indexOf(aggressor)];
    const chosen = who >= 0 && state.victim === who && state.aggressor === whom;
    const change = chosen ? { victim: null, aggressor: null, jobs: [] } : { victim: who, aggressor: whom, jobs: [...new Set([who, whom])].sort((a, b) => a - b) };
    const act = who >= 0 && whom >= 0 ? { act: () => app.store.set(change) } : {};
    const both = typeof found !== "string" && other !== null && typeof other !== "string";
    return [
      { text: victim, colour: colour(victim), strong: chosen, ...act },
      { text: victim === aggressor ? "itself" : aggressor, colour: colour(aggressor) },
      { text: time(found, wait), number: true },
      ...(beside === null
        ? [{ text: percent(wait / all), number: true }]
        : [{ text: time(other, second), number: true }, { text: both ? duration(wait - second) : "–", number: true }]),
    ];
  });
  const notes = ["Waiting time, summed over packets; those behind the head of a queue wait for the link that the head waits for.", ...lacking];
  if (pairs.length > MOST) notes.push(`${pairs.length - MOST} more pairs are in the table behind this view (SQL).`);
  const table = typeof found === "string" ? (other as Table) : found;
  if (rounded(app, table)) notes.push(`It is recorded in windows of ${duration(Number(table.facts.window_ns))}, so more than the interval is counted.`);
  const columns = beside === null ? ["waiting", "share"] : [app.facts()!.title, app.facts(beside)?.title ?? "…", "first − second"];
  return h("div", {}, head, tableOf(["waits", "because of", ...columns], rows, notes.join(" ")));
}

/** The waiting time of each window of the interval, by the job that causes it. */
export interface Queued {
  run: number;
  windows: Map<number, Float64Array>;
  length: number;
  /** The greatest mean number of packets that wait in a window. */
  most: number;
}

/** The packets that wait in each window of a run. */
export function queuedAt(app: App, run: number, table: Table): Queued {
  const facts = app.facts(run)!;
  const length = Number(table.facts.window_ns);
  const windows = new Map<number, Float64Array>();
  const [window, whom, wait] = [table.num("window"), table.num("aggressor"), table.num("wait_ns")];
  eachWait(app, table, run, (row) => {
    let sums = windows.get(window[row]!);
    if (!sums) windows.set(window[row]!, (sums = new Float64Array(facts.jobs.length)));
    sums[whom[row]!]! += wait[row]!;
  }, ANY);
  let most = 0;
  for (const [n, sums] of windows) most = Math.max(most, sums.reduce((a, b) => a + b, 0) / width(app, run, length, n));
  return { run, windows, length, most };
}

function width(app: App, run: number, length: number, window: number): number {
  return Math.min(length, app.facts(run)!.simulated_ns - window * length) || length;
}

/** Draws the mean number of packets that wait in each window, by the job that makes them wait. */
export function paintWaiters(app: App, pen: CanvasRenderingContext2D, queued: Queued | null, most: number, x: (time: number) => number, strip: Strip): void {
  const { left, top, height } = strip;
  paintAxis(pen, strip, (share) => significant(most * share, 2));
  if (queued) {
    const { run, length } = queued;
    const interval = app.interval(run)!;
    for (const [n, sums] of queued.windows) {
      const [from, till] = [x(Math.max(n * length, interval.from)), x(Math.min(n * length + length, interval.to))];
      let below = 0;
      sums.forEach((sum, job) => {
        if (!sum || till <= from) return;
        const tall = (sum / width(app, run, length, n) / most) * height;
        pen.fillStyle = jobColour(app.colourIn(run, job));
        pen.fillRect(from, top + height - below - tall, Math.max(0.75, till - from - (till - from > 4 ? 0.5 : 0)), tall);
        below += tall;
      });
    }
  }
  pen.fillStyle = ink("ink");
  pen.fillText(`packets that wait for it, by cause${queued ? "" : ": not known in this run"}`, left + 4, top - 6, strip.width - left - 14);
}
