// Experiments: a metric over two axes, its spread over the other axes (seeds), and the runs of a cell.

import type { App } from "./app";
import { CellGrid } from "./cells";
import { ink } from "./colour";
import type { CaseRow } from "./data";
import { Canvas, type Cell, fill, h, select, table as tableOf } from "./dom";
import { duration, percent, significant, ticks } from "./format";
import { Panel, type Rows } from "./panel";
import type { State } from "./state";

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

interface Place {
  row: number;
  column: number;
  cases: CaseRow[];
}

/** The value of the first colour: 0, or a value below all others if these differ by less than half. */
function start(values: Float64Array): number {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low > 0.5 * high && high > low ? low - (high - low) / 2 : 0;
}

export class GridPanel extends Panel {
  private readonly grid = new CellGrid();
  private readonly choices = h("span");
  private readonly dots = new Canvas();
  private readonly list = h("div");

  constructor(app: App) {
    super(app, "grid", "Experiments");
    this.tools.append(this.choices);
    this.body.append(h("div", { class: "two" }, this.grid.element, h("div", { class: "spread" }, this.dots.element)), this.list);
  }

  /** The axes, the metric, the job and the cell: those of the address, or the first that there are. */
  private get chosen(): { down: number; across: number; metric: number; job: string; cell: number | null } {
    const grid = this.app.data.subject.grid!;
    const { state } = this.app;
    const seed = grid.axes.indexOf("seed");
    const others = grid.axes.map((_, n) => n).filter((n) => n !== seed);
    const [down, across] = [others[0] ?? 0, others[1] ?? (seed >= 0 ? seed : -1)];
    const known = (given: number | null, number: number): number | null => (given !== null && given < number ? given : null);
    return {
      down: known(state.down, grid.axes.length) ?? down,
      // One more than the axis; 0 stands for no axis.
      across: state.across === null ? across : (known(state.across, grid.axes.length + 1) ?? 0) - 1,
      metric: known(state.metric, grid.metrics.length) ?? (grid.rows.some((row) => row.values[0] !== null) ? 0 : 1),
      job: this.jobs[known(state.who, this.jobs.length) ?? 0] ?? "",
      cell: state.cell,
    };
  }

  private get jobs(): string[] {
    return [...new Set(this.app.data.subject.grid!.rows.map((row) => row.job))];
  }

  private shown(value: number): string {
    const name = this.app.data.subject.grid!.metrics[this.chosen.metric] ?? "";
    if (name.endsWith("_ns")) return duration(value);
    return name.endsWith("_share") ? percent(value) : `${significant(value)}${name === "slowdown" ? " ×" : ""}`;
  }

  draw(): void {
    const { grid } = this.app.data.subject;
    this.element.hidden = !grid;
    if (!grid) return;
    const { jobs, chosen } = this;
    const axis = grid.axes.map((name, n): [string, string] => [String(n), name]);
    fill(this.choices, JSON.stringify([chosen.down, chosen.across, chosen.metric, chosen.job]), () => [
      select("Metric", grid.labels.map((name, n) => [String(n), name]), String(chosen.metric), (text) => this.choose({ metric: +text })),
      select("Job", jobs.map((name) => [name, name]), chosen.job, (job) => this.choose({ who: jobs.indexOf(job) })),
      select("Down", axis, String(chosen.down), (text) => this.choose({ down: +text })),
      select("Across", [["-1", "–"], ...axis], String(chosen.across), (text) => this.choose({ across: +text + 1 })),
    ]);
    const { places, downs, acrosses } = this.places();
    const means = new Float64Array(downs.length * acrosses.length).fill(NaN);
    for (const place of places) means[place.row * acrosses.length + place.column] = this.mean(place);
    const known = means.filter((value) => !Number.isNaN(value));
    if (!known.length) {
      this.say("No finished run has this metric.");
      this.body.hidden = true;
      return;
    }
    this.body.hidden = false;
    const best = places.reduce((a, b) => (this.mean(b) < this.mean(a) ? b : a));
    const worst = places.reduce((a, b) => (this.mean(b) > this.mean(a) ? b : a));
    const name = (place: Place): string => [downs[place.row], acrosses[place.column]].filter(Boolean).join(", ");
    this.say(
      `${capital(grid.labels[chosen.metric] ?? "")} of ${chosen.job}, mean of each cell's runs. Lowest: ${name(best)} (${this.shown(this.mean(best))}); highest: ${name(worst)} (${this.shown(this.mean(worst))}). A click lists the runs.`,
    );
    this.grid.draw({
      label: `${grid.labels[chosen.metric]} of ${chosen.job} over ${grid.axes[chosen.down]}`,
      rows: downs.length,
      columns: acrosses.length,
      values: means,
      most: Math.max(...known),
      least: start(known),
      rowLabel: (row) => downs[row]!,
      columnLabel: (column) => acrosses[column]!,
      rowTitle: "",
      columnTitle: "",
      shown: (value) => this.shown(value),
      stretch: true,
      cell: 44,
      height: 460,
      text: (row, column) => (Number.isNaN(means[row * acrosses.length + column]!) ? "" : this.shown(means[row * acrosses.length + column]!)),
      markedRow: chosen.cell === null ? null : Math.floor(chosen.cell / acrosses.length),
      markedColumn: chosen.cell === null ? null : chosen.cell % acrosses.length,
      lines: (row, column) => {
        const place = places.find((each) => each.row === row && each.column === column);
        if (!place) return ["no run"];
        const values = this.values(place);
        return [name(place), `mean ${this.shown(this.mean(place))}`, `${values.length} runs: ${this.shown(Math.min(...values))} to ${this.shown(Math.max(...values))}`];
      },
      pick: (row, column) => this.choose({ cell: row * acrosses.length + column }),
    });
    this.spread(places, name);
    this.runs(places, acrosses.length);
  }

