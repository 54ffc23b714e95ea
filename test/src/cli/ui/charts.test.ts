import { expect, it } from "vitest";

import { timeLine } from "../../../../src/cli/ui/charts.ts";
import type { ChunkTimes } from "../../../../src/state/contract/runs/figures.ts";

const chunk: ChunkTimes = {
  chunk: 1,
  state: "committed",
  stages: 1,
  read: 9,
  records: 9,
  rejected: 0,
  parts: 1,
  retries: 0,
  begunAt: 0,
  leftAt: 400,
  uploadedAt: 600,
  acceptedAt: 900,
  committedAt: 1_000,
};

/** The pieces of the bars of a timeline: their classes, where they begin, and how wide they are. */
function pieces(chunks: readonly ChunkTimes[], endMs: number): (string | number)[][] {
  const drawn = timeLine(chunks, endMs).text.split("</svg")[0] ?? "";
  return [...drawn.matchAll(/<path\s+class="(\w+)"\s+d="M([\d.]+) [\d.]+h([\d.]+)/g)].map(
    ([, kind = "", x, width]) => [kind, Number(x), Number(width)],
  );
}

/** The timeline is 760 wide, from 96 on. */
it("draws a chunk from its first step to its commit, each step as long as it took", () => {
  expect(pieces([chunk], 1_000)).toEqual([
    ["filtered", 96, 304],
    ["upload", 400, 152],
    ["confirm", 552, 228],
    ["sent", 780, 76],
  ]);
});

it("draws no upload of what travels in a request, and no sending of what sends nothing", () => {
  const body = { ...chunk, uploadedAt: null };
  expect(pieces([body], 1_000).map(([kind]) => kind)).toEqual(["filtered", "confirm", "sent"]);
  const nothing = { ...chunk, leftAt: null, uploadedAt: null, acceptedAt: null };
  expect(pieces([nothing], 1_000)).toEqual([
    ["filtered", 96, 760],
    ["sent", 856, 1],
  ]);
});

it("draws a chunk that is not committed to the end, and marks what was tried again", () => {
  const stuck = { ...chunk, acceptedAt: null, committedAt: null, retries: 2 };
  expect(pieces([stuck], 2_000)).toEqual([
    ["wait", 88, 5],
    ["filtered", 96, 152],
    ["upload", 248, 76],
    ["unchanged", 324, 532],
  ]);
});

it("draws nothing backwards where a later attempt was uploaded once the part was accepted", () => {
  const late = { ...chunk, uploadedAt: 950 };
  expect(pieces([late], 1_000)).toEqual([
    ["filtered", 96, 304],
    ["upload", 400, 418],
    ["confirm", 818, 1],
    ["sent", 818, 38],
  ]);
});
