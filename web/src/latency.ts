// The latencies of recorded packets in the interval: a histogram per job, dashed those of the job alone or of the run beside.

import { type App, inRun } from "./app";
import { ink, jobColour } from "./colour";
import type { Table } from "./data";
import { at, Canvas, h, hideTip, showTip } from "./dom";
import { count, duration, percent } from "./format";
import { inOrder } from "./lines";
import { rowsByWindow, total } from "./sums";

interface Curve {
  job: number;
  name: string;
  dashed: boolean;
  bins: Float64Array;
  packets: number;
}

const [LEFT, RIGHT, HEIGHT, TOP] = [46, 8, 130, 8];

export class LatencyChart {
  readonly element = h("div", { class: "chart", attr: { role: "img" } });
  private readonly canvas = new Canvas();
  private shown: { curves: Curve[]; first: number; last: number; bins: number } | null = null;

  constructor(private readonly app: App) {
    this.element.append(this.canvas.element);
    this.element.addEventListener("pointermove", (event) => this.hover(event));
    this.element.addEventListener("pointerleave", () => hideTip());
  }

  /** The packets of each job of a run by bin of latency, in the interval. */
  private sums(run: number, table: Table): Map<number, Float64Array> {
    const { app } = this;
    const interval = app.interval(run)!;
    const found = new Map<number, Float64Array>();
    if (!table.rows) return found;
    const mask = app.mask(run);
    const starts = rowsByWindow(table, interval.windows);
    const [job, bin, packets] = ["job", "bin", "packets"].map((name) => table.num(name));
    for (let row = starts[interval.first]!; row < starts[interval.last]!; row++) {
      if (!mask[job![row]!]) continue;
      let bins = found.get(job![row]!);
      if (!bins) found.set(job![row]!, (bins = new Float64Array(256)));
      bins[Math.min(255, bin![row]!)]! += packets![row]!;
    }
    return found;
  }

  /** The curves of the jobs chosen; dashed, those of other runs. */
  curves(): Curve[] {
    const { app } = this;
    const facts = app.facts();
    const table = app.ready("latencies");
    if (!facts || !table || !app.interval()) return [];
    const found: Curve[] = [];
    for (const run of app.behind()) {
      const [its, other] = [app.facts(run), app.ready("latencies", run)];
      if (!its || !other || !app.interval(run) || (app.beside === null && its.jobs.length !== 1)) continue;
      for (const [job, bins] of this.sums(run, other)) {
        const own = facts.jobs.indexOf(its.jobs[job]!);
        if (own >= 0) found.push({ job: own, name: app.beside === null ? `${its.jobs[job]} alone` : inRun(its.jobs[job]!, its.title), dashed: true, bins, packets: total(bins) });
      }
    }
    for (const [job, bins] of this.sums(app.run, table)) found.push({ job, name: app.job(job), dashed: false, bins, packets: total(bins) });
    return found.filter((each) => each.packets > 0).sort(inOrder);
  }

  /** The end of the bin in which a share of the packets is reached. */
  private within(curve: Curve, share: number, bins: number): number {
    let sum = 0;
    for (let bin = 0; bin < curve.bins.length; bin++) {
      sum += curve.bins[bin]!;
      if (sum >= share * curve.packets) return 10 ** ((bin + 1) / bins);
    }
    return NaN;
  }

