// What all views share: the data, what is selected, and the interval in windows.

import { withoutSkipped } from "./axis";
import { type Facts, Data, type Table, type Words } from "./data";
import { h } from "./dom";
import { moment } from "./format";
import type { Panel, Rows } from "./panel";
import { read, type State, Store } from "./state";
import { mask } from "./sums";

export interface Interval {
  from: number;
  to: number;
  first: number;
  last: number;
  windows: number;
  whole: boolean;
  /** Its time without the time that the run skipped: what rates are of. */
  time: number;
}

export interface Link {
  row: number;
  link: number;
  cls: string;
  sourceRouter: number;
  sourcePort: number;
  sourceGroup: number;
  targetRouter: number;
  targetGroup: number;
  node: number;
}

export class App {
  readonly store: Store;
  readonly panels: Panel[] = [];
  data!: Data;
  private readonly live = h("p", { class: "live", attr: { role: "status", "aria-live": "polite" } });
  private readonly links = new WeakMap<Table, Map<number, Link>>();
  private frames = 0;
  goal = "";

  constructor(private readonly drawAll: () => void) {
    this.store = new Store(() => this.draw());
  }

  open(): void {
    this.data = Data.open((waiting) => this.store.arrived(waiting));
    document.body.append(this.live);
  }

  private draw(): void {
    performance.mark("draw");
    this.drawAll();
    this.frames += 1;
    performance.measure("draw", "draw");
  }

  /** Whether all that was asked for is there and drawn; the tests wait for it. */
  get idle(): boolean {
    return this.frames > 0 && this.data.waiting === 0 && this.store.idle;
  }

  get state(): State {
    return this.store.state;
  }

  announce(text: string): void {
    this.live.textContent = text;
    this.live.classList.add("shown");
    setTimeout(() => this.live.classList.remove("shown"), 3000);
  }

  /** The number of the run, one that is there. */
  get run(): number {
    return this.state.run < this.data.subject.runs.length ? this.state.run : 0;
  }

  /** The run beside it, if one is chosen. */
  get beside(): number | null {
    const { beside } = this.state;
    return beside !== null && beside < this.data.subject.runs.length && beside !== this.run ? beside : null;
  }

  /** The runs whose lines are dashed behind those of the run: the one beside it, or each job alone. */
  behind(): number[] {
    const { runs, grid } = this.data.subject;
    if (this.beside !== null) return [this.beside];
    return this.run === 0 && !grid ? [...runs.keys()].slice(1, 9) : [];
  }

  facts(run = this.run): Facts | null {
    const found = this.data.facts(run);
    return found instanceof Error ? null : found;
  }

  words(run = this.run): Words | null {
    const found = this.data.words(run);
    return found instanceof Error ? null : found;
  }

  table(name: string, run = this.run, argument?: number): Table | Error | null {
    return this.data.table(run, name, argument);
  }

  /** A table that is there, or null. */
  ready(name: string, run = this.run, argument?: number): Table | null {
    const found = this.table(name, run, argument);
    return found && !(found instanceof Error) ? found : null;
  }

  /** The selected interval, rounded outwards to windows of the run. */
  interval(run = this.run): Interval | null {
    const facts = this.facts(run);
    if (!facts) return null;
    const end = facts.simulated_ns;
    const length = facts.window_ns ?? end / 200;
    const windows = facts.windows || Math.max(1, Math.ceil(end / length - 1e-6));
    const { from, to } = this.state;
    if (from === null || to === null) return { from: 0, to: end, first: 0, last: windows, windows, whole: true, time: withoutSkipped(facts.skipped, 0, end) };
    const first = Math.max(0, Math.min(windows, Math.floor(from / length + 1e-6)));
    const last = Math.max(first, Math.min(windows, Math.ceil(to / length - 1e-6)));
    const [start, stop] = [Math.min(end, first * length), Math.min(end, last * length)];
    return { from: start, to: stop, first, last, windows, whole: false, time: withoutSkipped(facts.skipped, start, stop) };
  }

