import { describe, expect, it } from "vitest";

import { pullChecks, pushChecks } from "../../testing/checks/index.ts";
import { brokenConnectors } from "../broken-connectors/broken/index.ts";
import { rightPush } from "../broken-connectors/right-push.ts";
import { right } from "../broken-connectors/right.ts";
import { checkIdsOf, resultIn } from "../broken-connectors/test-run.ts";

// Finding which other checks each connector turns red takes minutes: `npm run prove -- --only kit` tries them all.
describe("the broken connectors", () => {
  it("has 30 broken connectors at least, each with a name of its own", () => {
    expect(brokenConnectors.length).toBeGreaterThanOrEqual(30);
    expect(new Set(brokenConnectors.map(({ name }) => name)).size).toBe(brokenConnectors.length);
  });

  it("has one for each check", () => {
    const ids = new Set([...pullChecks, ...pushChecks].map(({ id }) => id));
    expect(new Set(brokenConnectors.map(({ check }) => check))).toEqual(ids);
  });

  it.each(brokenConnectors)("turns $check red with one that $what", async ({ check, make }) => {
    const { state, text } = await resultIn(make(), check);
    expect(text).toMatch(/^expected .+; came .+\. .+\.$/s);
    expect(state).toBe("failed");
  });

  it.each(
    [right, rightPush].flatMap((source) =>
      checkIdsOf(source).map((id) => ({ id, kind: source.kind, source })),
    ),
  )("finds the right $kind connector right by $id", async ({ id, source }) => {
    expect(await resultIn(source, id)).toMatchObject({ state: "passed", text: "" });
  });
});
