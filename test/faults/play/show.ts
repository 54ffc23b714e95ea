import { describe, expect, it } from "vitest";

import { columns, type Case, type Code, type Column, type Says } from "./cell.ts";
import { showPageCell } from "./page-story.ts";
import { showCell } from "./story.ts";

const names: Readonly<Record<Column, string>> = {
  generate: "generate-upload-url",
  put: "PUT",
  confirm: "confirm-upload",
  json: "upload-json",
  search: "a page",
};

const meanings = {
  RT: "the same again until it gets through",
  "RT x3": "the same again, and the third time the run stops",
  RG: "the same bytes to a fresh address until they get through",
  "RG x3": "the same bytes to a fresh address, and the third time the run stops",
  AMB: "the same again, its records counted as possibly repeated",
  "AMB x2": "the same again, counted as possibly repeated, and the second time the run stops",
  "AMB x3": "the same again, counted as possibly repeated, and the third time the run stops",
  SC: "the run stops and says what came",
  "SC setting": "the run stops and names the setting",
  SA: "the run stops, and nobody asks with that key again",
  SQ: "the run stops, and nobody spends on",
  SP: "the part is cut in two and sent",
  DL: "the record named is rejected and the rest sent",
  OK: "taken as done",
  "RT x5, RG": "the same key again, and the fifth time the same bytes under another",
  "RG key": "the same bytes under another key",
} as const;

/** The codes with another meaning for a page. */
const ofPages: Readonly<Partial<Record<keyof typeof meanings, string>>> = {
  AMB: "the same again, counted as possibly paid twice",
  "AMB x2": "the same again, counted as possibly paid twice, and the second time the run stops",
  "AMB x3": "the same again, counted as possibly paid twice, and the third time the run stops",
  SP: "half as many results are asked for",
};

function meaning(column: Column, code: Code): string {
  if (typeof code === "string") {
    return (column === "search" ? ofPages[code] : undefined) ?? meanings[code];
  }
  if ("doubt" in code) return "counted, and nobody sends for the time named";
  const [least, greatest] = code.wait;
  const time = least === greatest ? `${least / 1_000} s` : "a drawn time";
  return `nobody sends for ${time}, then the same again`;
}

/** Whether a cell is shown by playing it. */
export function isPlayed(says: Says): says is Code {
  return typeof says === "string" || "wait" in says || "doubt" in says;
}

/**
 * The columns of a row that are played: all, or two, namely confirm-upload, where most of a run is at stake, and
 * another one that varies by row.
 */
function columnsOf({ row }: Case, which: "all" | "two"): readonly Column[] {
  const others = columns.filter((column) => column !== "confirm");
  const [other = "put"] = others.slice((row + 3) % others.length);
  return which === "all" ? columns : ["confirm", other];
}

/** One test for each cell that is played. */
export function showCells(cases: readonly Case[], which: "all" | "two" = "all"): void {
  describe.each(columns)("%s", (column) => {
    for (const each of cases) {
      const code = each.says[column];
      if (!isPlayed(code) || !columnsOf(each, which).includes(column)) continue;
      it(`row ${each.row}: ${names[column]} ${each.fault}: ${meaning(column, code)}`, async () => {
        const report =
          column === "search" ? await showPageCell(each, code) : await showCell(each, column, code);
        expect(report).toMatchObject({ balanced: true });
      });
    }
  });
}
