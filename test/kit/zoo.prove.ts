import { describe, expect, it } from "vitest";

import { pullChecks, pushChecks } from "../../testing/checks/index.ts";
import { zoo } from "../zoo/broken/index.ts";
import { rightPush } from "../zoo/right-push.ts";
import { right } from "../zoo/right.ts";
import { checkIdsOf, resultIn } from "../zoo/trial.ts";

// Which other checks each of them turns red takes minutes: `npm run prove -- --only zoo` tries them all.
describe("the zoo", () => {
  it("has 30 broken connectors at least, each with a name of its own", () => {
    expect(zoo.length).toBeGreaterThanOrEqual(30);
    expect(new Set(zoo.map(({ name }) => name)).size).toBe(zoo.length);
  });

  it("has one for each check", () => {
    const ids = new Set([...pullChecks, ...pushChecks].map(({ id }) => id));
    expect(new Set(zoo.map(({ check }) => check))).toEqual(ids);
  });

  it.each(zoo)("turns $check red with one that $what", async ({ check, make }) => {
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
