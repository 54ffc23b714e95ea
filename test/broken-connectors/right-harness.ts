import type { PullHarness } from "../../testing/harness.ts";
import type { SampleServer } from "./server.ts";

/** What people write for a missing value: here it is a text like any other. */
const nothings = ["N/A", "-", "none", "N/A"].map((text, index) => {
  return { id: String(index + 1), text, changed: `2024-05-0${index + 1}T00:00:00.000000Z` };
});

/** A harness with every hook; closing it closes the server. */
export function rightHarness(server: SampleServer): PullHarness {
  return {
    // Longer than R15 waits for an end: a connector that ignores an abort must not end by this. F4 waits that long.
    config: { url: server.url, token: server.token, timeout_ms: 3_000 },
    fill: async (rows) => server.put(rows),
    empty: async () => server.clear(),
    close: async () => await server.close(),
    breakAt: async (rows) => {
      server.rowsUntilBreak = rows;
      return async () => {
        server.rowsUntilBreak = undefined;
      };
    },
    deny: async () => {
      server.isDenying = true;
      return async () => {
        server.isDenying = false;
      };
    },
    throttle: async (afterMs) => {
      server.throttledSeconds = Math.ceil(afterMs / 1_000);
      return async () => {
        server.throttledSeconds = undefined;
      };
    },
    stall: async () => {
      server.isStalling = true;
      return async () => {
        server.isStalling = false;
        server.hangUp();
      };
    },
    commitLate: async (row) => {
      const commit = server.begin(row);
      return async () => commit();
    },
    spoil: async () => {
      const spoiled = server.rows().filter((_, index) => index % 3 === 1);
      // Each comes right after the row that it was made from, whose text is in it.
      server.put(
        spoiled.map(({ id, text, changed }) => ({
          id: `${id}-spoiled`,
          text: { was: text },
          changed,
        })),
      );
      return spoiled.length;
    },
    cases: [
      {
        what: "rows whose texts stand for nothing elsewhere",
        make: async () => {
          server.clear();
          server.put(nothings);
          return {};
        },
        rows: nothings,
      },
    ],
    written: {
      key: "id",
      set: "text",
      read: async (id) => {
        const row = server.row(id);
        if (row === undefined) return undefined;
        return typeof row.text === "string" ? row.text : null;
      },
    },
  };
}
