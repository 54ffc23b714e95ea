import { expect, it } from "vitest";

import type { Discovery } from "../../../../connectors/contract/connector.ts";
import { FlagAnswers } from "../../../../src/cli/project/answers.ts";
import { withZone } from "../../../../src/cli/project/init-zone.ts";

function found(note: string): Pick<Discovery, "columns" | "from"> {
  return {
    from: { table: "companies", changed_by: { column: "updated_at" } },
    columns: [{ name: "updated_at", type: "time", isNullable: false, note }],
  };
}

it("asks for the zone of a change column that has none", async () => {
  const local = found("timestamp(3) without time zone");
  const asking = withZone(new FlagAnswers(new Map()), local);
  await expect(asking).rejects.toThrow(
    "--column-zone is missing: Which time zone the times in updated_at are of",
  );
  const wrong = withZone(new FlagAnswers(new Map([["column-zone", "Paris"]])), local);
  await expect(wrong).rejects.toThrow("Europe/Paris");
  const from = await withZone(new FlagAnswers(new Map([["column-zone", "UTC"]])), local);
  expect(from).toEqual({ ...local.from, time_zone: "UTC" });
});

it("asks for none where the column has one", async () => {
  const moments = found("timestamp with time zone");
  expect(await withZone(new FlagAnswers(new Map()), moments)).toEqual(moments.from);
});
