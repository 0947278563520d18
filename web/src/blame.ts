// Blame: whose packets waited because of whom, in the interval and link class.

import type { App } from "./app";
import { CellGrid } from "./cells";
import { jobColour } from "./colour";
import type { Table } from "./data";
import { button, type Cell, fill, h, table as tableOf } from "./dom";
import { duration, moment, percent } from "./format";
import { Panel, type Rows } from "./panel";

export class BlamePanel extends Panel {
  private readonly grid = new CellGrid();
  private readonly chain = h("div");

  constructor(app: App) {
    super(app, "blame", "Blame: who waits because of whom");
    this.body.append(this.grid.element, this.chain);
  }

  /** The waiting time of each pair in the interval, by class. */
  private sums(table: Table): { all: Float64Array; classes: Map<string, Float64Array> } {
    const { app } = this;
    const jobs = app.facts()!.jobs.length;
    const all = new Float64Array(jobs * jobs);
    const classes = new Map<string, Float64Array>();
    const interval = app.interval()!;
    const length = Number(table.facts.window_ns);
    const [from, to] = interval.whole ? [-Infinity, Infinity] : [interval.from, interval.to];
    const [start, cls, victim, aggressor, wait] = ["window_start_ns", "class", "victim", "aggressor", "wait_ns"].map((n) => table.num(n));
    for (let row = 0; row < table.rows; row++) {
      if (start![row]! < from - length * 1e-6 || start![row]! >= to - length * 1e-6) continue;
      const place = victim![row]! * jobs + aggressor![row]!;
      const name = table.classes[cls![row]!]!;
      let own = classes.get(name);
      if (!own) classes.set(name, (own = new Float64Array(jobs * jobs)));
      own[place]! += wait![row]!;
      if (!app.state.cls || app.state.cls === name) all[place]! += wait![row]!;
    }
    return { all, classes };
  }

  draw(): void {
    const { app } = this;
    const facts = app.facts();
    const table = app.table("blame");
    if (!facts || !app.interval() || this.lacks(table, "waiting times by cause") || !table || table instanceof Error) return;
    const jobs = facts.jobs.length;
    const { all, classes } = this.sums(table);
    const totals = facts.jobs.map((_, victim) => all.subarray(victim * jobs, (victim + 1) * jobs).reduce((a, b) => a + b, 0));
    const share = all.map((wait, n) => (totals[Math.floor(n / jobs)]! > 0 ? wait / totals[Math.floor(n / jobs)]! : NaN));
    const { victim, aggressor } = app.state;
    this.grid.draw({
      label: `Waiting time of each job by the job that causes it, ${app.when()}. Enter chooses a pair.`,
      rows: jobs,
      columns: jobs,
      values: share,
      most: 1,
      rowLabel: (row) => app.job(row),
      columnLabel: (column) => app.job(column),
      rowTitle: "waits",
      columnTitle: "because of",
      colours: jobColour,
      shown: percent,
      stretch: jobs <= 8,
      cell: 40,
      height: 420,
      markedRow: victim,
      markedColumn: aggressor,
      text: (row, column) => percent(share[row * jobs + column]!),
      lines: (row, column) => [
        row === column ? `${app.job(row)} waits because of itself` : `${app.job(row)} waits because of ${app.job(column)}`,
        `${duration(all[row * jobs + column]!)}, summed over packets`,
        `${percent(share[row * jobs + column]!)} of ${app.job(row)}'s waiting${app.state.cls ? ` for ${app.state.cls} links` : ""}`,
        "Click: all views show this pair",
      ],
      pick: (row, column) =>
        victim === row && aggressor === column
          ? app.store.set({ victim: null, aggressor: null, jobs: [] })
          : app.store.set({ victim: row, aggressor: column, jobs: [...new Set([row, column])].sort((a, b) => a - b) }),
    });
    this.say(this.finding(all, totals));
    this.words(classes, totals);
  }

  private finding(all: Float64Array, totals: number[]): string {
    const { app } = this;
    const jobs = totals.length;
    const parts = totals.flatMap((sum, victim) => {
      if (!sum) return [];
      let best = -1;
      for (let job = 0; job < jobs; job++) {
        if (job !== victim && all[victim * jobs + job]! > (best < 0 ? 0 : all[victim * jobs + best]!)) best = job;
      }
      if (best < 0) return [`all of ${app.job(victim)}'s waiting is charged to itself`];
      return [`${percent(all[victim * jobs + best]! / sum)} of ${app.job(victim)}'s waiting is charged to ${app.job(best)}`];
    });
    const text = parts.slice(0, 4).join("; ");
    return text ? `${text[0]!.toUpperCase()}${text.slice(1)}, in the interval.` : "No job waits in this interval.";
  }

