// The lines of the view of time: what each job did in each window.

import { type App, inRun } from "./app";
import type { Span } from "./axis";
import type { Table } from "./data";
import { duration, percent, significant } from "./format";

export interface Line {
  job: number;
  name: string;
  dashed: boolean;
  starts: Float64Array;
  ends: Float64Array;
  values: Float64Array;
  most: number;
  /** The end of its run. */
  end: number;
  /** The time that its run skipped. */
  skipped: Span[];
  /** Whether a window without a row is a zero. */
  everywhere: boolean;
}

export interface Measure {
  id: string;
  name: string;
  table: string;
  query: string;
  shown: (value: number) => string;
  everywhere: boolean;
}

const gigabytes = (value: number): string => (Math.abs(value) >= 1000 ? `${significant(value / 1000)}\u00a0TB/s` : `${significant(value)}\u00a0GB/s`);

export const MEASURES: Measure[] = [
  { id: "throughput", name: "delivered throughput", table: "throughput", query: "throughput", shown: gigabytes, everywhere: true },
  { id: "presence", name: "ranks inside MPI calls", table: "presence", query: "presence", shown: percent, everywhere: true },
  { id: "latency", name: "p99 packet latency", table: "latency", query: "latency", shown: duration, everywhere: false },
  { id: "routing", name: "packets on non-minimal paths", table: "routing", query: "routing", shown: percent, everywhere: false },
];

type OfTable = Map<number, Omit<Line, "name" | "dashed" | "job" | "skipped">>;

const made = new WeakMap<Table, OfTable>();

function ofTable(table: Table, id: string, end: number): OfTable {
  const known = made.get(table);
  if (known) return known;
  const found = new Map<number, { starts: number[]; ends: number[]; values: number[] }>();
  if (table.rows) {
    const job = table.num("job");
    const start = table.num("window_start_ns");
    const length = id === "throughput" ? null : Number(table.facts.window_ns);
    const widths = length === null ? table.num("window_ns") : null;
    const columns = {
      throughput: ["delivered_bytes"],
      presence: ["inside_ns", "ranks"],
      latency: ["p99_ns"],
      routing: ["nonminimal", "packets"],
    }[id]!.map((name) => table.num(name));
    for (let row = 0; row < table.rows; row++) {
      let line = found.get(job[row]!);
      if (!line) found.set(job[row]!, (line = { starts: [], ends: [], values: [] }));
      const till = Math.min(end, start[row]! + (widths ? widths[row]! : length!));
      const value = columns[0]![row]!;
      const width = till - start[row]!;
      const by = { throughput: widths ? widths[row]! : 1, presence: (columns[1]?.[row] ?? 1) * width, latency: 1, routing: columns[1]?.[row] ?? 1 };
      line.starts.push(start[row]!);
      line.ends.push(till);
      line.values.push(value / (by[id as keyof typeof by] || 1));
    }
  }
  const everywhere = MEASURES.find((each) => each.id === id)!.everywhere;
  const lines = new Map(
    [...found].map(([job, { starts, ends, values }]) => [
      job,
      {
        starts: Float64Array.from(starts),
        ends: Float64Array.from(ends),
        values: Float64Array.from(values),
        most: values.reduce((most, value) => Math.max(most, value), 0),
        everywhere,
        end,
      },
    ]),
  );
  made.set(table, lines);
  return lines;
}

/** The order of lines and of their sentence: by job, dashed ones first, so that they are drawn behind. */
export const inOrder = (a: { job: number; dashed: boolean }, b: { job: number; dashed: boolean }): number => Number(b.dashed) - Number(a.dashed) || a.job - b.job;

/** The lines of a run; dashed, those of the run beside it, or of each job alone. */
export function linesOf(app: App, id: string): Line[] {
  const measure = MEASURES.find((each) => each.id === id) ?? MEASURES[0]!;
  const facts = app.facts();
  if (!facts) return [];
  const found: Line[] = [];
  for (const other of app.behind()) {
    const its = app.facts(other);
    const table = app.ready(measure.table, other);
    if (!its || !table) continue;
    for (const [job, line] of ofTable(table, measure.id, its.simulated_ns)) {
      const own = facts.jobs.indexOf(its.jobs[job] ?? "");
      const alone = its.jobs.length === 1 && app.beside === null;
      if (own >= 0 && (alone || app.beside !== null)) {
        const name = alone ? `${its.jobs[job]} alone` : inRun(its.jobs[job]!, its.title);
        found.push({ ...line, job: own, name, dashed: true, skipped: its.skipped });
      }
    }
  }
  const table = app.ready(measure.table);
  if (table) {
    for (const [job, line] of ofTable(table, measure.id, facts.simulated_ns)) {
      found.push({ ...line, job, name: facts.jobs[job] ?? String(job), dashed: false, skipped: facts.skipped });
    }
  }
  return found.sort(inOrder);
}

/** Whether the run of a line skipped a time. */
export const isSkipped = (line: Line, time: number): boolean => line.skipped.some(([start, end]) => time >= start && time < end);

/** The value of a line at a time; null in a gap. */
export function valueAt(line: Line, time: number): number | null {
  let [low, high] = [0, line.starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (line.starts[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  if (low && time < line.ends[low - 1]!) return line.values[low - 1]!;
  return line.everywhere && !isSkipped(line, time) ? 0 : null;
}
