import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import type { Page, Row, Source } from "../../connectors/contract/connector.ts";
import { pullChecks, pushChecks, testRunsOf } from "../../testing/checks/index.ts";
import type { CheckResult } from "../../testing/run.ts";
import type { SamplePosition } from "../broken-connectors/right-connection.ts";
import { rightHarness } from "../broken-connectors/right-harness.ts";
import { rightPush, rightPushHarness } from "../broken-connectors/right-push.ts";
import { right, rightAbilities, rightSource } from "../broken-connectors/right.ts";
import { SampleServer } from "../broken-connectors/server.ts";
import { isProving } from "../support/trials.ts";

type SamplePage = Page<Row, SamplePosition>;
type ReadRequest = Parameters<typeof rightAbilities.read>[0];

/** The checks under test in this file: those of a config and of reading. */
const ids = pullChecks.map(({ id }) => id).filter((id) => /^[SR]/.test(id));

/** The result of a check on a connector for a server of the test's own. */
async function resultOf(id: string, source: Source, changes: object = {}): Promise<CheckResult> {
  const server = await SampleServer.start();
  onTestFinished(async () => await server.close());
  const harness = { ...rightHarness(server), ...changes };
  const testRun = testRunsOf(source, harness).find((one) => one.id === id);
  if (testRun === undefined) throw new RangeError(`there is no check ${id}`);
  return await testRun.run();
}

/** The right read with every page changed. */
function reading(
  page: (page: SamplePage, ask: ReadRequest) => SamplePage,
  change: (ask: ReadRequest) => ReadRequest = (ask) => ask,
): Source {
  return rightSource({
    async *read(ask) {
      for await (const one of rightAbilities.read(change(ask))) yield page(one, ask);
    },
  });
}

const same = (page: SamplePage): SamplePage => page;

function edited(edit: (row: Row) => Row): Source {
  return reading((page) => ({ ...page, rows: page.rows.map(edit) }));
}

const members = {
  url: z.string().describe("Where the server is."),
  token: z.string().describe("Its bearer token."),
  table: z.string().default("rows").describe("What is read."),
  timeout_ms: z.number().default(1_000).describe("How long an answer may take."),
};

/** A connector of which only the schema matters. */
function configured(config: z.ZodType): Source {
  return { ...right, config };
}

function numbered(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
}

let shared: AsyncIterator<SamplePage> | undefined;

const broken: readonly (readonly [id: string, what: string, source: Source])[] = [
  [
    "S1",
    "leaves a nested member without a description",
    configured(
      z.strictObject({ ...members, auth: z.strictObject({ user: z.string() }).describe("Who.") }),
    ),
  ],
  ["S2", "has a plain token", configured(z.strictObject(members))],
  ["S3", "passes over members that there are not", configured(z.object(members))],
  [
    "S3",
    "takes anything for a text",
    configured(z.strictObject({ ...members, table: z.coerce.string() })),
  ],
  [
    "S4",
    "complains about a missing member as a whole",
    configured(
      z
        .strictObject({ ...members, url: members.url.optional() })
        .refine(({ url }) => url !== undefined, "something is missing"),
    ),
  ],
  [
    "R1",
    "puts the time of the read in its position",
    reading((page) => ({ ...page, position: { ...page.position, id: String(performance.now()) } })),
  ],
  [
    "R2",
    "gives a row twice",
    reading((page) => ({ ...page, rows: [...page.rows.slice(1), ...page.rows.slice(1, 2)] })),
  ],
  [
    "R3",
    "knows the change alone, not the row",
    reading((page) => ({ ...page, position: { ...page.position, id: "~" } })),
  ],
  [
    "R4",
    "begins anew when it is to continue",
    reading(same, (ask) => ({ ...ask, from: undefined })),
  ],
  [
    "R4",
    "continues a row too late",
    reading((page, { from }) =>
      from === undefined ? page : { ...page, rows: page.rows.slice(1) },
    ),
  ],
  [
    "R5",
    "begins anew when it is to continue",
    reading(same, (ask) => ({ ...ask, from: undefined })),
  ],
  ["R6", "reads beyond the end of its span", reading(same, (ask) => ({ ...ask, to: undefined }))],
  ["R7", "takes no notice of a limit", reading(same, (ask) => ({ ...ask, limit: undefined }))],
  [
    "R8",
    "has a position that JSON changes",
    rightSource({
      position: z.any(),
      async *read(ask) {
        for await (const page of rightAbilities.read(ask)) {
          yield { ...page, position: { ...page.position, read: new Date() } };
        }
      },
    }),
  ],
  [
    "R9",
    "says that it is at the end from the start",
    reading((page) => ({ ...page, position: { changed: "9999", id: "" } })),
  ],
  [
    "R10",
    "passes the time when there was nothing",
    rightSource({
      async *read(ask) {
        yield* rightAbilities.read(ask);
        yield { rows: [], position: { changed: "9999", id: "" }, where: () => "rows" };
      },
      rewind: ({ position }) => position,
    }),
  ],
  [
    "R11",
    "takes a full page for the last one",
    rightSource({
      async *read(ask) {
        for await (const page of rightAbilities.read(ask)) {
          if (page.rows.length < ask.pageRowsMax) return;
          yield page;
        }
      },
    }),
  ],
  [
    "R12",
    "passes the present with every read",
    rightSource({
      async *read(ask) {
        const pages = [];
        for await (const page of rightAbilities.read(ask)) pages.push(page);
        for (const page of pages) yield { ...page, position: { changed: "2999", id: "" } };
      },
    }),
  ],
  [
    "R13",
    "does not ask which transactions are open",
    rightSource({ rewind: ({ position }) => position }),
  ],
  [
    "R14",
    "reads everything before it gives anything",
    rightSource({
      async *read(ask) {
        const pages = [];
        for await (const page of rightAbilities.read(ask)) pages.push(page);
        yield* pages;
      },
    }),
  ],
  [
    "R15",
    "takes no notice of an abort",
    reading(same, (ask) => ({ ...ask, signal: new AbortController().signal })),
  ],
  [
    "R16",
    "leaves its connection open when it is left",
    rightSource({
      async *read(ask) {
        const pages = rightAbilities.read(ask);
        // Not `for await`, which would close it.
        for (let next = await pages.next(); next.done !== true; next = await pages.next()) {
          yield next.value;
        }
      },
    }),
  ],
  [
    "R17",
    "has one read for all",
    rightSource({
      async *read(ask) {
        shared ??= rightAbilities.read(ask);
        try {
          for (let next = await shared.next(); next.done !== true; next = await shared.next()) {
            yield next.value;
          }
        } finally {
          shared = undefined;
        }
      },
    }),
  ],
  [
    "R18",
    "makes numbers of what looks like one",
    edited((row) => ({ ...row, text: Number(row["text"]) || row["text"] })),
  ],
  ["R18", "makes numbers of ids", edited((row) => ({ ...row, id: Number(row["id"]) }))],
  ["R18", "makes an empty text of null", edited((row) => ({ ...row, text: row["text"] ?? "" }))],
  [
    "R19",
    "takes its times for those of its own clock",
    edited((row) => ({
      ...row,
      changed: new Date(String(row["changed"]).slice(0, 23)).toISOString(),
    })),
  ],
  ["R20", "passes over what is malformed", reading((page) => ({ ...page, rejects: undefined }))],
  [
    "R20",
    "names no place",
    reading((page) => ({
      ...page,
      rejects: page.rejects?.map((one) => ({ ...one, where: "rows" })),
    })),
  ],
];

