import type { FieldPlan, RecordPlan } from "./plan.ts";

/** Where a column is in a row. */
export type ColumnPlace = {
  /** -1 for no column. */
  readonly column: number;
  /** The column of a value that this may be a member of (`data` for `data.email`); -1 for none. */
  readonly outer: number;
};

/** A part of a template: text as JSON writes it between quotes, or a column. */
export type BoundPart = { readonly text: Buffer } | ColumnPlace;

/** A field's plan with the places of its columns in a row. */
export type BoundField = Omit<FieldPlan, "source"> &
  ColumnPlace & {
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
  /** Most bytes of a line besides the content of cells. */
  readonly bytesMax: number;
  /** How often a line reads a cell; each may be the longest. */
  readonly reads: number;
};

/** Text as JSON writes it, without the quotes. */
function innerJson(text: string): Buffer {
  return Buffer.from(JSON.stringify(text).slice(1, -1));
}

const noPlace: ColumnPlace = { column: -1, outer: -1 };

function placeOf(name: string, columns: readonly string[]): ColumnPlace {
  const dot = name.indexOf(".");
  const outer = dot === -1 ? -1 : columns.indexOf(name.slice(0, dot));
  return { column: columns.indexOf(name), outer };
}

function bindField(field: FieldPlan, columns: readonly string[]): BoundField {
  const { source, ...rest } = field;
  const constant = "constant" in source ? source.constant : undefined;
  const template =
    "template" in source
      ? source.template.map((part) =>
          "text" in part ? { text: innerJson(part.text) } : placeOf(part.column, columns),
        )
      : undefined;
  const place = "column" in source ? placeOf(source.column, columns) : noPlace;
  return { ...rest, ...place, constant, template };
}

function bytesOf({ member, constant, whenEmpty, template }: BoundField): number {
  const texts = (template ?? []).map((part) => ("text" in part ? part.text.length : 0));
  const fixed = (constant?.length ?? 0) + (whenEmpty instanceof Buffer ? whenEmpty.length : 0);
  // Two quotes around the content of cells, or null.
  return texts.reduce((sum, bytes) => sum + bytes, member.length + fixed + 4);
}

/** Finds the columns of a plan; a missing column is empty in every row, as it is for objects. */
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
