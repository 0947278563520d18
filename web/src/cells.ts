// A matrix or heat map: cells with colours, a cursor for mouse and keyboard, marks and a scale.

import { dark, diverging, ink, sequential } from "./colour";
import { at, Canvas, h, hideTip, showTip } from "./dom";
import type { Columns } from "./columns";
import { moment } from "./format";

export interface Cells {
  label: string;
  rows: number;
  columns: number;
  values: Float64Array;
  most: number;
  /** The value of the first colour, unless the colours are signed; 0 if not given. */
  least?: number;
  signed?: boolean;
  rowLabel: (row: number) => string;
  columnLabel: (column: number) => string;
  /** Titles of the axes. */
  rowTitle: string;
  columnTitle: string;
  lines: (row: number, column: number) => string[];
  /** The text inside a cell, if it is large enough. */
  text?: (row: number, column: number) => string;
  shown: (value: number) => string;
  pick?: (row: number, column: number) => void;
  markedRow?: number | null;
  markedColumn?: number | null;
  /** The windows of the columns, of a heat map over time. */
  time?: Columns;
  /** The most pixels of a cell, and of the whole. */
  cell?: number;
  height?: number;
  /** Whether cells fill the width, of a matrix that is no square. */
  stretch?: boolean;
  colours?: (row: number) => string;
}

const TOP = 26;
const SCALE = 34;

export class CellGrid {
  readonly element: HTMLElement;
  private readonly canvas = new Canvas();
  private readonly bitmap = document.createElement("canvas");
  private given: Cells | null = null;
  private box = { left: 0, top: 0, width: 1, height: 1 };
  private cursor: [number, number] | null = null;

