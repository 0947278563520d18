// The history of a link in a run: its windows by job, and the strips that show them.

import type { App } from "./app";
import { ink, jobColour } from "./colour";
import type { Table } from "./data";
import { at, Canvas, h, hideTip, showTip } from "./dom";
import { bytes, moment, percent, significant, ticks } from "./format";
import { paintAxis, type Strip } from "./strip";
import { greatest, rowsByWindow } from "./sums";
import { paintWaiters, type Queued } from "./waiters";

export interface History {
  run: number;
  starts: number[];
  width: number;
  jobs: number;
  busy: Float64Array;
  stall: Float64Array;
  bytes: Float64Array;
}

/** What the strips of a run show, on axes that two runs share. */
export interface Strips {
  history: History;
  /** Start and end of the axis of time. */
  span: [number, number];
  queued: Queued | null;
  /** The end of the axis of packets that wait. */
  mostQueued: number;
  queue: Table | null;
  /** The end of the axis of flits beyond the link. */
  mostFlits: number;
  /** How many strips there are: two, and one each for packets that wait and for flits. */
  waiters: boolean;
  flits: boolean;
}

const LEFT = 58;
const HEIGHT = 92;
const GAP = 22;

/** The windows of a link in the interval, of the jobs chosen. */
export function historyOf(app: App, run: number, table: Table, number: number): History {
  const facts = app.facts(run)!;
  const interval = app.interval(run)!;
  const length = facts.window_ns ?? 1;
  const joined = Number(table.facts.joined ?? 1);
  const jobs = facts.jobs.length;
  const first = Math.floor(interval.first / joined);
  const windows = Math.max(1, Math.ceil(interval.last / joined) - first);
  const history: History = {
    run,
    starts: Array.from({ length: windows }, (_, n) => (first + n) * joined * length),
    width: joined * length,
    jobs,
    busy: new Float64Array(windows * jobs),
    stall: new Float64Array(windows * jobs),
    bytes: new Float64Array(windows * jobs),
  };
  if (!table.rows) return history;
  const mask = app.mask(run);
  const rows = rowsByWindow(table, interval.windows);
  const [link, job, window, sent, busy, stall] = ["link", "job", "window", "bytes", "busy_ns", "stall_ns"].map((n) => table.num(n));
  for (let row = rows[interval.first]!; row < rows[interval.last]!; row++) {
    if (link![row] !== number || !mask[job![row]!]) continue;
    const place = (Math.floor(window![row]! / joined) - first) * jobs + job![row]!;
    history.busy[place]! += busy![row]!;
    history.stall[place]! += stall![row]!;
    history.bytes[place]! += sent![row]!;
  }
  return history;
}

/** The strips of a link in one run. */
export class LinkChart {
  readonly element: HTMLElement;
  private readonly title = h("h3");
  private readonly chart = h("div", { class: "chart", attr: { role: "img" } });
  private readonly canvas = new Canvas();
  private given: Strips | null = null;

  constructor(private readonly app: App) {
    this.chart.append(this.canvas.element);
    this.element = h("div", { class: "matrix" }, this.title, this.chart);
    this.chart.addEventListener("pointermove", (event) => this.hover(event));
    this.chart.addEventListener("pointerleave", () => hideTip());
  }

  /** Shows only a title, which says why there are no strips. */
  absent(title: string): void {
    this.given = null;
    this.title.textContent = title;
    this.chart.hidden = true;
  }

  draw(title: string, label: string, given: Strips): void {
    this.given = given;
    this.title.textContent = title;
    this.chart.hidden = false;
    this.chart.setAttribute("aria-label", label);
    const { history, span } = given;
    const width = this.chart.clientWidth;
    const strips = 2 + Number(given.waiters) + Number(given.flits);
    const bottom = strips * HEIGHT + (strips - 1) * GAP;
    const pen = this.canvas.size(width, bottom + 34);
    const x = (time: number): number => LEFT + ((time - span[0]) / (span[1] - span[0])) * (width - LEFT - 10);
    const strip = (place: number): Strip => ({ left: LEFT, top: 12 + place * (HEIGHT + GAP), height: HEIGHT, width });
    this.shares("busy", "load by job", history, strip(0), x);
    this.shares("stall", "stall by job", history, strip(1), x);
    if (given.waiters) paintWaiters(this.app, pen, given.queued, given.mostQueued, x, strip(2));
    if (given.flits) this.flits(given, x, strip(strips - 1));
    pen.fillStyle = ink("muted");
    pen.textAlign = "center";
    for (const tick of ticks(span[0], span[1], width / 100)) pen.fillText(moment(tick), Math.min(width - 20, x(tick)), bottom + 26);
  }