  /** Which jobs of a run count. */
  mask(run = this.run): Uint8Array {
    const [own, other] = [this.facts(), this.facts(run)];
    if (!own || !other) return mask([], 1);
    if (run === this.run) return mask(this.state.jobs, own.jobs.length);
    const names = this.state.jobs.map((job) => own.jobs[job]);
    const found = mask([], other.jobs.length);
    if (names.length) other.jobs.forEach((name, job) => (found[job] = names.includes(name) ? 1 : 0));
    return found;
  }

  /** The number of the class that is chosen in a table; -1 for all links between routers. */
  cls(table: Table): number {
    return this.state.cls ? table.classes.indexOf(this.state.cls) : -1;
  }

  get groups(): number {
    return this.facts()?.topology.g ?? 0;
  }

  groupOf(router: number): number {
    return Math.floor(router / (this.facts()?.topology.a || 1));
  }

  /** The links of the run by number. */
  linksOf(table: Table): Map<number, Link> {
    let found = this.links.get(table);
    if (!found) {
      found = new Map();
      const names = ["link", "class", "source_router", "source_port", "source_group", "target_router", "target_group", "node"];
      const [link, cls, router, port, group, to, toGroup, node] = names.map((name) => table.num(name));
      for (let row = 0; row < table.rows; row++) {
        found.set(link![row]!, {
          row,
          link: link![row]!,
          cls: table.classes[cls![row]!] ?? "",
          sourceRouter: router![row]!,
          sourcePort: port![row]!,
          sourceGroup: group![row]!,
          targetRouter: to![row]!,
          targetGroup: toGroup![row]!,
          node: node![row]!,
        });
      }
      this.links.set(table, found);
    }
    return found;
  }

  link(number: number): Link | null {
    const table = this.ready("links");
    return table?.rows ? (this.linksOf(table).get(number) ?? null) : null;
  }

  job(number: number, run = this.run): string {
    return this.facts(run)?.jobs[number] ?? `job ${number}`;
  }

  /** The number of a job's colour: that of the job of this name in the run shown, or one that no job there has. */
  colourIn(run: number, job: number): number {
    const jobs = this.facts()?.jobs ?? [];
    const own = run === this.run ? job : jobs.indexOf(this.job(job, run));
    return own >= 0 ? own : jobs.length + job;
  }

  /** The titles of the two runs that a view compares, with the chosen jobs that did not run in one. */
  titles(): [string, string] {
    const [own, other] = [this.facts(), this.beside === null ? null : this.facts(this.beside)];
    const chosen = (jobs: string[]): string[] => (this.state.jobs.length ? this.state.jobs.map((job) => own!.jobs[job]!) : jobs);
    const without = (facts: Facts | null, others: Facts | null): string => {
      if (!facts) return "…";
      const absent = chosen(others?.jobs ?? []).filter((name) => name && !facts.jobs.includes(name));
      const few = absent.length > 3 ? `${absent.length} jobs` : absent.join(" and ");
      return facts.title + (absent.length ? `, without ${few}` : "");
    };
    return [without(own, other), without(other, own)];
  }

  /** Opens a link, with its group; a router at one of its ends stays open. */
  openLink(number: number): void {
    const link = this.link(number);
    const group = link ? (link.sourceGroup >= 0 ? link.sourceGroup : link.targetGroup) : null;
    const { state } = this;
    const near = state.router !== null && (link?.sourceRouter === state.router || link?.targetRouter === state.router);
    this.store.set({ link: number, group: near ? state.group : group, router: near ? state.router : null, packet: null });
  }

