// Bands below the view of time: the iterations of each job, and its MPI phases.

import type { App } from "./app";
import { ink, jobColour } from "./colour";
import type { Table } from "./data";
import { percent } from "./format";

interface Segment {
  start: number;
  end: number;
  /** How strong the colour is, from 0 to 1. */
  depth: number;
  text: string;
}

interface Band {
  job: number;
  name: string;
  segments: Segment[];
}

/** Bands at most; the view says when there are more. */
const MOST = 12;
/** A phase: the call with the most time in a window, if ranks spend at least this share of it in calls. */
const LEAST = 0.1;

const iterations = new WeakMap<Table, Map<number, Segment[]>>();
const phases = new WeakMap<Table, Map<number, Segment[]>>();

function iterationsOf(table: Table): Map<number, Segment[]> {
  let found = iterations.get(table);
  if (found) return found;
  iterations.set(table, (found = new Map()));
  if (!table.rows) return found;
  const [job, start, end, iteration, motif] = ["job", "start_ns", "end_ns", "iteration", "motif"].map((name) => table.num(name));
  const phase = table.text("phase");
  for (let row = 0; row < table.rows; row++) {
    const part = phase[row] ? `, ${phase[row]}` : motif![row] ? `, motif ${motif![row]}` : "";
    const list = found.get(job![row]!) ?? [];
    found.set(job![row]!, list);
    list.push({ start: start![row]!, end: end![row]!, depth: list.length % 2 ? 0.3 : 0.55, text: `${iteration![row]}${part}` });
  }
  return found;
}

function phasesOf(table: Table, end: number): Map<number, Segment[]> {
  let found = phases.get(table);
  if (found) return found;
  phases.set(table, (found = new Map()));
  if (!table.rows) return found;
  const [start, job, inside, ranks] = ["window_start_ns", "job", "inside_ns", "ranks"].map((name) => table.num(name));
  const call = table.text("call");
  const length = Number(table.facts.window_ns);
  for (let row = 0; row < table.rows; ) {
    const [from, number] = [start![row]!, job![row]!];
    let [sum, most, name] = [0, 0, ""];
    for (; row < table.rows && start![row] === from && job![row] === number; row++) {
      sum += inside![row]!;
      if (inside![row]! > most) [most, name] = [inside![row]!, call[row]!];
    }
    const till = Math.min(end, from + length);
    const share = sum / (ranks![row - 1]! * (till - from) || 1);
    if (share < LEAST) continue;
    const list = found.get(number) ?? [];
    found.set(number, list);
    const last = list.at(-1);
    if (last && last.text === name && Math.abs(last.end - from) < 1e-3) {
      const before = last.end - last.start;
      last.depth = (last.depth * before + share * (till - from)) / (before + till - from);
      last.end = till;
    } else list.push({ start: from, end: till, depth: share, text: name });
  }
  return found;
}

/** The bands of the jobs chosen, and how many are left out. */
export function bandsOf(app: App): { bands: Band[]; more: number } {
  const facts = app.facts();
  if (!facts) return { bands: [], more: 0 };
  const own = (table: Table | null): Table | null => (table?.rows ? table : null);
  const [rounds, calls] = [own(app.ready("bands")), own(app.ready("phases"))];
  const bands: Band[] = [];
  facts.jobs.forEach((name, job) => {
    if (app.state.jobs.length && !app.state.jobs.includes(job)) return;
    const [one, two] = [rounds && iterationsOf(rounds).get(job), calls && phasesOf(calls, facts.simulated_ns).get(job)];
    if (one) bands.push({ job, name: `${name} iterations`, segments: one });
    if (two) bands.push({ job, name: `${name} MPI`, segments: two.map((each) => ({ ...each, depth: 0.15 + 0.55 * Math.min(1, each.depth) })) });
  });
  return { bands: bands.slice(0, MOST), more: Math.max(0, bands.length - MOST) };
}

/** The height of a band and its gap in pixels; the bands of many jobs are lower. */
export const heightOf = (bands: Band[]): number => (bands.length > 6 ? 11 : 13);

export function drawBands(pen: CanvasRenderingContext2D, bands: Band[], top: number, left: number, x: (time: number) => number): void {
  const height = heightOf(bands);
  pen.save();
  pen.textBaseline = "middle";
  bands.forEach(({ job, name, segments }, place) => {
    const y = top + place * height;
    const middle = y + (height - 2) / 2;
    pen.font = `${Math.min(11, height - 1)}px system-ui, sans-serif`;
    pen.fillStyle = ink("muted");
    pen.textAlign = "right";
    pen.fillText(name, left - 6, middle, left - 8);
    pen.textAlign = "center";
    let free = 0;
    for (const { start, end, depth, text } of segments) {
      const [from, till] = [x(start), x(end)];
      pen.fillStyle = jobColour(job);
      pen.globalAlpha = depth;
      pen.fillRect(from, y, Math.max(1, till - from - 0.5), height - 2);
      pen.globalAlpha = 1;
      if (till - from < 12) continue;
      // Iterations of ranks overlap; their numbers do not.
      const half = pen.measureText(text).width / 2 + 3;
      const centre = (from + till) / 2;
      if (2 * half > till - from || centre - half < free) continue;
      free = centre + half;
      pen.fillStyle = ink("ink");
      pen.fillText(text, centre, middle + 0.5);
    }
  });
  pen.restore();
}

/** What the bands say of a time: iterations, and the share of ranks in each call. */
export function bandsAt(app: App, time: number): string[] {
  const facts = app.facts();
  const [rounds, calls] = [app.ready("bands"), app.ready("phases")];
  if (!facts) return [];
  const shown = (job: number): boolean => !app.state.jobs.length || app.state.jobs.includes(job);
  const found: string[] = [];
  if (rounds?.rows) {
    for (const [job, segments] of iterationsOf(rounds)) {
      const running = segments.filter(({ start, end }) => shown(job) && time >= start && time < end);
      if (running.length) found.push(`${app.job(job)}: iteration ${running.slice(0, 3).map(({ text }) => text).join(" and ")}`);
    }
  }
  if (calls?.rows) {
    const length = Number(calls.facts.window_ns);
    const [start, job, inside, ranks] = ["window_start_ns", "job", "inside_ns", "ranks"].map((name) => calls.num(name));
    const call = calls.text("call");
    const parts = new Map<number, string[]>();
    for (let row = 0; row < calls.rows && start![row]! <= time; row++) {
      if (time >= start![row]! + length || !shown(job![row]!)) continue;
      const width = Math.min(length, facts.simulated_ns - start![row]!);
      parts.set(job![row]!, [...(parts.get(job![row]!) ?? []), `${call[row]} ${percent(inside![row]! / (ranks![row]! * width))}`]);
    }
    for (const [each, texts] of parts) found.push(`${app.job(each)}, ranks in ${texts.slice(0, 4).join(", ")}`);
  }
  return found.slice(0, 8);
}
