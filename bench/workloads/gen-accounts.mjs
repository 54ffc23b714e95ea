// Deterministic CSV of made-up company accounts, for benchmarks and differential tests.
//
//   node bench/workloads/gen-accounts.mjs --rows 485208 --seed 12345 --out accounts.csv
//
// The same rows and seed give the same bytes on Node 20 and Node 24; a longer file starts with the
// whole of a shorter one. UTF-8, LF line ends, one header line, RFC 4180 quoting where it is needed.
// The order of the calls to the random generator IS the file format: moving one call changes every
// row after it and with it every checksum in README.md.
import fs from "node:fs";
import { parseArgs } from "node:util";

const COLUMNS = (
  "id domain name industry employees country city founded_year annual_revenue funding_stage phone owner_email " +
  "description updated_at"
).split(" ");

const WORD_COUNT = 6000;
const FLUSH_BYTES = 8 * 1024 * 1024;
const FIRST_UPDATE_MS = Date.UTC(2024, 0, 1);
const UPDATE_SPAN_SECONDS = 2 * 365 * 24 * 3600;

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SYLLABLES = (
  "ba be bi bo bu ca ce ci co cu da de di do du fa fe fi fo ga ge gi go ha he hi ho ja jo ka ke ki ko " +
  "la le li lo lu ma me mi mo mu na ne ni no nu pa pe pi po qua ra re ri ro ru sa se si so su ta te ti to tu " +
  "va ve vi vo wa we wi xa xe ya yo za ze zo lex tron nex core byte data sys net soft logic vent gen med bio " +
  "agri fin cap trans port metal graph stream cloud stone wood field bridge north south bright clear"
).split(" ");
const SUFFIXES = [
  "Inc",
  "LLC",
  "Ltd",
  "GmbH",
  "S.A.",
  "Corp",
  "Group",
  "Holdings",
  "Technologies",
  "Solutions",
  "Systems",
  "Labs",
  "Partners",
  "& Co",
  "AG",
  "Pty Ltd",
  "SARL",
  "B.V.",
  "",
  "",
];
const INDUSTRIES = [
  "Computer Software",
  "Information Technology & Services",
  "Financial Services",
  "Hospital & Health Care",
  "Marketing & Advertising",
  "Construction",
  "Retail",
  "Real Estate",
  "Internet",
  "Automotive",
  "Education Management",
  "Telecommunications",
  "Insurance",
  "Banking",
  "Food & Beverages",
  "Oil & Energy",
  "Machinery",
  "Transportation, Logistics & Storage",
  "Accounting",
  "Pharmaceuticals",
  "Biotechnology",
  "Human Resources",
  "Legal Services",
  "Media Production",
  "Apparel & Fashion",
  "Electrical/Electronic Manufacturing",
  "Hospitality",
  "Nonprofit Organization Management",
  "Research",
  "Wholesale",
];
const COUNTRIES = [
  "United States",
  "United States",
  "United States",
  "United States",
  "United Kingdom",
  "Germany",
  "France",
  "Canada",
  "India",
  "Australia",
  "Brazil",
  "Netherlands",
  "Spain",
  "Italy",
  "Sweden",
  "Japan",
  "Singapore",
  "Mexico",
  "Poland",
  "Switzerland",
  "Côte d’Ivoire",
  "Korea, Republic of",
];
const CITIES = [
  "New York",
  "San Francisco",
  "London",
  "Berlin",
  "Paris",
  "Toronto",
  "Bengaluru",
  "Sydney",
  "São Paulo",
  "Amsterdam",
  "Madrid",
  "Milano",
  "Stockholm",
  "東京",
  "Singapore",
  "Ciudad de México",
  "Kraków",
  "Zürich",
  "Austin, TX",
  "Boston, MA",
  "Chicago",
  "Denver",
  "München",
  "Montréal",
  "Göteborg",
  "Lyon",
];
const TLDS = ["com", "com", "com", "com", "io", "co", "net", "org", "de", "co.uk", "fr", "ai"];
const NON_ASCII_NAMES = [
  "Société",
  "Müller",
  "Øresund",
  "Łódź",
  "株式会社",
  "Ünal",
  "Españã",
  "Ñandú",
  "Ærø",
  "Žilina",
];
const FUNDING_STAGES = [
  "",
  "Seed",
  "Series A",
  "Series B",
  "Series C",
  "IPO",
  "Private Equity",
  "Bootstrapped",
];

