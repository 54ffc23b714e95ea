import type { Bound, Guardrails } from "../guardrails/guardrails.ts";
import { fieldsOf } from "../mapping/load.ts";
import type { Config, SyncConfig } from "./config.ts";
import type { Path } from "./document/document.ts";
import { didYouMean } from "./messages/did-you-mean.ts";
import type { Mistake } from "./messages/mistakes.ts";

/** A guardrail of a sync: its path below `hold_if`, and its bound. */
type Written = { readonly path: Path; readonly bound: Bound };

/** The guardrails about changes. */
function ofChanges(holdIf: Guardrails): readonly Written[] {
  const { changedAbove, newAbove, vanishedAbove, fieldChangedAbove } = holdIf;
  return [
    ...(changedAbove === undefined ? [] : [{ path: ["changed_above"], bound: changedAbove }]),
    ...(newAbove === undefined ? [] : [{ path: ["new_above"], bound: newAbove }]),
    ...(vanishedAbove === undefined ? [] : [{ path: ["vanished_above"], bound: vanishedAbove }]),
    ...Object.entries(fieldChangedAbove).map(([field, bound]) => {
      return { path: ["field_changed_above", field], bound };
    }),
  ];
}

const resumedShare =
  "this source is read on from its checkpoint, so nearly every row of a run has changed: give a number, such as 500";

const resumedVanished =
  "this source is read on from its checkpoint, so no run reads all of it: nothing says what vanished";

const resumedRows =
  "this source is read on from its checkpoint, so a run has as many rows as changed: give a number, such as 1";

/** The mistakes in a sync's guardrails, by their paths; `resumes` says whether it continues from its checkpoint. */
function mistakesOf(
  sync: SyncConfig,
  holdIf: Guardrails,
  resumes: boolean,
): readonly (readonly [Path, string])[] {
  const changes = ofChanges(holdIf);
  if (sync.send === "all") {
    const why = "with `send: all` nobody asks whether a record changed: `send: changed` does";
    return changes.map(({ path }) => [path, why]);
  }
  const fields = fieldsOf(sync);
  const unknown = Object.keys(holdIf.fieldChangedAbove).flatMap((field): [Path, string][] =>
    fields === undefined || fields.includes(field)
      ? []
      : [
          [
            ["field_changed_above", field],
            `the mapping has no field of this path${didYouMean(field, fields)}; it has ${fields.join(", ")}`,
          ],
        ],
  );
  if (!resumes) return unknown;
  const { rowsBelow, vanishedAbove } = holdIf;
  const shares = ofChanges({ ...holdIf, vanishedAbove: undefined }).filter(
    ({ bound }) => "share" in bound,
  );
  const vanished: [Path, string][] =
    vanishedAbove === undefined ? [] : [[["vanished_above"], resumedVanished]];
  const rows: [Path, string][] =
    rowsBelow !== undefined && "share" in rowsBelow ? [[["rows_below"], resumedRows]] : [];
  return [
    ...unknown,
    ...shares.map(({ path }): [Path, string] => [path, resumedShare]),
    ...vanished,
    ...rows,
  ];
}

/** The mistakes of guardrails that would never hold a run, would hold every run, or cannot hold one. */
export function guardrailMistakes({
  syncs,
  connectors,
}: Pick<Config, "connectors" | "syncs">): readonly Mistake[] {
  return [...syncs.values()].flatMap((sync): readonly Mistake[] => {
    const { holdIf, name, connector, connectorConfig } = sync;
    if (holdIf === undefined) return [];
    const schema = connectors.get(connector);
    const path = ["syncs", name, "hold_if"];
    if (schema?.push !== undefined) {
      const message =
        "a sync of a webhook connection cannot be held: its events would fill the inbox until senders give up";
      return [{ path, on: "name", message }];
    }
    const resumes = schema?.restart?.(connectorConfig) !== "each-run";
    return mistakesOf(sync, holdIf, resumes).map(([below, message]) => {
      return { path: [...path, ...below], on: "name", message };
    });
  });
}