  private shares(name: "busy" | "stall", title: string, history: History, strip: Strip, x: (time: number) => number): void {
    const interval = this.app.interval(history.run)!;
    const { pen } = this.canvas;
    const { top, height } = strip;
    paintAxis(pen, strip, (share) => percent(share).replace(".0", ""));
    history.starts.forEach((start, n) => {
      const end = Math.min(start + history.width, interval.to);
      const [left, right] = [x(Math.max(start, interval.from)), x(end)];
      let below = 0;
      for (let job = 0; job < history.jobs; job++) {
        const share = history[name][n * history.jobs + job]! / (end - start || 1);
        if (share <= 0) continue;
        pen.fillStyle = jobColour(this.app.colourIn(history.run, job));
        const tall = Math.min(1 - below, share) * height;
        pen.fillRect(left, top + (1 - below) * height - tall, Math.max(0.75, right - left - (right - left > 4 ? 0.5 : 0)), tall);
        below = Math.min(1, below + share);
      }
    });
    pen.fillStyle = ink("ink");
    pen.fillText(title, LEFT + 4, top - 6);
  }

  /** The flits beyond the link: the mean of each window as bars, the maximum as a line above. */
  private flits({ queue, mostFlits, history }: Strips, x: (time: number) => number, strip: Strip): void {
    const interval = this.app.interval(history.run)!;
    const { pen } = this.canvas;
    const { top, height } = strip;
    paintAxis(pen, strip, (share) => significant(mostFlits * share));
    if (queue?.rows) {
      const [start, length, mean, most] = ["window_start_ns", "window_ns", "occupancy_mean_flits", "occupancy_max_flits"].map((n) => queue.num(n));
      for (let row = 0; row < queue.rows; row++) {
        const [from, to] = [Math.max(start![row]!, interval.from), Math.min(start![row]! + length![row]!, interval.to)];
        if (to <= from) continue;
        const tall = (mean![row]! / mostFlits) * height;
        pen.fillStyle = ink("muted");
        pen.fillRect(x(from), top + height - tall, Math.max(0.75, x(to) - x(from) - 0.5), tall);
        pen.fillStyle = ink("ink");
        pen.fillRect(x(from), top + height - (most![row]! / mostFlits) * height, Math.max(0.75, x(to) - x(from)), 1.5);
      }
    }
    pen.fillStyle = ink("ink");
    pen.fillText("flits beyond the link, mean and maximum of the window", LEFT + 4, top - 6, strip.width - LEFT - 14);
  }

  private hover(event: MouseEvent): void {
    const { given, app } = this;
    if (!given) return;
    const { history, span } = given;
    const facts = app.facts(history.run)!;
    const [x] = at(event, this.canvas.element);
    const time = span[0] + ((x - LEFT) / (this.canvas.width - LEFT - 10)) * (span[1] - span[0]);
    const n = Math.floor((time - history.starts[0]!) / history.width);
    if (n < 0 || n >= history.starts.length || x < LEFT) return hideTip();
    const start = history.starts[n]!;
    const width = Math.min(history.width, facts.simulated_ns - start);
    const lines = facts.jobs.flatMap((name, job) => {
      const place = n * history.jobs + job;
      if (!history.bytes[place] && !history.stall[place]) return [];
      return [`${name}: load ${percent(history.busy[place]! / width)}, stall ${percent(history.stall[place]! / width)}, ${bytes(history.bytes[place]!)}`];
    });
    showTip([moment(start), ...(lines.length ? lines : ["nothing"])], event.clientX, event.clientY);
  }
}

/** The greatest number of flits beyond a link in tables of queues. */
export const flitsOf = (tables: (Table | null)[]): number => Math.max(1, ...tables.map((table) => (table?.rows ? greatest(table.num("occupancy_max_flits"))[1] : 0)));
