import { rowsOf, type CsvCase } from "./csv-cases-make.ts";

/** A file, its configuration, and what it then holds. */
type Dialect = {
  readonly what: string;
  readonly text: string;
  readonly config?: CsvCase["config"];
  readonly columns: readonly string[];
  readonly cells: readonly (readonly string[])[];
  readonly also?: Partial<CsvCase>;
};

const dialects: readonly Dialect[] = [
  {
    what: "commas inside quotes, more than there are semicolons between them",
    text: '"a,b,c,d";e\n1;2\n3,4;5\n',
    columns: ["a,b,c,d", "e"],
    cells: [
      ["1", "2"],
      ["3,4", "5"],
    ],
    also: { findings: [{ name: "a.csv", detail: '2 columns, delimiter ";", utf-8, 22 bytes' }] },
  },
  {
    what: "tabs, more of them than commas, behind blank lines",
    text: "\r\n\nid\ta,b\tc\n1\t2\t3\n",
    columns: ["id", "a,b", "c"],
    cells: [["1", "2", "3"]],
    also: { places: { "line 5": 1, "line 6": false } },
  },
  {
    what: "bars",
    text: "id|a;b|c\n1|2;,;|3\n",
    columns: ["id", "a;b", "c"],
    cells: [["1", "2;,;", "3"]],
  },
  {
    what: "as many commas as semicolons",
    text: "a,b;c\n1,2;3\n",
    columns: ["a", "b;c"],
    cells: [["1", "2;3"]],
  },
  {
    what: "no header line, and a delimiter that gives the columns that are named",
    text: '1;a,b,c\n2;"x"\n\n3;y;',
    config: { columns: ["id", "word"] },
    columns: ["id", "word"],
    cells: [
      ["1", "a,b,c"],
      ["2", "x"],
    ],
    also: {
      rejects: [
        { where: "a.csv:4", code: "ragged_row", reason: "expected 2 fields, got 3", row: "3;y;" },
      ],
      places: { "byte 0": 0, "byte 1": 1, "line 3": 2 },
    },
  },
  {
    what: "no header line, and none of the delimiters that gives the columns that are named",
    text: "1|2|3|4\n",
    config: { columns: ["a", "b", "c"], header: false },
    columns: ["a", "b", "c"],
    cells: [],
    also: { rejects: [{ where: "a.csv:1", code: "ragged_row", row: "1|2|3|4" }] },
  },
  {
    what: "one column, named in the configuration",
    text: '\na,b\n""\n\n"c"\n',
    config: { columns: ["x"], delimiter: ";" },
    columns: ["x"],
    cells: [["a,b"], [""], ["c"]],
    also: { places: { "line 2": 0 } },
  },
  {
    what: "one column, and a last row without an end",
    text: 'name\nAda\n""\n"x',
    config: { quote: false },
    columns: ["name"],
    cells: [["Ada"], ['""'], ['"x']],
    also: {
      discoveries: [
        { name: "a.csv", from: {}, columns: [{ name: "name", type: "string" }], key: [] },
      ],
    },
  },
  {
    what: "quotes that mean nothing",
    text: '"x;y;z",w\n"1;2"3;4\n',
    config: { quote: false },
    columns: ['"x', "y", 'z",w'],
    cells: [['"1', '2"3', "4"]],
  },
  {
    what: "another quote, and another delimiter",
    text: "id/'it''s'\n'1'/'a''/''b'\n2/\"x\"\n",
    config: { quote: "'", delimiter: "/" },
    columns: ["id", "it's"],
    cells: [
      ["1", "a'/'b"],
      ["2", '"x"'],
    ],
  },
  {
    what: "tabs by their word, and blanks as cells",
    text: 'id\tword\n1\t \n \t"\t"\n',
    config: { delimiter: "tab" },
    columns: ["id", "word"],
    cells: [
      ["1", " "],
      [" ", "\t"],
    ],
  },
  {
    what: "tabs by their escape, and a header that holds commas",
    text: "id\ta,b\n1\t2\n",
    config: { delimiter: "\\t", header: true },
    columns: ["id", "a,b"],
    cells: [["1", "2"]],
  },
  {
    what: "spaces as delimiters",
    text: "id word\n1 a\n2 \n  \n",
    config: { delimiter: " " },
    columns: ["id", "word"],
    cells: [
      ["1", "a"],
      ["2", ""],
    ],
    also: { rejects: [{ where: "a.csv:4", code: "ragged_row", row: "  " }] },
  },
  {
    what: "one quoted name that holds a delimiter",
    text: '"a;b"\n1\n',
    config: { delimiter: "," },
    columns: ["a;b"],
    cells: [["1"]],
  },
  {
    what: "two names, one of which holds another delimiter",
    text: "a;b,c\n1,2\n",
    config: { delimiter: "," },
    columns: ["a;b", "c"],
    cells: [["1", "2"]],
  },
  {
    what: "everything quoted, with line breaks of three kinds and quotes in quotes",
    text: '"id","a\nb"\r\n"1","""x"""\r\n"2","a\r\nb"\r"3","\r"\n"4",""""\r\n"5","\n\n"\r\n"6",""\r\n"7","a"\r\n',
    columns: ["id", "a\nb"],
    cells: [
      ["1", '"x"'],
      ["2", "a\r\nb"],
      ["3", "\r"],
      ["4", '"'],
      ["5", "\n\n"],
      ["6", ""],
      ["7", "a"],
    ],
    also: {
      isUncut: false,
      places: { "line 6": 2, "line 7": 3, "line 12": 5, "line 14": 7, "line 15": false },
    },
  },
  {
    what: "lone CRs, blank lines, and a last cell that is empty",
    text: "\rid,a\r\r1,x\r\r\r2,",
    columns: ["id", "a"],
    cells: [
      ["1", "x"],
      ["2", ""],
    ],
    also: {
      isUncut: false,
      logs: ['blank lines were passed over {"file":"a.csv","lines":3}'],
      places: { "line 5": 1, "line 7": 1, "line 8": 2, "line 9": false },
    },
  },
  {
    what: "a header line and nothing else",
    text: "id,a",
    columns: ["id", "a"],
    cells: [],
    also: {
      logs: [],
      places: { "line 1": 0, "line 2": 0, "line 3": false },
      discoveries: [
        {
          name: "a.csv",
          from: {},
          columns: [
            { name: "id", type: "string" },
            { name: "a", type: "string" },
          ],
          key: ["id"],
        },
      ],
    },
  },
];

/** Files that differ in how they are written: the characters between cells, around them, and at the end of lines. */
export const dialectCases: readonly CsvCase[] = [
  ...dialects.map(({ what, text, config, columns, cells, also }) => ({
    what,
    isUncut: true,
    files: { "a.csv": text },
    ...(config && { config }),
    columns,
    rows: rowsOf(columns, ...cells),
    cells: cells.flat().length,
    ...also,
  })),
  {
    what: "columns that are called as members of every object are",
    files: { "a.csv": "__proto__,constructor,toString\n1,2,3\n" },
    columns: ["__proto__", "constructor", "toString"],
    rows: [{ ["__proto__"]: "1", constructor: "2", toString: "3" }],
  },
];
