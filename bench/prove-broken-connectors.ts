import type { Source } from "../connectors/contract/connector.ts";
import type { PushSource } from "../connectors/contract/push.ts";
import { brokenConnectors } from "../test/broken-connectors/broken/index.ts";
import { rightPush } from "../test/broken-connectors/right-push.ts";
import { right } from "../test/broken-connectors/right.ts";
import { checkIdsOf, resultIn } from "../test/broken-connectors/test-run.ts";
import { pullChecks, pushChecks } from "../testing/checks/index.ts";
import type { Checked } from "./bounds.ts";
import { say } from "./report.ts";

/** Columns of the sample table. */
export const kitHead: readonly string[] = [
  "a connector that",
  "turns red",
  "which others are red besides",
];

/** Runs every check of the kit on every broken connector, and on the two correct ones, which none may turn red. */
export async function proveKit(): Promise<readonly Checked[]> {
  const checked: Checked[] = [];
  for (const source of [right, rightPush]) {
    say(`broken connector: ${source.name}`);
    const red = await redOf(() => source);
    checked.push({
      what: `(is right, and is ${source.kind === "push" ? "pushed to" : "read"})`,
      bound: "none",
      measured: red.join(", "),
      holds: red.length === 0,
    });
  }
  const ids = [...pullChecks, ...pushChecks].map(({ id }) => id);
  const inOrder = brokenConnectors.toSorted(
    (one, other) => ids.indexOf(one.check) - ids.indexOf(other.check),
  );
  for (const { name, what, check, make } of inOrder) {
    say(`broken connector: ${name}`);
    const red = await redOf(make);
    checked.push({
      what,
      bound: check,
      measured: red.filter((id) => id !== check).join(", "),
      holds: red.includes(check),
    });
  }
  return checked;
}

/** The checks that a connector fails, each tried on a new instance. */
async function redOf(make: () => Source | PushSource): Promise<readonly string[]> {
  const red: string[] = [];
  for (const id of checkIdsOf(make())) {
    const { state } = await resultIn(make(), id);
    if (state === "failed") red.push(id);
  }
  return red;
}
