import { describe, expect, it } from "vitest";

import { idsOf, pagesOf, readRequestOf, startApi } from "./support.ts";

/** Reads lists of times, one after the other and each from where the last ended; the ids of each. */
async function read(...lists: readonly (readonly string[])[]): Promise<readonly string[][]> {
  const server = await startApi({ pages: "cursor", since: "from" });
  const found: string[][] = [];
  let from: unknown;
  for (const changes of lists) {
    const data = changes.map((changed, index) => ({ id: index + 1, changed }));
    let answers = 0;
    server.onRequest = () => {
      answers += 1;
      if (answers > 9) throw new Error("it is read for ever");
      server.answers.push((response) => response.end(JSON.stringify({ data })));
    };
    const pages = await pagesOf(readRequestOf(server), { from });
    from = pages.at(-1)?.position ?? from;
    found.push([...idsOf(pages)]);
  }
  return found;
}

describe("times with offsets", () => {
  it("are in their order where clocks are put back", async () => {
    const summer = ["2026-10-25T02:30:00+02:00", "2026-10-25T02:44:59+02:00"];
    const winter = ["2026-10-25T02:10:00+01:00", "2026-10-25T02:50:00.5+01:00"];
    expect(await read(summer, [...summer, ...winter])).toEqual([
      ["1", "2"],
      ["3", "4"],
    ]);
    expect(await read([...winter, "2026-10-25T02:50:00.51+0100"])).toEqual([["1", "2", "3"]]);
  });

  it("may name one time in several ways, in any order", async () => {
    const one = ["2026-06-01T12:00:00+02:00", "2026-06-01T10:00:00Z", "2026-06-01T05:00:00-05"];
    expect(await read(one, one, one.toReversed().slice(0, 1))).toEqual([
      ["1", "2", "3"],
      [],
      ["1"],
    ]);
  });

  it("may be the last that there is", async () => {
    const last = ["9998-12-31T23:59:59-05:00", "9999-12-31T23:59:59-05:00"];
    expect(await read(["0001-01-01T00:00:00+01:00", ...last])).toEqual([["1"]]);
  });
});