  constructor() {
    this.element = h("div", {
      class: "cells",
      attr: { tabindex: "0", role: "application", "aria-roledescription": "matrix" },
    });
    this.element.append(this.canvas.element);
    this.element.addEventListener("pointermove", (event) => this.hover(event));
    this.element.addEventListener("pointerleave", () => this.leave());
    this.element.addEventListener("blur", () => this.leave());
    this.element.addEventListener("click", (event) => {
      const cell = this.cellAt(event);
      if (cell) this.given?.pick?.(...cell);
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  draw(given: Cells): void {
    this.given = given;
    const width = this.element.clientWidth;
    if (!width || !given.rows || !given.columns) return;
    const pen = this.canvas.pen;
    pen.font = "12px sans-serif";
    const labels = Math.min(24, given.rows);
    let longest = 0;
    for (let n = 0; n < labels; n++) {
      longest = Math.max(longest, pen.measureText(given.rowLabel(Math.floor((n * given.rows) / labels))).width);
    }
    const title = given.time ? 0 : pen.measureText(given.columnTitle).width - 4;
    const left = Math.ceil(Math.min(width * 0.4, Math.max(longest, title))) + 24;
    const room = width - left - 2;
    const whole = given.height ?? Infinity;
    let cell = Math.min(given.cell ?? 40, room / given.columns);
    if (!given.time && !given.stretch) cell = Math.min(cell, whole / given.rows);
    const fills = given.time !== undefined || given.stretch === true;
    const across = fills ? room : cell * given.columns;
    const down = fills ? Math.min(whole, given.rows * (given.cell ?? 12)) : cell * given.rows;
    const top = given.time ? 4 : TOP;
    this.box = { left, top, width: across, height: down };
    this.canvas.size(width, top + down + SCALE + (given.time ? 16 : 0));
    this.element.setAttribute("aria-label", given.label);
    this.paint(given);
    this.axes(given);
    this.marks(given);
    this.scale(given);
  }

  private paint(given: Cells): void {
    const { bitmap, box } = this;
    bitmap.width = given.columns;
    bitmap.height = given.rows;
    const pen = bitmap.getContext("2d")!;
    const image = pen.createImageData(given.columns, given.rows);
    const colours = given.signed ? diverging() : sequential();
    const least = given.signed ? 0 : (given.least ?? 0);
    const factor = given.most > least ? 255 / (given.most - least) : 0;
    for (let n = 0; n < given.values.length; n++) {
      const value = given.values[n]!;
      if (Number.isNaN(value)) continue;
      const step = given.signed ? Math.round(127.5 + (value * factor) / 2) : Math.round((value - least) * factor);
      const clipped = Math.max(0, Math.min(255, value > 0 && !given.signed ? Math.max(8, step) : step));
      image.data[n * 4] = colours[clipped * 3]!;
      image.data[n * 4 + 1] = colours[clipped * 3 + 1]!;
      image.data[n * 4 + 2] = colours[clipped * 3 + 2]!;
      image.data[n * 4 + 3] = 255;
    }
    pen.putImageData(image, 0, 0);
    const paper = this.canvas.pen;
    paper.fillStyle = ink("wash");
    paper.fillRect(box.left, box.top, box.width, box.height);
    paper.imageSmoothingEnabled = false;
    paper.drawImage(bitmap, box.left, box.top, box.width, box.height);
    const [w, t] = [box.width / given.columns, box.height / given.rows];
    if (given.text && w >= 44 && t >= 18) {
      paper.textAlign = "center";
      paper.textBaseline = "middle";
      for (let row = 0; row < given.rows; row++) {
        for (let column = 0; column < given.columns; column++) {
          const value = given.values[row * given.columns + column]!;
          const deep = given.most > least && Math.abs(value - least) / (given.most - least) > 0.45;
          paper.fillStyle = dark() ? (deep ? "#000" : "#e6eaee") : deep ? "#fff" : "#1b1f24";
          const text = given.text(row, column);
          if (paper.measureText(text).width < w - 4) paper.fillText(text, box.left + (column + 0.5) * w, box.top + (row + 0.5) * t);
        }
      }
    }
  }

  private axes(given: Cells): void {
    const { box } = this;
    const pen = this.canvas.pen;
    const [w, t] = [box.width / given.columns, box.height / given.rows];
    pen.fillStyle = ink("muted");
    pen.strokeStyle = ink("rule");
    pen.strokeRect(box.left - 0.5, box.top - 0.5, box.width + 1, box.height + 1);
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    const rowStep = Math.max(1, Math.ceil(13 / t));
    for (let row = 0; row < given.rows; row += rowStep) {
      const text = given.rowLabel(row);
      const y = box.top + (row + 0.5) * t;
      if (given.colours) {
        pen.fillStyle = given.colours(row);
        pen.fillRect(box.left - 6, box.top + row * t, 3, Math.max(1, t * Math.min(rowStep, given.rows - row)));
        pen.fillStyle = ink("muted");
      }
      pen.fillText(text, box.left - (given.colours ? 10 : 5), y, box.left - 22);
    }
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    if (given.time) {
      for (const [place, time] of given.time.labels(box.width)) {
        const x = box.left + place * w;
        pen.fillText(moment(time), Math.min(x, box.left + box.width - 24), box.top + box.height + 14);
        pen.fillRect(x, box.top + box.height, 1, 3);
      }
      for (const { from, to } of given.time.breaks) {
        const [left, right] = [box.left + from * w, box.left + to * w];
        pen.fillStyle = ink("paper");
        pen.fillRect(left, box.top - 1, right - left, box.height + 2);
        pen.fillStyle = ink("muted");
        for (const x of [left, right - 1]) pen.fillRect(x, box.top - 1, 1, box.height + 2);
      }
    } else {
      let widest = 0;
      for (let n = 0; n < given.columns; n += 1 + (given.columns >> 4)) {
        widest = Math.max(widest, pen.measureText(given.columnLabel(n)).width);
      }
      const step = Math.max(1, Math.ceil((widest + 6) / w));
      for (let column = 0; column < given.columns; column += step) {
        const text = given.columnLabel(column);
        const end = this.canvas.width - pen.measureText(text).width / 2;
        pen.fillText(text, Math.min(end, box.left + (column + 0.5) * w), box.top - 4);
      }
    }
    pen.textAlign = "left";
    if (!given.time) pen.fillText(given.columnTitle, 14, 12, box.left - 16);
    pen.save();
    pen.translate(10, box.top + box.height / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    if (box.height > pen.measureText(given.rowTitle).width) pen.fillText(given.rowTitle, 0, 0);
    pen.restore();
  }

  private marks(given: Cells): void {
    const { box, cursor } = this;
    const pen = this.canvas.pen;
    const [w, t] = [box.width / given.columns, box.height / given.rows];
    pen.strokeStyle = ink("mark");
    pen.lineWidth = Math.min(w, t) < 6 ? 1 : 2;
    const row = given.markedRow ?? -1;
    const column = given.markedColumn ?? -1;
    // With both, the cell is what is chosen; its row and column only lead to it.
    const cell = row >= 0 && column >= 0 && row < given.rows && column < given.columns;
    if (cell) pen.strokeRect(box.left + column * w - 1, box.top + row * t - 1, w + 2, t + 2);
    if (cell) pen.globalAlpha = 0.3;
    if (row >= 0 && row < given.rows) pen.strokeRect(box.left - 1, box.top + row * t - 1, box.width + 2, t + 2);
    if (column >= 0 && column < given.columns) pen.strokeRect(box.left + column * w - 1, box.top - 1, w + 2, box.height + 2);
    pen.globalAlpha = 1;
    if (cursor && cursor[0] < given.rows && cursor[1] < given.columns) {
      pen.strokeStyle = ink("ink");
      pen.lineWidth = 1.5;
      pen.strokeRect(box.left + cursor[1] * w - 0.5, box.top + cursor[0] * t - 0.5, w + 1, t + 1);
    }
    pen.lineWidth = 1;
  }

  private scale(given: Cells): void {
    const pen = this.canvas.pen;
    const { box } = this;
    const y = this.canvas.height - 12;
    const colours = given.signed ? diverging() : sequential();
    const width = Math.min(140, box.width * 0.5);
    for (let n = 0; n < width; n++) {
      const step = Math.floor((n / width) * 255) * 3;
      pen.fillStyle = `rgb(${colours[step]},${colours[step + 1]},${colours[step + 2]})`;
      pen.fillRect(box.left + 40 + n, y - 8, 1.5, 9);
    }
    pen.strokeStyle = ink("rule");
    pen.strokeRect(box.left + 39.5, y - 8.5, width + 1, 10);
    pen.fillStyle = ink("muted");
    pen.textBaseline = "alphabetic";
    pen.textAlign = "right";
    pen.fillText(given.signed ? given.shown(-given.most) : given.least ? given.shown(given.least) : "0", box.left + 35, y);
    pen.textAlign = "left";
    pen.fillText(given.shown(given.most), box.left + 46 + width, y);
  }

  private cellAt(event: MouseEvent): [number, number] | null {
    const { box, given } = this;
    if (!given) return null;
    const [x, y] = at(event, this.canvas.element);
    const column = Math.floor(((x - box.left) / box.width) * given.columns);
    const row = Math.floor(((y - box.top) / box.height) * given.rows);
    return row < 0 || column < 0 || row >= given.rows || column >= given.columns ? null : [row, column];
  }

  private hover(event: MouseEvent): void {
    const cell = this.cellAt(event);
    this.move(cell);
    this.element.style.cursor = cell && this.given?.pick ? "pointer" : "default";
    if (cell && this.given) showTip(this.given.lines(...cell), event.clientX, event.clientY);
    else hideTip();
  }

  private leave(): void {
    this.move(null);
    hideTip();
  }

  private move(cell: [number, number] | null): void {
    if (cell?.[0] === this.cursor?.[0] && cell?.[1] === this.cursor?.[1]) return;
    this.cursor = cell;
    if (this.given) this.draw(this.given);
  }

  private key(event: KeyboardEvent): void {
    const given = this.given;
    if (!given) return;
    const steps: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const step = steps[event.key];
    if (step) {
      const [row, column] = this.cursor ?? [-step[0], -step[1]];
      const next: [number, number] = [
        Math.max(0, Math.min(given.rows - 1, row + step[0])),
        Math.max(0, Math.min(given.columns - 1, column + step[1])),
      ];
      this.move(next);
      const box = this.canvas.element.getBoundingClientRect();
      const x = box.left + this.box.left + ((next[1] + 0.5) / given.columns) * this.box.width;
      const y = box.top + this.box.top + ((next[0] + 0.5) / given.rows) * this.box.height;
      showTip(given.lines(...next), x, y);
    } else if (event.key === "Enter" && this.cursor) given.pick?.(...this.cursor);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
