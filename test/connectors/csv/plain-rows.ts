import * as fc from "fast-check";

import { checkMapping } from "../../../src/mapping/check-mapping.ts";
import { coercionNames } from "../../../src/mapping/coerce.ts";
import { recordMappingSchema, type FieldRule } from "../../../src/mapping/schema.ts";
import type { Stream } from "../../../src/records/streams.ts";

/** Values that the kinds of fields accept, nearly accept, or change. */
export const values = [
  ..."0 7 -3 +5 007 -0 999999999999999 9007199254740993 1.0 1.50 0.10 -0.5 0.000001 0.0000001 1e3 .5 5.".split(
    " ",
  ),
  ..."true TRUE False yes n t 1 ja".split(" "),
  ..."2024-02-29 2023-02-29 0000-01-01 2024-13-01 2024-00-01 2024-1-1 2024-12-31".split(" "),
  ..."2024-04-31 2024-07-31 2024-08-31 2024-09-31".split(" "),
  ..."2024-01-01T00:00:00Z 2024-01-01T00:00:00.123456789Z 2024-01-01T00:00:00.1234567890Z".split(
    " ",
  ),
  ..."2024-01-01T24:00:00Z 2024-01-01T00:00:60Z 2024-01-01T00:00:00+02:00 2024-01-01T00:00:00.Z".split(
    " ",
  ),
  ..."2024-01-01T00:00Z 2024-01-01t00:00:00z 2024-01-01T00:00:00".split(" "),
  ..."a.example A.Example www.a.example a--b.example xn--bcher-kva.example a_b.example -a.example".split(
    " ",
  ),
  ..."a-.example example a.b1 1.2.3.4 https://www.a.example/x a.example. a..example a.co bücher.example".split(
    " ",
  ),
  ...'me@a.example Me@A.example @a.example me@ me+x@a.example m@e@a.example "me"@a.example me@www.a.example'.split(
    " ",
  ),
  `${"a".repeat(63)}.example`,
  `${"a".repeat(64)}.example`,
  `${"ab.".repeat(82)}example`,
  `${"ab.".repeat(84)}example`,
  `${"a".repeat(64)}@a.example`,
  `${"a".repeat(65)}@a.example`,
  "two\nlines",
  "a\r\nb",
  'say "hi"',
  '""',
  "back\\slash",
  "tab\there",
  "\u0001\u001f\u007f",
  // Characters to escape at each of 16 byte positions and around their ends.
  `${"x".repeat(15)}"${"y".repeat(15)}\n`,
  `"${"x".repeat(16)}\\\\${"y".repeat(14)}\b\f`,
  " padded ",
  "\u00a0wide\u00a0",
  "\u3000wide\u3000",
  "\ufeffmark",
  "\u00a0lead",
  "trail\u00a0",
  "\u3000lead.example",
  "trail.example\u3000",
  "\u2003a\u2003",
  "\u1680a\u205f",
  "東京",
  "Straße",
  "ÀÉ",
  "😀",
  "\u2028",
  " ",
  "a,b;c",
  "x".repeat(300),
];

/** The columns of the rows. */
export const columns = ["id", "site", "name", "constructor", "a.b", "10", "2", "more"];

const cell = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...values) },
  { weight: 1, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
);

/** A row that usually becomes a record, and surprising values. */
export const row = fc.tuple(
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom("k1", "k2", "käse", 'k"3') }, cell),
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom("a.example", "b.example") }, cell),
  ...columns.slice(2).map(() => cell),
);

