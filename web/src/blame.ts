// Blame: whose packets waited because of whom, in the interval and link class.

import { type App, linkName } from "./app";
import { jobColour } from "./colour";
import type { Table } from "./data";
import { button, type Cell, fill, h, table as tableOf } from "./dom";
import { duration, moment, percent } from "./format";
import { Panel, type Rows } from "./panel";
import { greatest } from "./sums";
import { Trio } from "./trio";

interface Waiting {
  all: Float64Array;
  classes: Map<string, Float64Array>;
}

export class BlamePanel extends Panel {
  private readonly trio = new Trio();
  private readonly chain = h("div");

  constructor(app: App) {
    super(app, "blame", "Blame: who waits because of whom");
    this.body.append(this.trio.element, this.chain);
  }

  /** The waiting time of each pair in the interval, by class. */
  private sums(run: number, table: Table): Waiting {
    const { app } = this;
    const jobs = app.facts(run)!.jobs.length;
    const all = new Float64Array(jobs * jobs);
    const classes = new Map<string, Float64Array>();
    const interval = app.interval(run)!;
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
    const { all, classes } = this.sums(app.run, table);
    const totals = facts.jobs.map((_, victim) => all.subarray(victim * jobs, (victim + 1) * jobs).reduce((a, b) => a + b, 0));
    this.element.classList.toggle("wide", app.beside !== null);
    if (app.beside === null) {
      const share = all.map((wait, n) => (totals[Math.floor(n / jobs)]! > 0 ? wait / totals[Math.floor(n / jobs)]! : NaN));
      this.trio.show(null);
      this.show(0, facts.jobs, share, 1, percent, false, (row, column) => [
        `${duration(all[row * jobs + column]!)}, summed over packets`,
        `${percent(share[row * jobs + column]!)} of ${app.job(row)}'s waiting${app.state.cls ? ` for ${app.state.cls} links` : ""}`,
        "Click: all views show this pair",
      ]);
    } else this.compare(app.beside);
    this.say(this.finding(all, totals));
    this.words(classes, totals);
  }

  /** The waiting times of two runs by the names of their jobs; a job that did not run makes nobody wait. */
  private both(): { names: string[]; first: Float64Array; second: Float64Array } | null {
    const { app } = this;
    const beside = app.beside;
    const other = beside === null ? null : app.facts(beside);
    const [own, its] = [app.ready("blame"), beside === null ? null : app.ready("blame", beside)];
    if (!other || !own?.rows || !its?.rows || !app.interval(beside!)) return null;
    const names = [...new Set([...app.facts()!.jobs, ...other.jobs])];
    const spread = (run: number, table: Table): Float64Array => {
      const jobs = app.facts(run)!.jobs;
      const { all } = this.sums(run, table);
      const found = new Float64Array(names.length ** 2).fill(NaN);
      jobs.forEach((name, victim) => {
        for (let job = 0; job < names.length; job++) {
          const cause = jobs.indexOf(names[job]!);
          found[names.indexOf(name) * names.length + job] = cause < 0 ? 0 : all[victim * jobs.length + cause]!;
        }
      });
      return found;
    };
    return { names, first: spread(app.run, own), second: spread(beside!, its) };
  }

  private compare(beside: number): void {
    const { app } = this;
    const its = app.table("blame", beside);
    const found = this.both();
    const why = its instanceof Error ? its.message : its && !its.rows ? its.remedy || "no waiting times" : "…";
    const [own, other] = app.titles();
    this.trio.show([own, found ? other : `${other}: ${why}`, found ? "first − second" : ""]);
    this.trio.absent(1, !found);
    this.trio.absent(2, !found);
    if (!found) {
      const table = app.ready("blame")!;
      const { all } = this.sums(app.run, table);
      this.show(0, app.facts()!.jobs, all, greatest(all)[1], duration, false, () => []);
      return;
    }
    const { names, first, second } = found;
    const most = Math.max(...[first, second].map((values) => greatest(values.map((value) => value || 0))[1]));
    const difference = first.map((value, n) => value - second[n]!);
    const span = greatest(difference.map((value) => Math.abs(value) || 0))[1];
    const lines = (values: Float64Array) => (row: number, column: number): string[] => {
      const value = values[row * names.length + column]!;
      return [Number.isNaN(value) ? `${names[row]} did not run` : `${duration(value)}, summed over packets`];
    };
    this.show(0, names, first, most, duration, false, lines(first));
    this.show(1, names, second, most, duration, false, lines(second));
    this.show(2, names, difference, span, duration, true, lines(difference));
  }

