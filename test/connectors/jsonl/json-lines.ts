import * as fc from "fast-check";

import { mappingOf, values } from "../csv/plain-rows.ts";

/** A mapping that reads the members of the rows, and their members. */
export const mapping = mappingOf(
  "id site name a a.b a.b.c a.0 __proto__ constructor .x absent é".split(" "),
  ["{id}", "{id}-{name}", "{a.b}", "x{a}{a.0}", "{absent}", "{name} {constructor}"],
);

const names = ["id", "site", "name", "a", "a.b", "__proto__", "constructor", "", "é", "more"];

const numberTokens =
  "0 -0 5 -3 1.0 1.50 0.10 -0.5 -0.0 100 1e3 1E+2 1.0e-1 1e400 0.000001 0.0000001 0.1234567 12345678901.5 " +
  "999999999999999 9007199254740993 -9007199254740991 123456789012345678 0.1234567890123456789";

/** Texts that are not JSON. */
const broken = [
  ..."tru nul falsey 01 -01 +5 .5 5. 1e 1e+ - -- 1.e5 NaN 'x' {,} [1,] [1;2] [,1] {a:1} [ {".split(
    " ",
  ),
  '{"a":}',
  '{"a"}',
  '{"a":1,}',
  "[1 2]",
  '"a',
  '"\\x"',
  '"\\u12g4"',
  '"\\u12"',
  '"\u0001"',
  '"tab\there"',
  "",
];

const nested = [
  '{"b":"x@a.example"}',
  '{"b":{"c":7},"0":"zero"}',
  '[1,"a.example",{"b":null}]',
  '{"b":1,"b":2}',
  '{"b" : 9007199254740993 , "c":[ ] }',
  "{}",
  "[ ]",
  `${"[".repeat(31)}${"]".repeat(31)}`,
  `${"[".repeat(40)}${"]".repeat(40)}`,
  `{"b":${'{"c":'.repeat(31)}1${"}".repeat(31)}}`,
  '[true,false,null,-1.5e3,"\\u0041"]',
];

/** A text as JSON, sometimes with unnecessary escapes. */
const text = fc
  .tuple(
    fc.oneof(fc.constantFrom(...values), fc.string({ unit: "grapheme", maxLength: 8 })),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([value, how]) => {
    const json = JSON.stringify(value);
    if (how === 0) return json.replaceAll("a", "\\u0061");
    return how === 1 ? json.replaceAll(".", "\\u002E").replaceAll("/", "\\/") : json;
  });

const value = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 3, arbitrary: fc.constantFrom(...numberTokens.split(" ")) },
  { weight: 2, arbitrary: fc.constantFrom("true", "false", "null", '""', '" "') },
  { weight: 1, arbitrary: fc.constantFrom(...nested) },
);

const blank = fc.oneof(
  { weight: 12, arbitrary: fc.constant("") },
  { weight: 3, arbitrary: fc.constantFrom(" ", "\t", " \r ") },
);

const key = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...names).map((name) => JSON.stringify(name)) },
  { weight: 1, arbitrary: fc.constantFrom('"\\u0069d"', '"n\\u0061me"', '"new"', '"na', "name") },
);

type Member = { readonly key: string; readonly value: string };

const member: fc.Arbitrary<Member> = fc.record({ key, value });

/** Members that usually make a record, in any order; a few occur twice. */
const members = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: fc.constantFrom('"k1"', '"käse"', '"k\\"3"', "7") }, value),
    fc.oneof({ weight: 5, arbitrary: fc.constantFrom('"a.example"', '"b.example"') }, value),
    fc.uniqueArray(member, { maxLength: 6, selector: (one) => one.key }),
    fc.array(member, { maxLength: 1 }),
    fc.boolean(),
  )
  .chain(([id, site, others, further, isOrdered]) => {
    const fixed = [
      { key: '"id"', value: id },
      { key: '"site"', value: site },
    ].filter((one) => !others.some((other) => other.key === one.key));
    const all = [...fixed, ...others, ...(others.length > 4 ? further : [])];
    return isOrdered
      ? fc.constant(all)
      : fc.shuffledSubarray(all, { minLength: Math.max(0, all.length - 1) });
  });

const object = fc
  .tuple(members, fc.array(blank, { minLength: 4, maxLength: 4 }))
  .map(
    ([all, [first = "", second = "", third = "", last = ""]]) =>
      `${first}{${all
        .map((one) => `${second}${one.key}${third}:${first}${one.value}${last}`)
        .join(",")}${third}}${last}`,
  );

/** An object that is invalid JSON in one place. */
const spoilt = fc
  .tuple(object, fc.constantFrom(...broken, "\v", "\u00a0", "\u2028"), fc.nat(200))
  .map(([json, fault, at]) => {
    const place = at % (json.length + 1);
    return `${json.slice(0, place)}${fault}${json.slice(place)}`;
  });

const broke = fc
  .tuple(object, fc.constantFrom(...broken))
  .map(([json, fault]) => json.replace(/\{/, `{"a":${fault},`));

/** A line of a file: most are objects. */
const line = fc.oneof(
  { weight: 12, arbitrary: object },
  { weight: 1, arbitrary: spoilt },
  { weight: 1, arbitrary: broke },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      " \t",
      "\u00a0",
      "[1]",
      '"x"',
      "null",
      "5",
      "{}",
      "{} {}",
      "{}x",
      "{",
      "\ufeff{}",
    ),
  },
);

/** The bytes of a file: a few lines are not UTF-8, and the last one may lack its end. */
export const file = fc
  .record({
    lines: fc.array(line, { maxLength: 9 }),
    end: fc.constantFrom("\n", "\r\n"),
    hasMark: fc.boolean(),
    isWhole: fc.boolean(),
    badAt: fc.oneof(
      { weight: 6, arbitrary: fc.constant(-1) },
      { weight: 1, arbitrary: fc.nat(500) },
    ),
  })
  .map(({ lines, end, hasMark, isWhole, badAt }) => {
    const json = `${hasMark ? "\ufeff" : ""}${lines.join(end)}${isWhole ? end : ""}`;
    const bytes = Buffer.from(json);
    if (badAt !== -1 && bytes.length > 0) bytes[badAt % bytes.length] = 0xe4;
    return bytes;
  });

/** Every value as the member `a` of a row that has a key, and everything that is not JSON as the end of such a row. */
export const everyValue = [
  ...numberTokens.split(" "),
  ...values.map((one) => JSON.stringify(one)),
  "true",
  "false",
  "null",
  '""',
  '" "',
  '"\\u0061.example"',
  '"\\/"',
  "\u00a0",
  "1\t",
  "\v1",
  ...nested,
  ...broken,
].map((one, index) => `{"id":"k${index}","site":"a.example","a":${one}}`);
