// Writes companies.csv and companies-small.csv, the same bytes every time:
//
//   node examples/csv-to-accounts/make-companies.ts
//
// The order of the calls to the random generator is the content: moving one call changes every row after it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { quoted, randomFrom, type Random } from "./random.ts";

/** A row that the sync must refuse. */
export type BrokenRow = {
  /** Line of the row's first byte; the header is line 1. */
  readonly line: number;
  readonly why: string;
};

/** A file of made-up companies. */
export type CompanyFile = {
  readonly text: string;
  readonly broken: readonly BrokenRow[];
};

type Column = (typeof columns)[number];
type Company = Record<Column, string>;

const columns = [
  "id",
  "company_name",
  "website",
  "industry",
  "headcount",
  "country",
  "city",
  "founded",
  "annual_revenue",
  "about",
] as const;

const syllables =
  "bra cel dor eks fen gal hol ira jun kel lum mer nor ost pel quin ros sel tor ulm vex wil yar zan".split(
    " ",
  );
const kinds = ["Werke", "Foods", "& Sons", "Logistics", "Studio", "Labs", "Energie", "Ltd", "", ""];
const accented = [
  "Åker",
  "Brão",
  "Çelik",
  "Łuna",
  "Ñora",
  "Über",
  "Žito",
  "ひかり",
  "Ωmega",
  "Søren",
];
const industries = [
  "Software",
  "Food & Beverages",
  "Transportation, Logistics",
  "Retail",
  "Energy",
];
const places = [
  ["Germany", "München"],
  ["France", "Besançon"],
  ["Poland", "Łódź"],
  ["Japan", "東京"],
  ["Brazil", "São Paulo"],
  ["United States", "Austin, TX"],
  ["Côte d’Ivoire", "Abidjan"],
] as const;
const trades = ["pumps", "tea", "maps", "ropes", "lenses", "ferries", "clocks", "paper", "seeds"];

type Fault = {
  readonly why: string;
  /** The row as it is in the file; `first` is the file's first company. */
  line(company: Company, first: Company): string;
};

const changed = (changes: Partial<Company>): Fault["line"] => {
  return (company) => lineOf({ ...company, ...changes });
};

/** The broken rows, in their order; they are 850 rows apart, from the 401st row on. */
const faults: readonly Fault[] = [
  { why: "too few fields", line: (company) => lineOf(company, columns.slice(0, 3)) },
  { why: "too many fields", line: (company) => `${lineOf(company)},one more,and another` },
  { why: "no website", line: changed({ website: "" }) },
  { why: "a website that says “n/a”", line: changed({ website: "n/a" }) },
  { why: "an IP address as website", line: changed({ website: "192.0.2.17" }) },
  { why: "a single label as website", line: changed({ website: "http://intranet" }) },
  { why: "a website without a host", line: changed({ website: "https://" }) },
  { why: "no id", line: changed({ id: "" }) },
  { why: "the id of the first row", line: (company, { id }) => lineOf({ ...company, id }) },
  { why: "the id of the first row again", line: (company, { id }) => lineOf({ ...company, id }) },
  { why: "a headcount in words", line: changed({ headcount: "about 40" }) },
  { why: "half a person", line: changed({ headcount: "12.5" }) },
  { why: "a day that does not exist", line: changed({ founded: "2019-02-30" }) },
  { why: "a revenue in words", line: changed({ annual_revenue: "2 million" }) },
];

const firstFaultAt = 400;
const faultEvery = 850;

/** 12,000 rows, some of them broken: more than one lightweight body holds. */
export function makeCompanies(): CompanyFile {
  return makeFile({ rows: 12_000, seed: 1, firstId: 1, faults });
}

/** 300 rows, all good: they fit one lightweight body. */
export function makeFewCompanies(): CompanyFile {
  return makeFile({ rows: 300, seed: 2, firstId: 900_001, faults: [] });
}

type Wanted = {
  readonly rows: number;
  readonly seed: number;
  readonly firstId: number;
  readonly faults: readonly Fault[];
};

function makeFile(wanted: Wanted): CompanyFile {
  const random = randomFrom(wanted.seed);
  const broken: BrokenRow[] = [];
  let first: Company | undefined;
  let text = `${columns.join(",")}\n`;
  let line = 2;
  for (let row = 0; row < wanted.rows; row++) {
    const company = makeCompany(random, wanted.firstId + row);
    first ??= company;
    const fault = wanted.faults[(row - firstFaultAt) / faultEvery];
    if (fault !== undefined) broken.push({ line, why: fault.why });
    const written = fault === undefined ? lineOf(company) : fault.line(company, first);
    text += `${written}\n`;
    line += written.split("\n").length;
  }
  return { text, broken };
}

function makeCompany(random: Random, id: number): Company {
  const word = random.pick(syllables) + random.pick(syllables) + random.pick(syllables);
  const [country, city] = random.pick(places);
  return {
    // Leading zeros count: an id is text.
    id: String(id).padStart(7, "0"),
    company_name: makeName(random, word),
    website: makeWebsite(random, `${word}-${id}.example`),
    industry: random.pick(industries),
    headcount: random.chance(0.1) ? "" : String(2 + random.below(random.pick([30, 300, 9_000]))),
    country,
    city,
    founded: random.chance(0.3) ? "" : makeDate(random),
    annual_revenue: random.chance(0.4) ? "" : `${random.below(90_000)}.${random.below(10)}`,
    about: makeAbout(random),
  };
}

function makeName(random: Random, word: string): string {
  const capital = word.charAt(0).toUpperCase() + word.slice(1);
  const kind = random.pick(kinds);
  if (random.chance(0.05)) return `${random.pick(accented)} ${capital}`;
  if (random.chance(0.02)) return `${capital} "${random.pick(trades)}" ${kind}`.trim();
  return `${capital}${random.chance(0.1) && kind !== "" ? ", " : " "}${kind}`.trim();
}

/** The ways in which people write down a domain. */
function makeWebsite(random: Random, domain: string): string {
  const forms = [
    `https://www.${domain}`,
    `http://${domain}/about?lang=en`,
    `https://${domain}:8443/`,
    domain,
    ` WWW.${domain.toUpperCase()} `,
    `info@${domain}`,
    `https://bücher-${domain}`,
  ];
  return random.pick(forms);
}

function makeDate(random: Random): string {
  return new Date(Date.UTC(1950, 0, 1 + random.below(27_000))).toISOString().slice(0, 10);
}

function makeAbout(random: Random): string {
  if (random.chance(0.5)) return "";
  const [first, second] = [random.pick(trades), random.pick(trades)];
  if (random.chance(0.1)) return `Known for "${first}", and for ${second} too.`;
  if (random.chance(0.1)) return `Sells ${first}.\nRepairs ${second}.\n`;
  return `Makes ${first}, ${second} and more.`;
}

function lineOf(company: Company, shown: readonly Column[] = columns): string {
  return shown.map((column) => quoted(company[column])).join(",");
}

if (import.meta.main) {
  const { text, broken } = makeCompanies();
  writeFileSync(join(import.meta.dirname, "companies.csv"), text);
  writeFileSync(join(import.meta.dirname, "companies-small.csv"), makeFewCompanies().text);
  for (const { line, why } of broken) console.log(`| ${line} | ${why} |`);
}
