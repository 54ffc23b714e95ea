import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";

import { RetryLater, SluiceError, SourceAuthError } from "../../src/errors.ts";
import { failureChecks } from "../../testing/checks/failures.ts";
import type { CheckResult } from "../../testing/run.ts";
import type { SampleConfig } from "../broken-connectors/right-connection.ts";
import { rightAbilities } from "../broken-connectors/right.ts";
import { resultOf, type Changes, type Wrong } from "./result-of.ts";

async function result(id: string, wrong: Wrong = {}): Promise<CheckResult> {
  return await resultOf(failureChecks, id, wrong);
}

/** A read that throws another error instead of the right connector's. */
function throwing(other: (error: SluiceError, ask: { config: SampleConfig }) => unknown): Changes {
  return {
    async *read(ask) {
      try {
        yield* rightAbilities.read(ask);
      } catch (error) {
        if (!(error instanceof SluiceError)) throw error;
        throw other(error, ask);
      }
    },
  };
}

/** A read that treats every failure as the end. */
const swallowing: Changes = {
  async *read(ask) {
    try {
      yield* rightAbilities.read(ask);
    } catch {
      // The mistake: nothing is thrown.
    }
  },
};

/** A hook that does nothing. */
const nothing = async (): Promise<() => Promise<void>> => async () => undefined;

/** A hook in plain JavaScript, which no compiler has checked: it returns an object. */
async function notTaken(): Promise<() => Promise<void>> {
  return z.custom<() => Promise<void>>().parse({});
}

/** Hooks that make a connector fail. */
const faults = ["breakAt", "deny", "throttle", "stall", "spoil"] as const;

