// Jobs: slowdowns, latency, paths, placement on groups and routers, and ranks x iterations.

import type { App } from "./app";
import { CellGrid } from "./cells";
import type { Row, Table } from "./data";
import { type Cell, fill, h, select, table as tableOf } from "./dom";
import { count, duration, percent } from "./format";
import { LatencyChart } from "./latency";
import { Panel, type Rows } from "./panel";
import { Placement } from "./placement";
import { greatest } from "./sums";

interface Shape {
  ranks: number;
  iterations: string[];
  values: Float64Array;
}

/** How much a job is slowed down, in words; `unknown` is why that is not known. */
function slowed(row: Row): string {
  if (row.unknown) return `slowdown not known (${row.unknown})`;
  if (row.slowdown !== null) return `${Number(row.slowdown).toFixed(2)} × as long in MPI calls as alone`;
  if (row.compared !== "duration") return "no communication";
  return `packets ${Number(row.packet_latency_slowdown).toFixed(2)} × as long as alone`;
}

export class JobsPanel extends Panel {
  private readonly totals = h("div");
  private readonly latency: LatencyChart;
  private readonly latencyTitle = h("h3", {}, "Packet latency in the interval");
  private readonly latencyWords = h("p", { class: "note" });
  private readonly paths = h("div");
  private readonly placement: Placement;
  private readonly ranks = new CellGrid();
  private readonly rankTitle = h("h3");
  private readonly choice = h("span");
  private job = 0;

  constructor(app: App) {
    super(app, "jobs", "Jobs");
    this.latency = new LatencyChart(app);
    this.placement = new Placement(app);
    this.body.append(
      this.totals,
      this.latencyTitle,
      this.latency.element,
      this.latencyWords,
      this.paths,
      this.placement.element,
      h("div", { class: "row" }, this.rankTitle, this.choice),
      this.ranks.element,
    );
  }

  draw(): void {
    const { app } = this;
    const facts = app.facts();
    const jobs = app.table("jobs");
    if (!facts || this.lacks(jobs, "jobs") || !jobs || jobs instanceof Error) return;
    const words = app.words();
    const slowdown = words?.slowdown ?? [];
    this.say(
      slowdown.length
        ? slowdown.map((row) => `${row.name}: ${slowed(row)}`).join("; ") + "."
        : "Communication time is the time that a rank spends in MPI calls.",
    );
    fill(this.totals, `${app.run} ${slowdown.length} ${app.state.jobs} ${jobs.rows} ${!!words}`, () => [this.slowdowns(slowdown), this.latencies(jobs)]);
    this.histograms();
    this.shares();
    this.placement.draw();
    this.iterations();
  }

  private chosen(job: number): boolean {
    const { jobs } = this.app.state;
    return !jobs.length || jobs.includes(job);
  }

  private slowdowns(rows: Row[]): HTMLElement | null {
    if (!rows.length) return null;
    const { app } = this;
    const names = app.facts()!.jobs;
    const time = (value: string | number | null | undefined): Cell => ({ text: typeof value === "number" ? duration(value) : "–", number: true });
    const times = (value: string | number | null | undefined): Cell => ({ text: typeof value === "number" ? `${value.toFixed(2)} ×` : "–", number: true, strong: true });
    return tableOf(
      ["job", "in MPI alone", "together", "slowdown", "run alone", "together", "slowdown"],
      rows.map((row) => {
        const job = names.indexOf(String(row.name));
        return [
          { text: String(row.name), colour: job, act: () => this.only(job), strong: app.state.jobs.length > 0 && this.chosen(job) },
          time(row.alone_communication_time_mean_ns),
          time(row.together_communication_time_mean_ns),
          times(row.slowdown),
          time(row.alone_run_time_ns),
          time(row.together_run_time_ns),
          times(row.run_time_slowdown),
        ];
      }),
      "Communication time is the mean over ranks of the time in MPI calls. A click on a job shows it alone in all views.",
    );
  }

  only(job: number): void {
    const { jobs } = this.app.state;
    const alone = jobs.length === 1 && jobs[0] === job;
    this.app.store.set({ jobs: alone || job < 0 ? [] : [job], victim: null, aggressor: null });
  }

  private latencies(table: Table): HTMLElement {
    const { app } = this;
    const names = ["packet_latency_p50_ns", "packet_latency_p95_ns", "packet_latency_p99_ns", "nonminimal_share", "packets", "communication_time_mean_ns"];
    const [p50, p95, p99, detour, packets, communication] = names.map((name) => table.num(name));
    return tableOf(
      ["job", "in MPI", "packets", "latency p50", "p95", "p99", "non-minimal"],
      app.facts()!.jobs.map((name, job) => [
        { text: name, colour: job, act: () => this.only(job), strong: app.state.jobs.length > 0 && this.chosen(job) },
        { text: duration(communication![job]!), number: true },
        { text: count(packets![job]!), number: true },
        { text: duration(p50![job]!), number: true },
        { text: duration(p95![job]!), number: true },
        { text: duration(p99![job]!), number: true },
        { text: percent(detour![job]!), number: true },
      ]),
      "Whole run, all packets.",
    );
  }

  private histograms(): void {
    const { app } = this;
    const words = this.latency.draw();
    const found = app.table("latencies");
    const why = found instanceof Error ? found.message : found?.remedy || "No recorded packet arrived in this interval.";
    this.latencyWords.textContent = found === null ? "Reading the packets …" : words || why;
  }

