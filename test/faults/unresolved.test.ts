import dns from "node:dns";

import { describe, expect, it, onTestFinished } from "vitest";

import type { Resolve } from "../../src/api/http/address.ts";
import { unresolvedMsMax } from "../../src/limits.ts";
import { failureOf } from "../support/project/harness.ts";
import { columns } from "./play/cell.ts";
import { PagePlay } from "./play/page-play.ts";
import { Play } from "./play/play.ts";

/** A name service that knows no name. */
const unknown: Resolve = (_host, _options, callback) => {
  callback(
    Object.assign(new Error("no such name"), { code: "ENOTFOUND", syscall: "getaddrinfo" }),
    [],
  );
};

/** Simulates another name service: its answer is the fault. */
function breakNames(): void {
  const { lookup } = dns;
  onTestFinished(() => void Object.assign(dns, { lookup }));
  Object.assign(dns, { lookup: unknown });
}

describe.each(columns)("row 26: %s to a host without an address", (column) => {
  it("is tried for ten minutes, then the run stops", async () => {
    const play = column === "search" ? await PagePlay.prepare() : await Play.prepare(column);
    const { clock } = play.harness;
    const meets = { server: async () => new URL("https://service.example") };
    breakNames();
    for (const passed of [0, unresolvedMsMax - 1]) {
      const start = await failureOf(play.meet(meets));
      expect([passed, start]).toMatchObject([passed, { type: "Unavailable", nonRetryable: false }]);
      if (passed === 0) clock.nowMs += unresolvedMsMax - 1;
    }
    clock.nowMs += 1;
    const type = column === "put" ? "ContractBroken" : "ConfigError";
    expect(await failureOf(play.meet(meets))).toMatchObject({ type, nonRetryable: true });
    const report = await play.run.close({ outcome: "failed" });
    expect(report.possibly_repeated).toBe(0);
  });
});
