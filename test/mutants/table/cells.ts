import { planting, type Mutant } from "../mutant.ts";

const cellsTest = "test/connectors/postgres/cells.test.ts";
const tapTest = "test/connectors/postgres/rows/row-tap.test.ts";
const readTest = "test/connectors/postgres/read.test.ts";
const everyType = "hold what the rows hold, of every type";

const mutant = planting({ file: cellsTest, title: everyType });

const pageCells = "connectors/postgres/rows/page-cells.ts";
const tap = "connectors/postgres/rows/row-tap.ts";
const writers = "connectors/postgres/sql/value-bytes.ts";

/** Rows of Postgres that are corrupted between the server's bytes and their cells. */
export const mutantsOfCells: readonly Mutant[] = [
  mutant({
    id: "S700",
    plants: "a row that gets lost between the server and here is not missed",
    file: "connectors/postgres/rows/fetch-rows.ts",
    find: "if (came === sent) {",
    replace: "if (came <= sent) {",
    test: tapTest,
    title: "are counted: the last one that gets lost ends the read with an error",
  }),
  mutant({
    id: "S701",
    plants: "a message of which the head is cut is taken for another",
    file: tap,
    find: "this.#rest = at === bytes.length ? nothing : bytes.subarray(at);",
    replace: "this.#rest = nothing;",
    test: tapTest,
    title: "are the same however the bytes come, and pg gets the rest",
  }),
  mutant({
    id: "S702",
    plants: "a row with more bytes than its values is taken",
    file: pageCells,
    find: "if (at !== to) throw garbled();",
    replace: "",
    test: tapTest,
    title: "are refused where one does not hold as many bytes as it says: 99",
  }),
  mutant({
    id: "S703",
    plants: "a letter that is cut in two cells is sent as two halves",
    file: pageCells,
    find: "if (this.#isBroken || !isUtf8(this.bytes)) this.#leaveBroken();",
    replace: "if (!isUtf8(this.bytes)) this.#leaveBroken();",
    title: "are objects where what came is no UTF-8, because a query sets another encoding",
  }),
  mutant({
    id: "S704",
    plants: "null is an empty text",
    file: pageCells,
    find: "this.flags[cell] = length === -1 ? nullCell : 0;",
    replace: "this.flags[cell] = 0;",
  }),
  mutant({
    id: "S705",
    plants: "true is sent as t",
    file: writers,
    find: "boolean: writeBoolean,",
    replace: "boolean: copyOf,",
  }),
  mutant({
    id: "S706",
    plants: "a time has as many decimals as the server writes",
    file: writers,
    find: "index < fractionDigits; index += 1) out[next++] = zero;",
    replace: "index < 0; index += 1) out[next++] = zero;",
  }),
  mutant({
    id: "S707",
    plants: "NaN is sent as text",
    file: writers,
    find: "(sent.bytes[sent.to - 1] ?? 0) > nine ? -1 : copyOf(sent, out, at);",
    replace: "copyOf(sent, out, at);",
  }),
  mutant({
    id: "S708",
    plants: "a member of a value that cannot be given is empty",
    file: "src/mapping/bytes/bind.ts",
    find: "const outer = dot === -1 ? -1 : columns.indexOf(name.slice(0, dot));",
    replace: "const outer = dot === -1 ? -1 : columns.indexOf(name);",
    title: "reads as an object what looks into a value that is none",
  }),
  mutant({
    id: "S709",
    plants: "an array is sent as the server writes it",
    file: writers,
    find: "?? (() => -1);",
    replace: "?? copyOf;",
  }),
  mutant({
    id: "S710",
    plants: "a row too long to be copied is a row of nothing",
    file: pageCells,
    find: "this.flags.fill(otherCell, this.#cell, next);",
    replace: "this.flags.fill(nullCell, this.#cell, next);",
    title: "give a value of 2000000 bytes as the rows give it, where a line may have 1000000",
  }),
  mutant({
    id: "S711",
    plants: "cells have no more room than values that do not grow",
    file: writers,
    find: "export const grownBytesMax = 7;",
    replace: "export const grownBytesMax = 0;",
    title: "have room for values that all grow",
  }),
  mutant({
    id: "S712",
    plants: "blanks of a char(n) are letters of its value",
    file: writers,
    find: "while (end > from && bytes[end - 1] === space) end -= 1;",
    replace: "",
  }),
  mutant({
    id: "S713",
    plants: "a block of wide rows has no end",
    file: "connectors/postgres/client.ts",
    find: "if (rows.count >= 2 && rows.length >= blockBytesMax) return { isWhole: false, oids };",
    replace: "",
    test: readTest,
    title: "reads rows of many bytes with statements of fewer rows",
  }),
  mutant({
    id: "S714",
    plants: "two rows of one key are two rows",
    file: "connectors/postgres/read.ts",
    find: "if (rows.areEqual(row - 1, row, indices)) throw noKey(source);",
    replace: "",
    test: readTest,
    title: "refuses a query with two rows of one key",
  }),
  mutant({
    id: "S715",
    plants: "a letter outside ASCII in a char(n) keeps its case",
    file: pageCells,
    find: "for (let index = start; index < end; index += 1) seen |= out[index] ?? 0;",
    replace: "",
  }),
  mutant({
    id: "S1700",
    plants: "a key that is an array is taken apart where rows are asked for by their keys",
    file: "connectors/postgres/get.ts",
    find: "const lists = key.map((_, at) => `$${at + 1}::text[]`);",
    replace: "const lists = key.map(({ type }, at) => `$${at + 1}::text[]::${type}[]`);",
    test: "test/connectors/postgres/get.test.ts",
    title: "finds rows by keys that are arrays or rows themselves",
  }),
  mutant({
    id: "S1701",
    plants: "keys that are arrays are taken apart where neighbours are compared",
    file: "connectors/postgres/sql/statement.ts",
    find: "const lists = order.map((_, at) => `$${at + 1}::text[]`);",
    replace: "const lists = order.map(({ type }, at) => `$${at + 1}::text[]::${type}[]`);",
    test: readTest,
    title: "reads a query whose keys are lists, with equal items in one and in neighbours",
  }),
  mutant({
    id: "S1702",
    plants:
      "the isolation level of a session is the database's default, which a standby may refuse",
    file: "connectors/postgres/client.ts",
    find: "await this.query(`set ${isolation} = 'read committed'`);",
    replace: "",
    test: "test/connectors/postgres/client.test.ts",
    title:
      "reads lists with nothing in them, and not serializably, whatever the database is set to",
  }),
  mutant({
    id: "S1703",
    plants: "NULL within an array is a text where the database is set so",
    file: "connectors/postgres/client.ts",
    find: `  array_nulls: "on",\n`,
    replace: "",
    test: "test/connectors/postgres/client.test.ts",
    title:
      "reads lists with nothing in them, and not serializably, whatever the database is set to",
  }),
  mutant({
    id: "S1730",
    plants: "types are not known by their names where the role has all names quoted",
    file: "connectors/postgres/client.ts",
    find: `  quote_all_identifiers: "off",\n`,
    replace: "",
    test: "test/connectors/postgres/client.test.ts",
    title: "knows types by their bare names, whatever the role is set to",
  }),
  mutant({
    id: "S1736",
    plants: "what a key's type calls a mistake in its text ends the command that asks for the row",
    file: "connectors/postgres/get.ts",
    find: "const notOfType = /^(?:22|4260[12])/;",
    replace: "const notOfType = /^22/;",
    test: "test/connectors/postgres/get.test.ts",
    title: "finds no row by what a key's type calls a mistake in its text",
  }),
  mutant({
    id: "S1737",
    plants: "of a value that the server refuses nobody is told what to do",
    file: "src/postgres/errors.ts",
    find: `return state?.startsWith("22") === true ? ofValue : askPsql;`,
    replace: `return state?.startsWith("22") === true ? hint : askPsql;`,
    test: "test/src/postgres/errors.test.ts",
    title: "says what to do about select 1/0",
  }),
  mutant({
    id: "S1738",
    plants: "a role that has row_security off is told to be granted what it has",
    file: "src/postgres/errors.ts",
    find: "error.routine === hidesRows",
    replace: "error.constraint === hidesRows",
    test: "test/src/postgres/errors.test.ts",
    title: "names the setting where a role has no row hidden from it",
  }),
  mutant({
    id: "S716",
    plants: "the kit does not look at cells",
    file: "testing/subject.ts",
    find: "if (raw.cells !== undefined) mustTellTheRows(raw.cells, raw.rows);",
    replace: "",
    test: "test/testing/cells.test.ts",
    title: "are compared with the rows wherever a check reads",
  }),
  {
    id: "S717",
    plants: "a time of another zone is taken for one in UTC",
    edits: [
      {
        file: "connectors/postgres/sql/value-bytes.ts",
        find: "bytes.compare(utc, 0, utc.length, zone, to) === 0;",
        replace: "to - zone === utc.length && bytes[zone] === utc[0];",
      },
    ],
    test: {
      file: "test/connectors/postgres/sql/value-bytes.test.ts",
      title:
        "writes a timestamp with time zone as it is converted, and leaves one that is not in UTC to objects",
    },
  },
  {
    id: "S1761",
    plants: "texts of a column are read as those of the type that it had when the chunk began",
    edits: [
      {
        file: "connectors/postgres/read.ts",
        find: "oid !== oids[at]",
        replace: "oid < 0 && oids[at] === undefined",
      },
    ],
    test: {
      file: "test/connectors/postgres/altered.test.ts",
      title:
        "has rows read again that are altered between two blocks: alter v type boolean using v::boolean",
    },
  },
  {
    id: "S1762",
    plants:
      "a column that is dropped while a chunk is read ends the run as a mistake of the configuration",
    edits: [
      {
        file: "connectors/postgres/read.ts",
        find: "await isAltered(this.#session, this.#source)",
        replace: "await isAltered(this.#session, this.#source) && timeouts < 0",
      },
    ],
    test: {
      file: "test/connectors/postgres/altered.test.ts",
      title: "has rows read again that are altered between two blocks: drop w",
    },
  },
  {
    id: "S1763",
    plants:
      "behind a pooler in transaction mode other clients can write no more, and nobody is told",
    edits: [
      {
        file: "connectors/postgres/client.ts",
        find: 'if (textIn(row, "used") !== "") {',
        replace: "if (row === undefined) {",
      },
    ],
    test: {
      file: "test/connectors/postgres/pooled.prove.ts",
      title:
        "is refused in transaction mode, where others would have its settings, and gives them back",
    },
    whyProve: "it needs PgBouncer",
  },
];
