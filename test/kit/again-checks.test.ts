import { describe, expect, it } from "vitest";

import { comingAgain } from "../../testing/checks/again.ts";
import type { CheckResult } from "../../testing/run.ts";
import { rightAbilities } from "../broken-connectors/right.ts";
import { resultOf, type Changes } from "./result-of.ts";

const { at } = rightAbilities;

type SamplePage =
  ReturnType<typeof rightAbilities.read> extends AsyncIterable<infer Page> ? Page : never;

/** Pages that set `mayComeAgain`, of a source whose next run goes back a minute. */
function saying(mayComeAgain: (page: SamplePage) => boolean): Changes {
  return {
    async *read(ask) {
      for await (const page of rightAbilities.read(ask))
        yield { ...page, mayComeAgain: mayComeAgain(page) };
    },
    rewind: ({ config, position }) => at({ config, when: new Date(timeMs(position) - 60_000) }),
  };
}

function timeMs({ changed }: { readonly changed?: unknown }): number {
  return Date.parse(String(changed));
}

function isRecent(row: { readonly changed?: unknown } | undefined): boolean {
  return timeMs({ ...row }) > Date.now() - 62_000;
}

async function result(changes: Changes): Promise<CheckResult> {
  return await resultOf([comingAgain], "A10", { changes });
}

describe("comingAgain", () => {
  it.each([
    // The rows changed 1, 2, 4, … seconds ago.
    ["of all pages", saying(() => false), "6 of them again (ids 6, 5, 4, …)"],
    ["of a page of which the first row is old", saying(({ rows }) => isRecent(rows[0])), "2 of"],
  ])("finds a connector that says %s that they do not come again", async (_, changes, said) => {
    const { state, text } = await result(changes);
    expect(text).toContain(`by the next run after \`rewind\`; came ${said}`);
    expect(state).toBe("failed");
  });

  it("finds nothing wrong where the last row of a page decides", async () => {
    const changes = saying(({ position }) => isRecent(position));
    expect(await result(changes)).toMatchObject({ state: "passed", text: "" });
  });

  it.each([
    [
      "with the harness's config, each run reads everything",
      { ...saying(() => false), restart: () => "each-run" as const },
    ],
    ["no page says `mayComeAgain: false`", saying(() => true)],
  ])("is not shown where %s", async (text, changes) => {
    expect(await result(changes)).toMatchObject({ state: "not shown", text });
  });
});