  private choose(change: Partial<State>): void {
    this.app.store.set({ cell: null, ...change });
  }

  private values(place: Place): number[] {
    return place.cases.map((row) => row.values[this.chosen.metric]).filter((value): value is number => typeof value === "number");
  }

  private mean(place: Place): number {
    const values = this.values(place);
    return values.reduce((a, b) => a + b, 0) / (values.length || NaN);
  }

  /** The cells: the rows of the chosen job, together with the others where a case has parts. */
  private places(): { places: Place[]; downs: string[]; acrosses: string[] } {
    const grid = this.app.data.subject.grid!;
    const { down, across, job, metric } = this.chosen;
    const own = grid.rows.filter((row) => row.job === job && typeof row.values[metric] === "number");
    const rows = own.some((row) => row.part === "together") ? own.filter((row) => row.part === "together") : own;
    const downs = [...new Set(rows.map((row) => row.axes[down] ?? ""))];
    const acrosses = across < 0 || across === down ? [""] : [...new Set(rows.map((row) => row.axes[across] ?? ""))];
    const found = new Map<string, Place>();
    for (const each of rows) {
      const row = downs.indexOf(each.axes[down] ?? "");
      const column = acrosses.length === 1 && acrosses[0] === "" ? 0 : acrosses.indexOf(each.axes[across] ?? "");
      const key = `${row} ${column}`;
      if (!found.has(key)) found.set(key, { row, column, cases: [] });
      found.get(key)!.cases.push(each);
    }
    return { places: [...found.values()], downs, acrosses };
  }

  /** Every run as a dot, a row per cell: the distribution over seeds. */
  private spread(places: Place[], name: (place: Place) => string): void {
    const ordered = [...places].sort((a, b) => a.row - b.row || a.column - b.column).slice(0, 24);
    const width = this.dots.element.parentElement!.clientWidth;
    const pen = this.dots.size(width, ordered.length * 18 + 34);
    const values = ordered.flatMap((place) => this.values(place));
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const pad = (high - low) * 0.05 || Math.abs(high) * 0.05 || 1;
    const left = Math.min(width * 0.45, Math.max(...ordered.map((place) => pen.measureText(name(place)).width)) + 12);
    const x = (value: number): number => left + 6 + ((value - low + pad) / (high - low + 2 * pad)) * (width - left - 16);
    pen.textBaseline = "middle";
    ordered.forEach((place, n) => {
      const y = n * 18 + 12;
      pen.fillStyle = ink("muted");
      pen.textAlign = "right";
      pen.fillText(name(place), left - 4, y, left - 6);
      pen.fillStyle = ink("rule");
      pen.fillRect(left, y, width - left - 4, 1);
      pen.fillStyle = ink("ink");
      pen.globalAlpha = 0.6;
      for (const value of this.values(place)) {
        pen.beginPath();
        pen.arc(x(value), y, 3.5, 0, 7);
        pen.fill();
      }
      pen.globalAlpha = 1;
      pen.fillStyle = ink("mark");
      pen.fillRect(x(this.mean(place)) - 1, y - 6, 2, 12);
    });
    pen.fillStyle = ink("muted");
    pen.textAlign = "center";
    for (const tick of ticks(low, high, width / 160)) pen.fillText(this.shown(tick), Math.min(width - 24, x(tick)), ordered.length * 18 + 20);
  }

  private runs(places: Place[], columns: number): void {
    const { app, chosen } = this;
    const place = places.find((each) => chosen.cell === each.row * columns + each.column);
    const axes = app.data.subject.grid!.axes;
    fill(this.list, JSON.stringify([chosen.cell, chosen.metric, chosen.job, app.run]), () => {
      if (!place) return [];
      return [
        tableOf(
          ["run", ...axes, app.data.subject.grid!.labels[chosen.metric]!],
          place.cases.slice(0, 60).map((row): (Cell | string)[] => [
            row.run === null ? "–" : { text: `case ${row.case}, ${row.part}`, act: () => app.store.set({ run: row.run!, group: null, router: null, link: null, from: null, to: null, jobs: [] }), strong: row.run === app.run },
            ...row.axes,
            { text: this.shown(row.values[chosen.metric]!), number: true },
          ]),
          "A click opens the run below.",
        ),
      ];
    });
  }

  rows(): Rows {
    const { grid } = this.app.data.subject;
    if (!grid) return { columns: [], rows: [] };
    return { columns: ["case", "part", "job", ...grid.axes, ...grid.metrics], rows: grid.rows.map((row) => [row.case, row.part, row.job, ...row.axes, ...row.values]) };
  }

  sql(): string {
    const { subject } = this.app.data;
    const dir = subject.path.replaceAll("'", "''");
    return `SELECT c.*, j.* EXCLUDE (run)\nFROM '${dir}/experiments/${subject.name.replaceAll("'", "''")}/cases.parquet' c\nJOIN '${dir}/tables/jobs/*.parquet' j USING (run);`;
  }
}