  /** The query of a view with the values of what is selected. */
  query(view: string, more: Record<string, string | number | null> = {}, run = this.run): string {
    const facts = this.facts(run);
    const interval = this.interval(run);
    const events = facts?.calls === "call_events" ? `${view}_events` : view;
    const text = this.data.subject.queries[events] ?? this.data.subject.queries[view];
    if (!facts || !interval || !text) return "";
    const jobs = [...this.mask(run).entries()].filter(([, on]) => on).map(([job]) => job);
    const values: Record<string, string | number | null> = {
      dir: facts.dir.replaceAll("'", "''"),
      from: interval.from,
      to: interval.to,
      time: interval.time,
      job: jobs.length === facts.jobs.length ? null : jobs.join(", "),
      class: this.state.cls || null,
      ...more,
    };
    // Without link windows, the whole run is one window.
    const [job, of] = facts.missing.link_jobs ? ["0 AS job", "links"] : ["job", "link_jobs"];
    const whole = `(SELECT link, 0 AS window_start_ns, ${job}, bytes, stall_ns FROM '$dir/${of}.parquet')`;
    const asked = facts.missing.link_windows ? text.replaceAll("'$dir/link_windows.parquet'", whole) : text;
    const lacking = Object.entries(facts.missing).filter(([name]) => asked.includes(`$dir/${name}.parquet`));
    const lines = asked.split("\n").flatMap((line) => {
      const optional = /^\?([a-z]+)(.*)$/.exec(line);
      if (optional && (values[optional[1]!] ?? null) === null) return [];
      return [(optional ? optional[2]! : line).replace(/\$([a-z]+)/g, (_, name: string) => String(values[name] ?? "NULL"))];
    });
    const packed = facts.packed ? "-- The tables are in tables.zip: unpack it first.\n" : "";
    const notes = lacking.map(([name, remedy]) => `-- The run has no table ${name}. ${remedy.replaceAll(";", ",")}\n`);
    return notes.join("") + packed + lines.join("\n");
  }

  /** The query of a view, and that of the run beside it. */
  queries(view: string, more: Record<string, string | number | null> = {}): string {
    const own = this.query(view, more);
    return this.beside === null ? own : `${own}\n\n-- The run beside it:\n${this.query(view, more, this.beside)}`;
  }

  /** Shows the place of a sentence: its selection, and its view. */
  go(place: string): void {
    const { run, beside, measure, strip, rows } = this.state;
    const next = { ...read(place), run, beside, measure, strip, rows };
    this.store.set(next);
    this.goal = next.view;
  }

  /** Scrolls to the view that was asked for, until its tables are there or the user moves. */
  arrive(loading: boolean): void {
    if (this.goal) document.getElementById(this.goal)?.scrollIntoView();
    if (!loading) this.goal = "";
  }

  panel(id: string): Panel | undefined {
    return this.panels.find((each) => each.id === id);
  }

  rows(id: string): Rows {
    return this.panel(id)?.rows() ?? { columns: [], rows: [] };
  }

  /** The interval in words. */
  when(): string {
    const interval = this.interval();
    if (!interval) return "";
    return interval.whole ? "whole run" : `${moment(interval.from)} to ${moment(interval.to)}`;
  }
}

/** The name of a job in another run: of a sweep, without the number of its case. */
export function inRun(job: string, title: string): string {
  const short = title.split(" (")[0]!;
  return short.startsWith(job) ? short : `${job} (${short})`;
}

export function linkName(link: Link): string {
  if (link.cls === "global") {
    return `global, group ${link.sourceGroup} → ${link.targetGroup} (router ${link.sourceRouter} → ${link.targetRouter})`;
  }
  if (link.cls === "injection") return `injection, node ${link.node} → router ${link.targetRouter}`;
  if (link.cls === "ejection") return `ejection, router ${link.sourceRouter} → node ${link.node}`;
  return `${link.cls}, group ${link.sourceGroup} (router ${link.sourceRouter} → ${link.targetRouter})`;
}

/** Short names of links, with routers or ports where several links have the same one. */
export function shortNames(links: Link[]): string[] {
  const alike = (names: string[]): Map<string, number> => {
    const found = new Map<string, number>();
    for (const name of names) found.set(name, (found.get(name) ?? 0) + 1);
    return found;
  };
  const groups = links.map(shortLink);
  const first = alike(groups);
  const routers = links.map((link, n) => (first.get(groups[n]!)! > 1 && link.sourceRouter >= 0 ? `${link.cls} r${link.sourceRouter} → r${link.targetRouter}` : groups[n]!));
  const second = alike(routers);
  return links.map((link, n) => (second.get(routers[n]!)! > 1 ? `${link.cls} r${link.sourceRouter}.${link.sourcePort} → r${link.targetRouter}` : routers[n]!));
}

function shortLink(link: Link): string {
  if (link.cls === "global") return `global g${link.sourceGroup} → g${link.targetGroup}`;
  if (link.cls === "injection") return `inj. n${link.node}`;
  if (link.cls === "ejection") return `ej. n${link.node}`;
  return `${link.cls} r${link.sourceRouter} → r${link.targetRouter}`;
}
