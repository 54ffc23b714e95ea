import type { ReportChanges } from "../report/report.ts";
import { grouped } from "./quantities.ts";

/** Fields that a person is shown; `--json` names all. */
const fieldsToldMax = 10;

function changedText({ changed, remapped }: ReportChanges): string {
  if (remapped === 0) return grouped(changed);
  if (remapped === changed) return `${grouped(changed)} (because the mapping changed)`;
  return `${grouped(changed)} (${grouped(remapped)} because the mapping changed)`;
}

function fieldsText({ fields }: ReportChanges): string {
  const told = fields.slice(0, fieldsToldMax);
  const more = fields.length - told.length;
  return [
    ...told.map(({ field, records }) => `${field} ${grouped(records)}`),
    ...(more === 0 ? [] : [`${grouped(more)} more with --json`]),
  ].join(", ");
}

/**
 * Why records were sent, in which fields changed ones differ, and how many vanished, a line each; empty if there is
 * nothing to say. Fields are foreign text.
 */
export function changesLines(changes: ReportChanges | undefined): readonly string[] {
  if (changes === undefined) return [];
  const { new: fresh, changed, unknown, again, vanished = 0 } = changes;
  const gone =
    vanished === 0 ? [] : [`vanished ${grouped(vanished)}: known, and not there any more`];
  if (fresh + changed + unknown + again === 0) return gone;
  const counts = [
    ...(fresh === 0 ? [] : [`new ${grouped(fresh)}`]),
    ...(changed === 0 ? [] : [`changed ${changedText(changes)}`]),
    ...(unknown === 0 ? [] : [`unknown ${grouped(unknown)}`]),
    ...(again === 0 ? [] : [`sent again ${grouped(again)}`]),
  ].join(", ");
  const fields = changes.fields.length === 0 ? [] : [`changed in ${fieldsText(changes)}`];
  return [counts, ...fields, ...gone];
}