  /** Draws the histograms; the sentence on them, which is empty if there are none. */
  draw(): string {
    const { app } = this;
    const table = app.ready("latencies");
    const curves = this.curves();
    this.element.hidden = !curves.length || !table;
    this.shown = null;
    if (!curves.length || !table) return "";
    const bins = Number(table.facts.bins);
    const used = curves.flatMap((curve) => [curve.bins.findIndex((each) => each > 0), curve.bins.findLastIndex((each) => each > 0)]);
    const [first, last] = [Math.min(...used), Math.max(...used) + 1];
    this.shown = { curves, first, last, bins };
    const width = this.element.clientWidth;
    const pen = this.canvas.size(width, TOP + HEIGHT + 22);
    const most = Math.max(...curves.map((curve) => Math.max(...curve.bins) / curve.packets)) * 1.05;
    const x = (bin: number): number => LEFT + ((bin - first) / (last - first)) * (width - LEFT - RIGHT);
    const y = (share: number): number => TOP + (1 - share / most) * HEIGHT;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const share of [0, most / 2.1, most / 1.05]) {
      pen.fillStyle = ink("rule");
      pen.fillRect(LEFT, Math.round(y(share)), width - LEFT - RIGHT, 1);
      pen.fillStyle = ink("muted");
      pen.fillText(percent(share).replace("0.0", "0"), LEFT - 5, y(share));
    }
    for (const curve of curves) this.line(curve, first, last, x, y);
    this.axis(first, last, bins, x);
    const sample = Number(table.facts.sample ?? 1);
    const words = curves.map((curve) => `${curve.name} ${duration(this.within(curve, 0.5, bins))} and ${duration(this.within(curve, 0.99, bins))}`);
    const text = `Half and 99\u00a0% of the packets take at most: ${words.slice(0, 6).join("; ")} (ends of bins, 12\u00a0% wide). ${sample > 1 ? `One packet in ${count(sample)} is recorded. ` : ""}A curve has the shares of its own packets.`;
    this.element.setAttribute("aria-label", text);
    return text;
  }

  private line(curve: Curve, first: number, last: number, x: (bin: number) => number, y: (share: number) => number): void {
    const { pen } = this.canvas;
    pen.strokeStyle = jobColour(curve.job);
    pen.globalAlpha = curve.dashed ? 0.75 : 1;
    pen.setLineDash(curve.dashed ? [4, 3] : []);
    pen.lineWidth = curve.dashed ? 1.2 : 1.7;
    pen.beginPath();
    pen.moveTo(x(first), y(0));
    for (let bin = first; bin < last; bin++) {
      const tall = y(curve.bins[bin]! / curve.packets);
      pen.lineTo(x(bin), tall);
      pen.lineTo(x(bin + 1), tall);
    }
    pen.lineTo(x(last), y(0));
    pen.stroke();
    pen.setLineDash([]);
    pen.globalAlpha = 1;
    pen.lineWidth = 1;
  }

  /** Ticks at 1, 2 and 5 of each decade, as many as fit. */
  private axis(first: number, last: number, bins: number, x: (bin: number) => number): void {
    const { pen } = this.canvas;
    pen.fillStyle = ink("muted");
    pen.textAlign = "center";
    let free = -Infinity;
    for (let decade = Math.floor(first / bins); decade <= last / bins; decade++) {
      for (const part of [1, 2, 5]) {
        const place = x(bins * (decade + Math.log10(part)));
        if (place < LEFT - 1 || place > this.canvas.width - RIGHT - 14) continue;
        pen.fillRect(place, TOP + HEIGHT, 1, 4);
        const text = duration(part * 10 ** decade).replace(/\.0+/, "");
        const half = pen.measureText(text).width / 2;
        if (place - half < free) continue;
        pen.fillText(text, place, TOP + HEIGHT + 13);
        free = place + half + 8;
      }
    }
  }

  private hover(event: MouseEvent): void {
    if (!this.shown) return;
    const { curves, first, last, bins } = this.shown;
    const [x] = at(event, this.canvas.element);
    const bin = Math.floor(first + ((x - LEFT) / (this.canvas.width - LEFT - RIGHT)) * (last - first));
    if (bin < first || bin >= last) return hideTip();
    const lines = curves.slice(0, 8).map((curve) => {
      const below = total(curve.bins.subarray(0, bin + 1)) / curve.packets;
      return `${curve.name}: ${percent(curve.bins[bin]! / curve.packets)} here, ${percent(below)} up to here (${count(curve.packets)} packets)`;
    });
    showTip([`${duration(10 ** (bin / bins))} to ${duration(10 ** ((bin + 1) / bins))}`, ...lines], event.clientX, event.clientY);
  }
}
