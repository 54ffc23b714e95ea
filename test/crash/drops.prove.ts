import { describe, expect, it } from "vitest";

import { dieAtDrops } from "./crash-test.ts";
import { heavyweight, lightweight } from "./drive/sync-lanes.ts";

describe.each(Object.entries({ heavyweight, lightweight }))("a %s run", (_, test) => {
  it("loses and repeats nothing when it is killed at a request that arrived and was not applied", async () => {
    const { deaths, violations } = await dieAtDrops(test);
    expect(violations).toEqual([]);
    expect(deaths).toHaveLength(test.requests);
  });
});
