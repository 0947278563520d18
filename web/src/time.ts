// Time: a line per job, alone dashed, with a brush that selects the interval of all views.

import { jobColour, ink } from "./colour";
import type { App } from "./app";
import { skippedByAll, TimeAxis, withoutSkipped } from "./axis";
import { bandsAt, bandsOf, drawBands, heightOf } from "./bands";
import { at, button, Canvas, h, hideTip, select, showTip } from "./dom";
import { duration, moment, ticks } from "./format";
import { Panel, type Rows } from "./panel";
import { isSkipped, type Line, linesOf, MEASURES, valueAt } from "./lines";

const LEFT = 96;
const RIGHT = 10;
const HEIGHT = 118;

export class TimePanel extends Panel {
  private readonly canvas = new Canvas();
  private readonly strip = h("div", {
    class: "strip",
    attr: { tabindex: "0", role: "slider", "aria-label": "Interval of time. Arrow keys move it, with Shift they resize it; Escape selects the whole run." },
  });
  private readonly when = h("output", { class: "when" });
  private readonly choice = h("span");
  private readonly playing: HTMLButtonElement;
  private drag: { kind: "new" | "move" | "from" | "to"; start: number; from: number; to: number } | null = null;
  private timer = 0;

  constructor(app: App) {
    super(app, "time", "Time");
    this.playing = button("▶ Play", () => this.play(), "Move the interval through the run (Space)");
    this.tools.append(
      this.choice,
      button("◀", () => this.step(-1), "One interval back"),
      this.playing,
      button("▶", () => this.step(1), "One interval on"),
      button("Whole run", () => app.store.set({ from: null, to: null }), "Select the whole run (Escape)"),
      this.when,
    );
    this.strip.append(this.canvas.element);
    this.body.append(this.strip);
    this.strip.addEventListener("pointerdown", (event) => this.down(event));
    this.strip.addEventListener("pointermove", (event) => this.moved(event));
    this.strip.addEventListener("pointerup", () => this.up());
    this.strip.addEventListener("pointercancel", () => (this.drag = null));
    this.strip.addEventListener("pointerleave", () => hideTip());
    this.strip.addEventListener("dblclick", () => app.store.set({ from: null, to: null }));
    this.strip.addEventListener("keydown", (event) => this.key(event));
  }

  private get end(): number {
    const beside = this.app.beside === null ? 0 : (this.app.facts(this.app.beside)?.simulated_ns ?? 0);
    return Math.max(this.app.facts()?.simulated_ns ?? 1, beside);
  }

  private get length(): number {
    const facts = this.app.facts();
    return facts?.window_ns ?? (facts?.simulated_ns ?? 1) / 200;
  }

  /** The axis, with a break where all runs shown skipped time. */
  private get axis(): TimeAxis {
    const { app, end } = this;
    const shown = [app.run, ...app.behind()].map((run) => app.facts(run)).filter((facts) => facts !== null);
    const cuts = skippedByAll(shown.map(({ skipped }) => skipped));
    return new TimeAxis(end, cuts, LEFT, this.canvas.width - RIGHT);
  }

  private x(time: number): number {
    return this.axis.x(time);
  }

  private time(x: number): number {
    return this.axis.time(x);
  }

  /** A twentieth of the axis from its start. */
  private get part(): number {
    return this.time(LEFT + (this.canvas.width - LEFT - RIGHT) / 20);
  }

  private lines(): Line[] {
    return linesOf(this.app, this.app.state.strip).filter(
      (line) => !this.app.state.jobs.length || this.app.state.jobs.includes(line.job),
    );
  }

