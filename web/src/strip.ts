// The place of a strip of a link's history, and its axis.

import { ink } from "./colour";

export interface Strip {
  left: number;
  top: number;
  height: number;
  width: number;
}

/** Draws a rule with a label at none, half and all of the height of a strip. */
export function paintAxis(pen: CanvasRenderingContext2D, { left, top, height, width }: Strip, label: (share: number) => string): void {
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const share of [0, 0.5, 1]) {
    pen.fillStyle = ink("rule");
    pen.fillRect(left, Math.round(top + (1 - share) * height), width - left - 10, 1);
    pen.fillStyle = ink("muted");
    pen.fillText(label(share), left - 6, top + (1 - share) * height);
  }
  pen.textAlign = "left";
}
