import type { FieldPlan, RecordPlan } from "./plan.ts";

/** A part of a template: text as JSON writes it between quotes, or the place of a column; -1 is of none. */
export type BoundPart = { readonly text: Buffer } | { readonly column: number };

/** A field's plan with the places of its columns in a row. */
export type BoundField = Omit<FieldPlan, "source"> & {
  /** -1 is of no column: the field is always empty, or a constant, or a template. */
  readonly column: number;
  /** Whether it reads a member of a column's value, which only an object can look into. */
  readonly isMember: boolean;
  readonly constant: Buffer | undefined;
  readonly template: readonly BoundPart[] | undefined;
};

/** A plan for the rows of certain columns. */
export type BoundPlan = {
  readonly head: Buffer;
  readonly texts: readonly BoundField[];
  /** The place of the key among `texts`. */
  readonly key: number;
  readonly middle: Buffer;
  readonly properties: readonly BoundField[];
  /** Bytes of a line besides what comes from cells, at most. */
  readonly bytesMax: number;
  /** How often a line reads a cell; each may be the longest. */
  readonly reads: number;
};

/** Text as JSON writes it, without the quotes. */
function innerJson(text: string): Buffer {
  return Buffer.from(JSON.stringify(text).slice(1, -1));
}

function bindField(field: FieldPlan, columns: readonly string[]): BoundField {
  const { source, ...rest } = field;
  const constant = "constant" in source ? source.constant : undefined;
  const template =
    "template" in source
      ? source.template.map((part) =>
          "text" in part
            ? { text: innerJson(part.text) }
            : { column: columns.indexOf(part.column) },
        )
      : undefined;
  const column = "column" in source ? columns.indexOf(source.column) : -1;
  const names = columnsOf(source);
  const isMember = names.some((name) => isMemberOf(name, columns));
  return { ...rest, column, isMember, constant, template };
}

function columnsOf(source: FieldPlan["source"]): readonly string[] {
  if ("column" in source) return [source.column];
  if (!("template" in source)) return [];
  return source.template.flatMap((part) => ("column" in part ? [part.column] : []));
}

/** Whether a name with dots is no column, while what stands before its first dot is one. */
function isMemberOf(name: string, columns: readonly string[]): boolean {
  const [first = "", ...steps] = name.split(".");
  return steps.length > 0 && !columns.includes(name) && columns.includes(first);
}

function bytesOf({ member, constant, whenEmpty, template }: BoundField): number {
  const texts = (template ?? []).map((part) => ("text" in part ? part.text.length : 0));
  const fixed = (constant?.length ?? 0) + (whenEmpty instanceof Buffer ? whenEmpty.length : 0);
  // Two quotes around what comes from cells.
  return texts.reduce((sum, bytes) => sum + bytes, member.length + fixed + 2);
}

/** Finds the columns of a plan; one that is not there is empty in every row, as it is for objects. */
export function bindPlan(plan: RecordPlan, columns: readonly string[]): BoundPlan {
  const texts = plan.texts.map((field) => bindField(field, columns));
  const properties = plan.properties.map((field) => bindField(field, columns));
  const { head, middle, key } = plan;
  const fields = [...texts, ...properties];
  // Two braces and a line end.
  const fixed = head.length + middle.length + 3;
  const bytesMax = fields.reduce((sum, field) => sum + bytesOf(field), fixed);
  const reads = fields.reduce((sum, { template }) => sum + (template?.length ?? 1), 0);
  return { head, texts, key, middle, properties, bytesMax, reads };
}