  draw(): void {
    const { app, canvas } = this;
    const facts = app.facts();
    const measure = MEASURES.find((each) => each.id === app.state.strip) ?? MEASURES[0]!;
    const signature = `${app.run} ${measure.id}`;
    if (this.choice.dataset.signature !== signature) {
      this.choice.dataset.signature = signature;
      this.choice.replaceChildren(
        select("Show", MEASURES.map((each) => [each.id, each.name]), measure.id, (strip) => app.store.set({ strip })),
      );
    }
    const found = app.table(measure.table);
    const lacking = this.lacks(found, measure.name);
    // The brush works without lines.
    this.body.hidden = !facts;
    if (!facts) return;
    const lines = this.lines();
    const { bands, more } = bandsOf(app);
    const width = this.strip.clientWidth;
    const height = HEIGHT + bands.length * heightOf(bands) + 24;
    const pen = canvas.size(width, height);
    const most = Math.max(0, ...lines.map((line) => line.most)) * 1.08 || 1;
    const y = (value: number): number => 8 + (1 - value / most) * (HEIGHT - 12);
    pen.fillStyle = ink("muted");
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const tick of lines.length ? ticks(0, most, 3) : []) {
      pen.fillText(tick ? measure.shown(tick) : "0", LEFT - 6, y(tick));
      pen.fillStyle = ink("rule");
      pen.fillRect(LEFT, Math.round(y(tick)), width - LEFT - RIGHT, 1);
      pen.fillStyle = ink("muted");
    }
    const { axis } = this;
    for (const line of lines) this.line(line, y, axis);
    drawBands(pen, bands, HEIGHT + 4, LEFT, (time) => axis.x(time));
    this.breaks(axis, height - 20);
    pen.textAlign = "center";
    pen.fillStyle = ink("muted");
    for (const tick of axis.ticks(100)) {
      const x = axis.x(tick);
      pen.fillText(moment(tick), Math.min(width - 26, Math.max(LEFT, x)), height - 8);
      pen.fillRect(x, HEIGHT - 2, 1, 4);
    }
    this.brush(height - 20);
    const interval = app.interval();
    if (!interval) return;
    this.when.textContent = interval.whole
      ? `whole run, ${duration(interval.to)}`
      : `${moment(interval.from)} to ${moment(interval.to)} (${duration(interval.to - interval.from)})`;
    this.strip.setAttribute("aria-valuetext", this.when.textContent);
    const rest = more ? ` ${more} bands are left out: choose a job to see its own.` : "";
    if (!lacking) this.say(this.finding(lines, measure.shown, interval.from, interval.to) + rest);
  }

  private finding(lines: Line[], shown: (value: number) => string, from: number, to: number): string {
    const words = lines.map((line) => {
      let [sum, time] = [0, 0];
      // Each run skipped other times.
      const span = withoutSkipped(line.skipped, from, Math.min(to, line.end));
      for (let n = 0; n < line.starts.length; n++) {
        const part = Math.min(line.ends[n]!, to) - Math.max(line.starts[n]!, from);
        if (part > 0) [sum, time] = [sum + line.values[n]! * part, time + part];
      }
      return time > 0 ? `${line.name} ${shown(sum / (line.everywhere ? span : time))}` : "";
    });
    const text = words.filter(Boolean).join(", ");
    return text ? `Mean in the interval: ${text}.` : "";
  }

  /** Draws two lines with nothing between them where the axis breaks, and how much was skipped. */
  private breaks(axis: TimeAxis, height: number): void {
    const pen = this.canvas.pen;
    pen.textBaseline = "middle";
    for (const [start, end] of axis.cuts) {
      const [from, to] = [axis.x(start), axis.x(end)];
      pen.fillStyle = ink("paper");
      pen.fillRect(from + 1, 0, to - from - 2, height);
      pen.fillStyle = ink("muted");
      for (const x of [from + 4, to - 5]) pen.fillRect(x, 0, 1, height);
      const before = from > (LEFT + this.canvas.width) / 2;
      pen.textAlign = before ? "right" : "left";
      pen.fillText(`${duration(end - start)} skipped`, before ? from : to, 6);
    }
  }

  private line(line: Line, y: (value: number) => number, axis: TimeAxis): void {
    const pen = this.canvas.pen;
    pen.strokeStyle = jobColour(line.job);
    pen.globalAlpha = line.dashed ? 0.75 : 1;
    pen.setLineDash(line.dashed ? [4, 3] : []);
    pen.lineWidth = line.dashed ? 1.2 : 1.7;
    pen.beginPath();
    let last = -1;
    for (let n = 0; n < line.starts.length; n++) {
      const [start, end, value] = [line.starts[n]!, line.ends[n]!, y(line.values[n]!)];
      if (last < 0 || start > last + 1e-3) {
        const cut = last >= 0 && withoutSkipped(line.skipped, last, start) < start - last;
        if (line.everywhere && cut) pen.moveTo(axis.x(start), value);
        else if (line.everywhere && last >= 0) pen.lineTo(axis.x(last), y(0)), pen.lineTo(axis.x(start), y(0));
        else if (line.everywhere) pen.moveTo(axis.x(start), y(0));
        else pen.moveTo(axis.x(start), value);
      }
      pen.lineTo(axis.x(start), value);
      pen.lineTo(axis.x(end), value);
      last = end;
    }
    if (line.everywhere && last >= 0) pen.lineTo(axis.x(last), y(0));
    pen.stroke();
    pen.setLineDash([]);
    pen.globalAlpha = 1;
    pen.lineWidth = 1;
  }

  private brush(height: number): void {
    const interval = this.app.interval();
    if (!interval || interval.whole) return;
    const pen = this.canvas.pen;
    const [from, to] = [this.x(interval.from), this.x(interval.to)];
    pen.fillStyle = ink("paper");
    pen.globalAlpha = 0.62;
    pen.fillRect(LEFT, 0, from - LEFT, height);
    pen.fillRect(to, 0, this.canvas.width - RIGHT - to, height);
    pen.globalAlpha = 1;
    pen.strokeStyle = ink("mark");
    pen.lineWidth = 1.5;
    pen.strokeRect(from, 1, Math.max(1.5, to - from), height - 1);
    pen.fillStyle = ink("mark");
    for (const x of [from, to]) pen.fillRect(x - 2, height / 2 - 10, 4, 20);
    pen.lineWidth = 1;
  }

  private down(event: PointerEvent): void {
    const [x] = at(event, this.canvas.element);
    if (event.button !== 0) return;
    this.strip.focus({ preventScroll: true });
    this.strip.setPointerCapture(event.pointerId);
    const interval = this.app.interval();
    const start = this.time(x);
    const { from, to } = interval ?? { from: 0, to: 0 };
    let kind: "new" | "move" | "from" | "to" = "new";
    if (interval && !interval.whole) {
      if (Math.abs(x - this.x(from)) < 7) kind = "from";
      else if (Math.abs(x - this.x(to)) < 7) kind = "to";
      else if (start > from && start < to && !event.shiftKey) kind = "move";
    }
    this.drag = { kind, start, from, to };
    event.preventDefault();
  }

  private moved(event: PointerEvent): void {
    const [x] = at(event, this.canvas.element);
    const { drag } = this;
    if (!drag) {
      this.hover(event, this.time(x));
      return;
    }
    hideTip();
    const now = this.time(x);
    if (drag.kind === "new" && Math.abs(this.x(now) - this.x(drag.start)) < 3) return;
    if (drag.kind === "new") this.select(Math.min(now, drag.start), Math.max(now, drag.start));
    else if (drag.kind === "from") this.select(Math.min(now, drag.to - this.length), drag.to);
    else if (drag.kind === "to") this.select(drag.from, Math.max(now, drag.from + this.length));
    else this.shift(drag.from, drag.to, now - drag.start);
  }

  private up(): void {
    this.drag = null;
  }

  /** Selects an interval, rounded outwards to windows. */
  private select(from: number, to: number): void {
    const { length, end } = this;
    const start = Math.max(0, Math.floor(from / length + 1e-6)) * length;
    const stop = Math.min(Math.ceil(end / length), Math.max(Math.ceil(to / length - 1e-6), start / length + 1)) * length;
    this.app.store.set({ from: start, to: stop }, true);
  }

  private shift(from: number, to: number, by: number): void {
    const { length, end } = this;
    const width = Math.max(1, Math.round((to - from) / length)) * length;
    const most = Math.max(0, Math.ceil(end / length) * length - width);
    let start = Math.max(0, Math.min(most, Math.round((from + by) / length) * length));
    // Nothing is to be seen inside a break.
    const inside = this.axis.cuts.find(([first, last]) => start >= first && start + width <= last);
    if (inside) start = by > 0 ? Math.min(most, Math.floor(inside[1] / length + 1e-6) * length) : Math.max(0, Math.ceil(inside[0] / length - 1e-6) * length - width);
    this.app.store.set({ from: start, to: start + width }, true);
  }

  step(direction: number): void {
    const interval = this.app.interval();
    if (!interval) return;
    if (interval.whole) {
      this.select(0, this.part);
      return;
    }
    this.shift(interval.from, interval.to, direction * (interval.to - interval.from));
  }

  play(): void {
    const stop = (): void => {
      clearInterval(this.timer);
      this.timer = 0;
      this.playing.textContent = "▶ Play";
    };
    if (this.timer) {
      stop();
      return;
    }
    this.playing.textContent = "❚❚ Pause";
    const interval = this.app.interval();
    if (!interval || interval.whole || interval.to >= this.end) this.select(0, interval && !interval.whole ? interval.to - interval.from : this.part);
    this.timer = window.setInterval(() => {
      this.step(1);
      if ((this.app.interval()?.to ?? 0) >= this.end) stop();
    }, 250);
  }

  private hover(event: MouseEvent, time: number): void {
    const lines = this.lines();
    const measure = MEASURES.find((each) => each.id === this.app.state.strip) ?? MEASURES[0]!;
    if (!lines.length) return;
    const texts = lines.map((line) => {
      const value = valueAt(line, time);
      return `${line.name}: ${value !== null ? measure.shown(value) : isSkipped(line, time) ? "skipped" : "nothing"}`;
    });
    showTip([moment(time), ...texts, ...bandsAt(this.app, time)], event.clientX, event.clientY);
  }

  key(event: KeyboardEvent): void {
    const interval = this.app.interval();
    if (!interval) return;
    const by = (event.ctrlKey || event.altKey ? 10 : 1) * this.length * (event.key === "ArrowLeft" ? -1 : 1);
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      if (interval.whole) this.select(0, this.part);
      else if (event.shiftKey) this.select(interval.from, Math.max(interval.from + this.length, interval.to + by));
      else this.shift(interval.from, interval.to, by);
    } else if (event.key === "Home") this.shift(interval.from, interval.to, -this.end);
    else if (event.key === "End") this.shift(interval.from, interval.to, this.end);
    else return;
    event.preventDefault();
  }

  rows(): Rows {
    const interval = this.app.interval();
    const rows: Rows["rows"] = [];
    for (const line of this.lines()) {
      for (let n = 0; n < line.starts.length; n++) {
        if (interval && (line.starts[n]! >= interval.to || line.ends[n]! <= interval.from)) continue;
        rows.push([line.name, line.starts[n]!, line.ends[n]!, line.values[n]!]);
      }
    }
    return { columns: ["line", "start_ns", "end_ns", this.app.state.strip], rows };
  }

  sql(): string {
    const measure = MEASURES.find((each) => each.id === this.app.state.strip) ?? MEASURES[0]!;
    return [measure.query, "bands", "phases"].map((view) => this.app.query(view)).join("\n\n");
  }
}