/** mulberry32: a 32-bit generator that is the same on every JavaScript engine. */
function randomFrom(seed) {
  let state = seed | 0;
  const int = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
  const below = (limit) => int() % limit;
  return {
    int,
    below,
    chance: (p) => int() / 2 ** 32 < p,
    unit: () => int() / 2 ** 32,
    pick: (list) => list[below(list.length)],
  };
}

const capital = (word) => word[0].toUpperCase() + word.slice(1);
const quoted = (value) => (/[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

function makeWords(random) {
  return Array.from({ length: WORD_COUNT }, () => {
    let word = "";
    for (let left = 2 + random.below(2); left > 0; left--) word += random.pick(SYLLABLES);
    return word;
  });
}

function makeId(random) {
  let id = "0015g00000";
  let bits = random.int();
  for (let k = 0; k < 5; k++) {
    id += BASE62[bits % 62];
    bits = Math.floor(bits / 62);
  }
  return `${id}${random.pick(BASE62)}${random.pick(BASE62)}QA${BASE62[random.below(26)]}`;
}

function makeName(random, first, second) {
  const style = random.unit();
  let name = `${capital(first)} ${capital(second)}`;
  if (style < 0.03) name = `${random.pick(NON_ASCII_NAMES)} ${capital(first)}`;
  else if (style < 0.5) name = capital(first) + capital(second);
  const suffix = random.pick(SUFFIXES);
  if (suffix !== "") name += (random.chance(0.15) ? ", " : " ") + suffix;
  return random.chance(0.005) ? `${capital(first)} "${capital(second)}" ${suffix}` : name;
}

function makeDomain(random, first, second) {
  const end = random.chance(0.4) ? "" : second;
  const digits = random.chance(0.1) ? String(random.below(100)) : "";
  return `${first}${end}${digits}.${random.pick(TLDS)}`;
}

function makeDescription(random, words) {
  if (!random.chance(0.35)) return "";
  const count = 4 + random.below(14);
  let text = `${capital(Array.from({ length: count }, () => random.pick(words)).join(" "))}.`;
  if (random.chance(0.3))
    text += ` We build ${random.pick(words)}, ${random.pick(words)} and ${random.pick(words)}.`;
  if (random.chance(0.12)) text += `\n${capital(random.pick(words))} — ${random.pick(words)}.`;
  return text;
}

function makePhone(random) {
  if (random.chance(0.5)) return "";
  return `+1-${200 + random.below(800)}-555-${String(random.below(10000)).padStart(4, "0")}`;
}

function makeLine(random, words) {
  const id = makeId(random);
  const [first, second] = [random.pick(words), random.pick(words)];
  const name = makeName(random, first, second);
  const domain = makeDomain(random, first, second);
  const employees = Math.floor(Math.exp(random.unit() * random.unit() * 11.5) + 1);
  const description = makeDescription(random, words);
  const updatedAt = new Date(
    FIRST_UPDATE_MS + random.below(UPDATE_SPAN_SECONDS) * 1000,
  ).toISOString();
  return (
    [
      id,
      domain,
      quoted(name),
      quoted(random.pick(INDUSTRIES)),
      random.chance(0.06) ? "" : employees,
      quoted(random.pick(COUNTRIES)),
      quoted(random.pick(CITIES)),
      random.chance(0.2) ? "" : 1900 + random.below(125),
      random.chance(0.4) ? "" : random.below(900000) * 1000,
      random.pick(FUNDING_STAGES),
      makePhone(random),
      `${random.pick(words)}.${random.pick(words)}@acme.com`,
      quoted(description),
      updatedAt,
    ].join(",") + "\n"
  );
}

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "485208" },
    seed: { type: "string", default: "12345" },
    out: { type: "string" },
  },
});
const [rows, seed] = [Number(values.rows), Number(values.seed)];
if (
  values.out === undefined ||
  !Number.isSafeInteger(rows) ||
  rows < 0 ||
  !Number.isSafeInteger(seed)
) {
  console.error("usage: node gen-accounts.mjs --rows N --seed 12345 --out FILE");
  process.exit(2);
}

const random = randomFrom(seed);
const words = makeWords(random);
const file = fs.openSync(values.out, "w");
let text = `${COLUMNS.join(",")}\n`;
let bytes = 0;
const flush = () => {
  const block = Buffer.from(text);
  fs.writeFileSync(file, block);
  bytes += block.length;
  text = "";
};
for (let row = 0; row < rows; row++) {
  text += makeLine(random, words);
  if (text.length > FLUSH_BYTES) flush();
}
flush();
fs.closeSync(file);
console.log(JSON.stringify({ out: values.out, rows, seed, bytes }));
