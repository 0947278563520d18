// Three grids: a run, the run beside it, and their difference. Without a run beside it, the first one.

import { CellGrid } from "./cells";
import { h } from "./dom";

export class Trio {
  readonly grids = [new CellGrid(), new CellGrid(), new CellGrid()] as const;
  readonly element: HTMLElement;
  private readonly titles = [h("h3"), h("h3"), h("h3")] as const;
  private readonly boxes: HTMLElement[];

  constructor() {
    this.boxes = this.grids.map((grid, n) => h("div", { class: "matrix" }, this.titles[n]!, grid.element));
    this.element = h("div", { class: "matrices" }, ...this.boxes);
  }

  /** Shows one grid or three, and their titles. */
  show(titles: [string, string, string] | null): void {
    this.boxes.forEach((box, n) => (box.hidden = n > 0 && titles === null));
    this.titles.forEach((title, n) => (title.textContent = titles?.[n] ?? ""));
  }

  /** Hides the grid of a run that cannot be drawn; its title says why. */
  absent(n: 1 | 2, absent: boolean): void {
    this.grids[n].element.hidden = absent;
  }
}