/** A mapping that `sluice.yaml` may hold, which reads these columns and uses these templates. */
export function mappingOf(
  names: readonly string[],
  templates: readonly string[],
): fc.Arbitrary<{ readonly stream: Stream; readonly mapping: unknown }> {
  const column = fc.constantFrom(...names);

  const rule = fc
    .record(
      {
        source: fc.oneof(
          { weight: 6, arbitrary: column.map((name) => ({ column: name })) },
          {
            weight: 1,
            arbitrary: fc.constantFrom(...templates).map((template) => ({ template })),
          },
          {
            weight: 1,
            arbitrary: fc
              .constantFrom<unknown>("text", 5, true, [1], "7")
              .map((value) => ({ value })),
          },
        ),
        as: fc.constantFrom(...coercionNames),
        trim: fc.boolean(),
        lowercase: fc.boolean(),
        whenEmpty: fc.constantFrom<object>(
          { required: true },
          { empty: "keep" },
          { empty: "null" },
          { empty: "omit" },
          { default: "none" },
          { default: 5 },
        ),
        on_invalid: fc.constantFrom("omit", "reject"),
      },
      { requiredKeys: ["source"] },
    )
    .map(({ source, whenEmpty, ...rest }) => ({ ...source, ...whenEmpty, ...rest }));

  const field = fc.oneof(column, rule);

  const properties = fc.dictionary(
    fc.constantFrom("name", "2", "10", "é", 'q"', "a.b", "x1", "x2", "x3"),
    field,
    { maxKeys: 8 },
  );

  const key = fc.oneof({ weight: 5, arbitrary: fc.constant("id") }, field);
  const site = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom("site", { column: "site", as: "domain" }) },
    field,
  );

  const mappings: readonly fc.Arbitrary<{ readonly stream: Stream; readonly mapping: unknown }>[] =
    [
      fc
        .record({ account_id: key, domain: site, account_properties: properties })
        .map((mapping) => ({ stream: "account", mapping })),
      fc
        .record({ contact_id: key, email: field, contact_properties: properties })
        .map((mapping) => ({ stream: "contact", mapping })),
      fc
        .record({
          event_id: key,
          account_id: field,
          event: fc.oneof(site, fc.constant({ value: "signup" })),
          event_timestamp: fc.oneof(
            column,
            column.map((name): FieldRule => ({ column: name, as: "datetime" })),
          ),
          event_properties: properties,
        })
        .map((mapping) => ({ stream: "account_event", mapping })),
    ];

  return fc.oneof(...mappings).filter(({ stream, mapping: from }) => {
    const parsed = recordMappingSchema.safeParse(from);
    return parsed.success && checkMapping(parsed.data, stream).length === 0;
  });
}

/** A mapping of the columns. */
export const mapping = mappingOf(
  [...columns, "absent", "absent.member"],
  ["{id}", "{id}-{name}", 'say "{{{more}}}"\n', "{absent}", "x{id}{id}"],
);

/** How a file is written. */
export type Written = {
  /** How a line ends. */
  readonly end: string;
  /** Whether cells are quoted without need. */
  readonly quotesAll: boolean;
  readonly quote: string;
  readonly delimiter: string;
};

/** Rows as the text of a file. */
export function csvOf(
  rows: readonly (readonly string[])[],
  { end, quotesAll, quote, delimiter }: Written,
): string {
  const written = (text: string): string =>
    quotesAll || text.includes(quote) || /[\r\n]/.test(text) || text.includes(delimiter)
      ? `${quote}${text.replaceAll(quote, quote + quote)}${quote}`
      : text;
  return rows.map((cells) => `${cells.map(written).join(delimiter)}${end}`).join("");
}

/** What a file may hold in place of a cell without being one. */
const odd = fc.constantFrom(
  "\r",
  "\0",
  '"',
  '""',
  ',"',
  '"x"y',
  'x"y"',
  '"a\rb"',
  '"a\nb"',
  ",",
  "\n",
  "\r\n",
  "\n\n",
  "\ufeff",
);

/** A cell as it is written, or what is in its place: few are odd. */
const rawCell = fc
  .tuple(
    fc.constantFrom(...values.filter((value) => !/["\r\n,]/.test(value))),
    fc.oneof({ weight: 60, arbitrary: fc.constant("") }, { weight: 1, arbitrary: odd }),
    fc.boolean(),
  )
  .map(([value, fault, isFirst]) => (isFirst ? `${fault}${value}` : `${value}${fault}`));

const rawRow = fc
  .tuple(
    fc.constantFrom("k1", "k2", "käse", '"k""3"'),
    fc.constantFrom("a.example", '"b.example"'),
    fc.array(rawCell, { minLength: columns.length - 2, maxLength: columns.length - 2 }),
    fc.oneof(
      { weight: 12, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.constantFrom(-1, 1) },
    ),
  )
  .map(([id, site, cells, more]) => [
    id,
    site,
    ...(more < 0 ? cells.slice(1) : cells),
    ...(more > 0 ? ["more"] : []),
  ]);

/** The bytes of a malformed CSV file: bare CR, NUL, quotes anywhere, ragged rows, invalid UTF-8. */
export const rawFile = fc
  .record({
    rows: fc.array(rawRow, { maxLength: 9 }),
    end: fc.constantFrom("\n", "\r\n"),
    isWhole: fc.boolean(),
    badAt: fc.oneof(
      { weight: 6, arbitrary: fc.constant(-1) },
      { weight: 1, arbitrary: fc.nat(500) },
    ),
  })
  .map(({ rows, end, isWhole, badAt }) => {
    const bytes = Buffer.from(
      `${rows.map((cells) => cells.join()).join(end)}${isWhole ? end : ""}`,
    );
    if (badAt !== -1 && bytes.length > 0) bytes[badAt % bytes.length] = 0xe4;
    return bytes;
  });