/** One check holds 64 MB of rows. */
const quick = isProving ? ids : ids.filter((id) => id !== "R14");

describe("the checks of a config and of reading", () => {
  it("are S1 to S4 and R1 to R21", () => {
    expect(ids).toEqual([...numbered("S", 4), ...numbered("R", 21)]);
  });

  it.each(pushChecks.map(({ id }, index) => ({ id, index })))(
    "$id finds the right push connector right",
    async ({ index }) => {
      const result = await testRunsOf(rightPush, rightPushHarness())[index]?.run();
      expect(result).toMatchObject({ state: "passed", text: "" });
    },
  );

  it.each(quick)("%s finds the right connector right", async (id) => {
    expect(await resultOf(id, right)).toMatchObject({ state: "passed", text: "" });
  });

  it.each(broken.filter(([id]) => quick.includes(id)))(
    "%s finds a connector that %s",
    async (id, _, source) => {
      const { state, text } = await resultOf(id, source);
      expect(text).toMatch(/^expected .+; came .+\. .+\.$/s);
      expect(state).toBe("failed");
    },
  );

  it.each(ids.filter((id) => id.startsWith("R")))("%s is not green without rows", async (id) => {
    const empty = rightSource({
      // oxlint-disable-next-line require-yield
      async *read() {
        await Promise.resolve();
      },
    });
    expect(await resultOf(id, empty)).toMatchObject({ state: "failed" });
  });

  it.each([
    ["R13", "commitLate"],
    ["R20", "spoil"],
  ])("%s is not shown without %s", async (id, hook) => {
    expect(await resultOf(id, right, { [hook]: undefined })).toMatchObject({
      state: "not shown",
      text: `the harness has no \`${hook}\``,
    });
  });

  it("ends a read that neither ends nor waits, and says so", async () => {
    const endless = rightSource({
      async *read(ask) {
        for await (const page of rightAbilities.read({ ...ask, limit: 7 })) {
          for (;;) yield page;
        }
      },
    });
    const { state, text } = await resultOf("R1", endless);
    expect(state).toBe("failed");
    expect(text).toContain("an end of the source; came 20000 pages");
  });
});

it("does not fill a source with 64 MB that cannot hold them", async () => {
  for (const id of ["R14", "R15"]) {
    expect(await resultOf(id, right, { cannotHold: ["64 MB"] })).toMatchObject({
      state: "not shown",
      text: "the source cannot hold 64 MB",
    });
  }
});
