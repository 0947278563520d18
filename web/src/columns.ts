// The columns of a heat map over time: windows, with blank columns where nothing was simulated.

import type { Span } from "./axis";
import { ticks } from "./format";

/** The width of a break as a share of the windows, and the pixels between two labels. */
const BREAK = 0.012;
const ROOM = 90;

export class Columns {
  /** The window of each column; -1 in a break. */
  readonly windows: number[] = [];
  /** The first and the last column of each break, and what is skipped there. */
  readonly breaks: { from: number; to: number; skipped: Span }[] = [];
  /** The column of a window of a run, less its first window; -1 if it is skipped. */
  private readonly places: Int32Array;

  /** Windows `first` to `last` (not included) of a length in ns, without those in the cuts, which are in order. */
  constructor(
    readonly first: number,
    readonly last: number,
    private readonly length: number,
    cuts: Span[],
  ) {
    const from = first * length;
    const inside = cuts.filter(([start, end]) => end > from && start < last * length);
    const gone = inside.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(last, Math.floor(end / length + 1e-6)) - Math.max(first, Math.ceil(start / length - 1e-6))), 0);
    const blank = Math.max(1, Math.round((last - first - gone) * BREAK));
    this.places = new Int32Array(Math.max(0, last - first)).fill(-1);
    let window = first;
    const upTo = (end: number): void => {
      for (; window < end; window++) {
        this.places[window - first] = this.windows.length;
        this.windows.push(window);
      }
    };
    for (const skipped of inside) {
      const next = Math.min(last, Math.floor(skipped[1] / length + 1e-6));
      upTo(Math.min(last, Math.ceil(skipped[0] / length - 1e-6)));
      if (next <= window) continue;
      window = next;
      if (window === last && !this.windows.length) continue;
      this.breaks.push({ from: this.windows.length, to: this.windows.length + blank, skipped });
      this.windows.push(...Array<number>(blank).fill(-1));
    }
    upTo(last);
  }

  get count(): number {
    return this.windows.length;
  }

  /** The column of a window; -1 if it has none. */
  place(window: number): number {
    return this.places[window - this.first] ?? -1;
  }

  /** The start of a column in ns; null in a break. */
  start(column: number): number | null {
    const window = this.windows[column]!;
    return window < 0 ? null : window * this.length;
  }

  /** What is skipped at a column. */
  skipped(column: number): Span | null {
    return this.breaks.find(({ from, to }) => column >= from && column < to)?.skipped ?? null;
  }

  /** Times for labels with their place in columns: the end of each break, and round ones. */
  labels(pixels: number): [number, number][] {
    const found: [number, number][] = [];
    const each = pixels / Math.max(1, this.count);
    const add = (place: number, time: number): void => {
      if (found.every(([other]) => Math.abs(other - place) * each >= 0.75 * ROOM)) found.push([place, time]);
    };
    const ends = [...this.breaks.map(({ from }) => from), this.count];
    const starts = [0, ...this.breaks.map(({ to }) => to)];
    for (const start of starts.slice(1)) if (start < this.count) add(start, this.start(start)!);
    starts.forEach((start, n) => {
      const end = ends[n]!;
      if (end <= start) return;
      const [low, high] = [this.start(start)!, this.start(end - 1)! + this.length];
      for (const time of ticks(low, high, ((end - start) * each) / ROOM)) if (time <= high) add(start + (time - low) / this.length, time);
    });
    return found;
  }
}