  private show(number: 0 | 1 | 2, names: string[], values: Float64Array, most: number, shown: (value: number) => string, signed: boolean, lines: (row: number, column: number) => string[]): void {
    const { app } = this;
    const { victim, aggressor } = app.state;
    const jobs = names.length;
    const own = app.facts()!.jobs.length;
    this.trio.grids[number].draw({
      label: `Waiting time of each job by the job that causes it, ${app.when()}${signed ? ", first run less second" : ""}. Enter chooses a pair.`,
      rows: jobs,
      columns: jobs,
      values,
      most,
      signed,
      rowLabel: (row) => names[row]!,
      columnLabel: (column) => names[column]!,
      rowTitle: "waits",
      columnTitle: "because of",
      colours: jobColour,
      shown,
      stretch: jobs <= 8,
      cell: 40,
      height: 420,
      markedRow: victim,
      markedColumn: aggressor,
      text: (row, column) => (Number.isNaN(values[row * jobs + column]!) ? "" : shown(values[row * jobs + column]!)),
      lines: (row, column) => [row === column ? `${names[row]} waits because of itself` : `${names[row]} waits because of ${names[column]}`, ...lines(row, column)],
      pick: (row, column) => {
        if (row >= own || column >= own) return;
        if (victim === row && aggressor === column) app.store.set({ victim: null, aggressor: null, jobs: [] });
        else app.store.set({ victim: row, aggressor: column, jobs: [...new Set([row, column])].sort((a, b) => a - b) });
      },
    });
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

  /** The links at which a pair's waiting over the run is longest. */
  private worst(table: Table, victim: number, aggressor: number): [number, number][] {
    const { app } = this;
    const cls = app.cls(table);
    const [link, kind, who, whom, wait] = ["link", "class", "victim", "aggressor", "wait_ns"].map((n) => table.num(n));
    const found: [number, number][] = [];
    for (let row = 0; row < table.rows && found.length < 6; row++) {
      if (who![row] !== victim || whom![row] !== aggressor || (cls >= 0 && kind![row] !== cls)) continue;
      if (app.link(link![row]!)) found.push([link![row]!, wait![row]!]);
    }
    return found;
  }

  private words(classes: Map<string, Float64Array>, totals: number[]): void {
    const { app } = this;
    const { victim, aggressor } = app.state;
    const causes = app.words()?.causes ?? [];
    const jobs = totals.length;
    // Asked for only when a pair is chosen.
    const known = victim === null || app.facts()?.missing.blame_links ? 0 : (app.ready("waited")?.rows ?? 0) + (app.ready("links")?.rows ?? 0);
    const key = [app.run, app.when(), victim, aggressor, app.state.cls, app.state.link, causes.length, totals.length, known].join(" ");
    fill(this.chain, key, () => {
      const found: (Node | null)[] = causes.slice(0, 6).map((each) => h("p", { class: "note" }, `Whole run: ${each.text} `, button("Show it", () => app.go(each.place), "Select the pair, the links and the interval of this sentence", "link")));
      if (causes.length > 6) found.push(h("p", { class: "note" }, `The matrix has ${causes.length - 6} more jobs.`));
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
      const waited = known ? app.ready("waited") : null;
      const worst = waited?.rows ? this.worst(waited, victim, aggressor) : [];
      const links = worst.length ? [] : (app.words()?.hottest ?? []).filter((each) => !app.state.cls || each.class === app.state.cls).slice(0, 3);
      return [
        h("h3", {}, `${app.job(victim)} waits because of ${app.job(aggressor)}${app.beside === null ? "" : ` (${app.facts()!.title})`}`),
        tableOf(["where", "waiting", "share"], rows, "A click shows one class in all views."),
        span
          ? h("p", { class: "note" }, "When: half of it lies ", button(`between ${moment(span[0])} and ${moment(span[1])}`, () => app.store.set({ from: span[0], to: span[1] }), "Select this interval", "link"), app.state.cls ? ` (${app.state.cls} links).` : ".")
          : null,
        worst.length
          ? tableOf(
              ["where it waits longest (whole run)", "waiting"],
              worst.map(([link, wait]) => [{ text: linkName(app.link(link)!), act: () => app.openLink(link), strong: app.state.link === link }, { text: duration(wait), number: true }]),
              "A click opens the link. The matrix of groups above has the waiting of this pair in the interval.",
            )
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
    const { all } = this.sums(app.run, table);
    const jobs = facts.jobs.length;
    const both = this.both();
    const rows: Rows["rows"] = [];
    if (both) {
      // Jobs of two runs have their names in common, not their numbers.
      const { names, first, second } = both;
      const known = (value: number): number | null => (Number.isNaN(value) ? null : value);
      first.forEach((wait, n) => {
        if (wait > 0 || second[n]! > 0) rows.push([names[Math.floor(n / names.length)]!, names[n % names.length]!, known(wait), known(second[n]!), known(wait - second[n]!)]);
      });
      return { columns: [...columns, "beside", "difference"], rows };
    }
    all.forEach((wait, n) => {
      if (wait > 0) rows.push([Math.floor(n / jobs), n % jobs, wait]);
    });
    return { columns, rows };
  }

  sql(): string {
    return this.app.queries("blame");
  }
}