describe("failureChecks", () => {
  it.each(failureChecks)(
    "finds nothing wrong in the right connector: $id $title",
    async ({ id }) => {
      expect(await result(id)).toMatchObject({ id, state: "passed", text: "" });
    },
  );

  it.each([
    ["F1", "takes a dead connection for the end", swallowing, "an end after 0 of 30 rows"],
    [
      "F1",
      "throws what nobody tries again",
      throwing(() => new Error("dead")),
      "came Error, which",
    ],
    [
      "F1",
      "begins again by itself",
      {
        async *read(ask) {
          try {
            yield* rightAbilities.read(ask);
          } catch {
            yield* rightAbilities.read(ask);
          }
        },
      },
      "more than once",
    ],
    [
      "F1",
      "continues a row too late",
      {
        async *read(ask) {
          const from = ask.from && { ...ask.from, changed: `${ask.from.changed}~` };
          yield* rightAbilities.read({ ...ask, from });
        },
      },
      "missing",
    ],
    ["F2", "takes refused credentials for the end", swallowing, "an end after 0 of 30 rows"],
    [
      "F2",
      "tries again with refused credentials",
      throwing(() => new RetryLater("no")),
      "RetryLater",
    ],
    ["F2", "names no setting", throwing(() => new SourceAuthError("no")), "came neither"],
    ["F3", "keeps the wait to itself", throwing(() => new RetryLater("no")), "came no wait"],
    [
      "F3",
      "counts the wait in seconds",
      throwing(({ retryAfterMs = 0 }) => new RetryLater("no", { afterMs: retryAfterMs / 1_000 })),
      "came 7 ms",
    ],
    [
      "F3",
      "counts the wait in microseconds",
      throwing(({ retryAfterMs = 0 }) => new RetryLater("no", { afterMs: retryAfterMs * 1_000 })),
      "came 7000000 ms",
    ],
    ["F3", "throws another error", throwing(() => new SourceAuthError("no")), "SourceAuthError"],
    ["F4", "throws what nobody tries again", throwing(() => new TypeError("slow")), "TypeError"],
    ["F4", "takes silence for the end", swallowing, "an end after 0 of 30 rows"],
  ] satisfies [id: string, mistake: string, changes: Changes, text: string][])(
    "%s finds a connector that %s",
    async (...[id, , changes, text]) => {
      const { state, text: said } = await result(id, { changes });
      expect(said).toContain(text);
      expect(said).toMatch(/^expected .+; came .+\. [A-Z].+\.$/s);
      expect(state).toBe("failed");
    },
  );

  it.each([
    [
      "says the token",
      throwing((_, { config }) => new RetryLater(`not with ${config.token.reveal()}`)),
      "no secret in what it throws after `breakAt`",
    ],
    [
      "says the token, encoded, in a cause",
      throwing((error, { config }) => {
        const header = `Basic ${Buffer.from(config.token.reveal()).toString("base64")}`;
        return new RetryLater(error.message, { cause: new Error("refused", { cause: header }) });
      }),
      "no secret in",
    ],
    [
      "says the token in a hint",
      throwing((error, { config }) => {
        return new SourceAuthError(error.message, { hint: config.token.reveal() });
      }),
      "no secret in",
    ],
    [
      "logs the token",
      {
        read: (ask) => {
          ask.log.info("reads", { token: ask.config.token.reveal() });
          return rightAbilities.read(ask);
        },
      },
      "no secret in its log",
    ],
    [
      "logs cells",
      {
        async *read(ask) {
          for await (const page of rightAbilities.read(ask)) {
            ask.log.warn("a page", { first: page.rows[0] });
            yield page;
          }
        },
      },
      "no cell in its log",
    ],
    [
      "finds the token wrong, and says it",
      {
        check: async (ask) => [
          { name: "token", ok: false, fix: `not ${ask.config.token.reveal()}` },
        ],
      },
      "no secret in what its `check` finds",
    ],
    [
      "quotes a cell in a reject's reason",
      {
        async *read(ask) {
          for await (const page of rightAbilities.read(ask)) {
            const rejects = (page.rejects ?? []).map((one) => ({
              ...one,
              reason: `not ${one.row}`,
            }));
            yield { ...page, rejects };
          }
        },
      },
      "no cell in a reject's",
    ],
  ] satisfies [mistake: string, changes: Changes, text: string][])(
    "finds a connector that %s (F5)",
    async (_mistake, changes, text) => {
      // Each would wait out a timeout.
      const { state, text: said } = await result("F5", { changes, without: ["stall"] });
      expect(said).toContain(text);
      expect(said).not.toMatch(/sample-token|Qz7Kw/);
      expect(state).toBe("failed");
    },
  );

  it("finds a connector that waits for ever (F4)", async () => {
    // Only the kit's own timers, and they expire when the connector begins to wait.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const changes: Changes = {
      // oxlint-disable-next-line require-yield
      async *read() {
        setImmediate(() => vi.advanceTimersByTime(17_000));
        await new Promise(() => undefined);
      },
    };
    const { state, text } = await result("F4", { changes });
    expect(text).toContain("an error within 15 s");
    expect(state).toBe("failed");
  });

  it.each([
    ["F1", "breakAt"],
    ["F2", "deny"],
    ["F3", "throttle"],
    ["F4", "stall"],
  ] as const)("%s is not shown without `%s`", async (id, hook) => {
    const text = `the harness has no \`${hook}\``;
    expect(await result(id, { without: [hook] })).toMatchObject({ state: "not shown", text });
  });

  it.each([
    ["F1", { breakAt: nothing }],
    ["F2", { deny: nothing }],
    ["F3", { throttle: nothing }],
    ["F4", { stall: nothing }],
  ])("%s is not shown when its hook does nothing", async (id, harness) => {
    expect(await result(id, { harness })).toMatchObject({ state: "not shown" });
  });

  it("says of a hook that gives nothing to take it back with that this is wrong (F3)", async () => {
    const { state, text } = await result("F3", { harness: { throttle: notTaken } });
    expect(state).toBe("failed");
    expect(text).toContain(
      "expected the harness's `throttle` to give an async function that takes back what it did; came object",
    );
  });

  it("is not shown when nothing can go wrong (F5)", async () => {
    expect(await result("F5", { without: faults })).toMatchObject({ state: "not shown" });
  });

  it.each([
    [
      "tells its token with what it knows a source by",
      {
        recognize: async (ask) => {
          const { identity } = await rightAbilities.recognize(ask);
          return { identity, shown: `sample of ${ask.config.token.reveal()}` };
        },
      },
      "no secret in what `recognize` answers",
    ],
    [
      "tells its token in why a source is another one",
      {
        recognize: async (ask) => {
          const differs = ask.known === null ? `not ${ask.config.token.reveal()}` : undefined;
          return { ...(await rightAbilities.recognize(ask)), differs };
        },
      },
      "no secret in what `recognize` answers",
    ],
    [
      "throws its token at what another version kept",
      {
        recognize: async (ask) => {
          if (ask.known === null) throw new Error(`not kept with ${ask.config.token.reveal()}`);
          return await rightAbilities.recognize(ask);
        },
      },
      "no secret in what `recognize` throws",
    ],
  ] satisfies [mistake: string, changes: Changes, text: string][])(
    "finds a connector that %s, also where nothing can go wrong (F5)",
    async (_mistake, changes, text) => {
      const { state, text: said } = await result("F5", { changes, without: faults });
      expect(said).toContain(text);
      expect(state).toBe("failed");
    },
  );

  it("is not shown with a secret so short that it may stand anywhere (F5)", async () => {
    const config = { url: "http://127.0.0.1:1", token: "short" };
    expect(await result("F5", { harness: { config } })).toMatchObject({ state: "not shown" });
  });
});