  /** The shortest span of windows that holds half of the waiting of a pair over the run, as in the report's sentence. */
  private span(table: Table, victim: number, aggressor: number): [number, number] | null {
    const cls = this.app.state.cls ? table.classes.indexOf(this.app.state.cls) : -1;
    const [start, kind, who, whom, wait] = ["window_start_ns", "class", "victim", "aggressor", "wait_ns"].map((n) => table.num(n));
    const sums = new Map<number, number>();
    for (let row = 0; row < table.rows; row++) {
      if (who![row] !== victim || whom![row] !== aggressor || (cls >= 0 && kind![row] !== cls)) continue;
      sums.set(start![row]!, (sums.get(start![row]!) ?? 0) + wait![row]!);
    }
    const windows = [...sums].sort((a, b) => a[0] - b[0]);
    const half = windows.reduce((sum, [, each]) => sum + each, 0) / 2;
    if (!(half > 0) || windows.length < 2) return null;
    let best: [number, number] | null = null;
    let [held, first] = [0, 0];
    windows.forEach(([time, each]) => {
      held += each;
      while (held - windows[first]![1] >= half) held -= windows[first++]![1];
      const from = windows[first]![0];
      if (held >= half && (!best || time - from < best[1] - best[0])) best = [from, time];
    });
    const found = best as [number, number] | null;
    return found && [found[0], found[1] + Number(table.facts.window_ns)];
  }

  private words(classes: Map<string, Float64Array>, totals: number[]): void {
    const { app } = this;
    const { victim, aggressor } = app.state;
    const causes = app.words()?.causes ?? [];
    const jobs = totals.length;
    const key = [app.run, app.when(), victim, aggressor, app.state.cls, causes.length, totals.length].join(" ");
    fill(this.chain, key, () => {
      const found: (Node | null)[] = causes.slice(0, 6).map((text) => h("p", { class: "note" }, `Whole run: ${text}`));
      if (victim === null || aggressor === null || victim >= jobs || aggressor >= jobs) return found;
      const place = victim * jobs + aggressor;
      const sum = [...classes.values()].reduce((a, values) => a + values[place]!, 0);
      const rows = [...classes]
        .map(([name, values]): [string, number] => [name, values[place]!])
        .filter(([, wait]) => wait > 0)
        .sort((a, b) => b[1] - a[1])
        .map(([name, wait]): (Cell | string)[] => [
          { text: `${name} links`, act: () => app.store.set({ cls: app.state.cls === name ? "" : name }), strong: app.state.cls === name },
          { text: duration(wait), number: true },
          { text: percent(wait / sum), number: true },
        ]);
      const table = app.ready("blame");
      const span = table ? this.span(table, victim, aggressor) : null;
      const links = (app.words()?.hottest ?? []).filter((each) => !app.state.cls || each.class === app.state.cls).slice(0, 3);
      return [
        h("h3", {}, `${app.job(victim)} waits because of ${app.job(aggressor)}`),
        tableOf(["where", "waiting", "share"], rows, "A click shows one class in all views."),
        span
          ? h("p", { class: "note" }, "When: half of it lies ", button(`between ${moment(span[0])} and ${moment(span[1])}`, () => app.store.set({ from: span[0], to: span[1] }), "Select this interval", "link"), app.state.cls ? ` (${app.state.cls} links).` : ".")
          : null,
        links.length
          ? h("p", { class: "note" }, "Where: the hottest links are ", ...links.flatMap((each) => [button(each.name, () => app.openLink(each.link), "", "link"), " "]))
          : null,
        button("Show all jobs", () => app.store.set({ victim: null, aggressor: null, jobs: [] })),
        ...found,
      ];
    });
  }

  rows(): Rows {
    const { app } = this;
    const table = app.ready("blame");
    const facts = app.facts();
    const columns = ["victim", "aggressor", "wait_ns"];
    if (!table?.rows || !facts || !app.interval()) return { columns, rows: [] };
    const { all } = this.sums(table);
    const jobs = facts.jobs.length;
    const rows: Rows["rows"] = [];
    all.forEach((wait, n) => wait > 0 && rows.push([Math.floor(n / jobs), n % jobs, wait]));
    return { columns, rows };
  }

  sql(): string {
    return this.app.query("blame");
  }
}
