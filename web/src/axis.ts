// The axis of time of a run, with breaks where nothing was simulated.

import { ticks } from "./format";

export type Span = [number, number];

/** The pixels of a break. */
const BREAK = 16;

/** The time of an interval without the spans that its run skipped. */
export function withoutSkipped(skipped: Span[], from: number, to: number): number {
  return skipped.reduce((time, [start, end]) => time - Math.max(0, Math.min(end, to) - Math.max(start, from)), to - from);
}

/** The spans that all runs skipped. */
export function skippedByAll(runs: Span[][]): Span[] {
  const [first, ...others] = runs;
  return others.reduce(
    (common, spans) => common.flatMap(([start, end]) => spans.map(([from, to]): Span => [Math.max(start, from), Math.min(end, to)]).filter(([from, to]) => from < to)),
    first ?? [],
  );
}

export class TimeAxis {
  /** The pixels of a nanosecond outside of breaks. */
  private readonly scale: number;

  /** An axis from 0 to `end` between two pixels, without the `cuts`, in order. */
  constructor(
    readonly end: number,
    readonly cuts: Span[],
    private readonly left: number,
    private readonly right: number,
  ) {
    this.scale = Math.max(1, right - left - BREAK * cuts.length) / (withoutSkipped(cuts, 0, end) || 1);
  }

  x(time: number): number {
    const breaks = this.cuts.reduce((sum, [start, end]) => sum + BREAK * Math.max(0, Math.min(1, (time - start) / (end - start))), 0);
    return this.left + withoutSkipped(this.cuts, 0, time) * this.scale + breaks;
  }

  time(x: number): number {
    const place = Math.max(this.left, Math.min(this.right, x));
    for (const [start, end] of this.cuts) {
      const [from, to] = [this.x(start), this.x(end)];
      if (place < from) return Math.max(0, start - (from - place) / this.scale);
      if (place < to) return start + ((place - from) / (to - from)) * (end - start);
    }
    return Math.max(0, this.end - (this.x(this.end) - place) / this.scale);
  }

  /** Times for labels: round ones of each part between breaks, and the end of a break, with room for each. */
  ticks(room: number): number[] {
    const starts = [0, ...this.cuts.map(([, end]) => end)];
    const ends = [...this.cuts.map(([start]) => start), this.end];
    const wanted = starts.slice(1);
    starts.forEach((start, n) => wanted.push(...ticks(start, ends[n]!, (this.x(ends[n]!) - this.x(start)) / room).filter((time) => time <= ends[n]!)));
    const found: number[] = [];
    const least = this.cuts.length ? 0.75 * room : 0;
    for (const time of wanted) if (found.every((other) => Math.abs(this.x(other) - this.x(time)) >= least)) found.push(time);
    return found;
  }
}