  /** The paths of the packets that arrived in the interval, of each job. */
  private shares(): void {
    const { app } = this;
    const table = app.table("routing");
    const interval = app.interval();
    if (!table || !interval) return;
    const facts = app.facts()!;
    fill(this.paths, `${app.run} ${app.when()} ${app.state.jobs} ${table instanceof Error ? "" : table.rows}`, () => {
      if (table instanceof Error || !table.rows) return [h("p", { class: "note" }, `Paths of packets: ${table instanceof Error ? table.message : table.remedy}`)];
      const names = ["minimal", "nonminimal_at_source", "rerouted"];
      const sums = facts.jobs.map(() => new Float64Array(names.length));
      const [start, job] = [table.num("window_start_ns"), table.num("job")];
      const length = Number(table.facts.window_ns);
      const columns = names.map((name) => table.num(name));
      for (let row = 0; row < table.rows; row++) {
        if (!interval.whole && (start[row]! < interval.from - length * 1e-6 || start[row]! >= interval.to - length * 1e-6)) continue;
        columns.forEach((column, n) => (sums[job[row]!]![n]! += column[row]!));
      }
      const mask = app.mask();
      const rows = facts.jobs.flatMap((name, each): (Cell | string)[][] => {
        const all = sums[each]!.reduce((a, b) => a + b, 0);
        if (!mask[each] || !all) return [];
        return [[{ text: name, colour: each }, { text: count(all), number: true }, ...[...sums[each]!].map((part): Cell => ({ text: percent(part / all), number: true }))]];
      });
      return [
        h("h3", {}, "Paths of packets in the interval"),
        rows.length ? tableOf(["job", "packets arrived", "minimal", "non-minimal from the source", "diverted later"], rows) : h("p", { class: "note" }, "No packet arrived."),
      ];
    });
  }

  /** The communication time of the ranks of a job by iteration. */
  private shape(table: Table, wanted: number): Shape {
    const [job, rank, motif, iteration, time] = ["job", "rank", "motif", "iteration", "communication_ns"].map((n) => table.num(n));
    const columns = new Map<string, number>();
    const cells: [number, number, number][] = [];
    let ranks = 0;
    for (let row = 0; row < table.rows; row++) {
      if (job![row] !== wanted) continue;
      const key = motif![row] ? `${motif![row]}.${iteration![row]}` : String(iteration![row]);
      if (!columns.has(key)) columns.set(key, columns.size);
      ranks = Math.max(ranks, rank![row]! + 1);
      cells.push([rank![row]!, columns.get(key)!, time![row]!]);
    }
    const values = new Float64Array(columns.size * ranks).fill(NaN);
    for (const [each, column, value] of cells) values[column * ranks + each] = value;
    return { ranks, iterations: [...columns.keys()], values };
  }

  private iterations(): void {
    const { app } = this;
    const table = app.ready("iterations");
    const facts = app.facts()!;
    const only = app.state.jobs.length === 1 ? app.state.jobs[0]! : this.job;
    const wanted = Math.min(only, facts.jobs.length - 1);
    fill(this.choice, `${facts.jobs.length} ${wanted} ${app.state.jobs.length}`, () =>
      facts.jobs.length > 1 && app.state.jobs.length !== 1
        ? [select("Job", facts.jobs.map((name, n) => [String(n), name]), String(wanted), (text) => ((this.job = Number(text)), app.store.refresh()))]
        : [],
    );
    const shape = table?.rows ? this.shape(table, wanted) : null;
    this.ranks.element.hidden = !shape?.iterations.length;
    if (!table || !shape?.iterations.length) {
      this.rankTitle.textContent = table?.remedy ? `Ranks × iterations: ${table.remedy}` : `No iteration of ${app.job(wanted)} ended.`;
      return;
    }
    const left = Number(table.facts.left_out ?? 0);
    this.rankTitle.textContent = `Time in MPI of ${app.job(wanted)}: iterations × ranks${left ? ` (${count(left)} rows left out)` : ""}`;
    const rows = shape.iterations.length;
    this.ranks.draw({
      label: `Communication time of the ranks of ${app.job(wanted)} by iteration`,
      rows,
      columns: shape.ranks,
      values: shape.values,
      most: greatest(shape.values.map((value) => value || 0))[1],
      rowLabel: (row) => shape.iterations[row]!,
      columnLabel: String,
      rowTitle: rows > 5 ? "iteration" : "",
      columnTitle: "rank",
      shown: duration,
      stretch: true,
      cell: 22,
      height: 320,
      lines: (row, column) => [`${app.job(wanted)}, rank ${column}, iteration ${shape.iterations[row]}`, `${duration(shape.values[row * shape.ranks + column]!)} in MPI calls`],
    });
  }

  rows(): Rows {
    const table = this.app.ready("jobs");
    const names = ["ranks", "communication_time_mean_ns", "packets", "packet_latency_p50_ns", "packet_latency_p95_ns", "packet_latency_p99_ns", "nonminimal_share", "link_hops_mean"];
    if (!table?.rows) return { columns: ["name", ...names], rows: [] };
    const columns = names.map((name) => table.num(name));
    return { columns: ["name", ...names], rows: table.text("name").map((name, row) => [name, ...columns.map((column) => column[row]!)]) };
  }

  sql(): string {
    return ["jobs", "latencies", "shares", "placement", "routers", "iterations"].map((view) => this.app.query(view)).join("\n\n");
  }
}
