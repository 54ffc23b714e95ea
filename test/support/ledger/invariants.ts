import { appliedKeys, recordsTaken, type OracleRow, type Snapshot } from "./facts.ts";
import { about, differs, kindOf, type Invariant } from "./words.ts";

function named({ key, place }: OracleRow): string {
  return `${key} at ${place}`;
}

/** For each key, its last row that should be accepted: a later row wins. */
function acceptsOf(oracle: readonly OracleRow[]): ReadonlyMap<string, string> {
  return new Map(
    oracle.flatMap(({ key, verdict }) =>
      verdict.kind === "accept" ? [[key, verdict.record] as const] : [],
    ),
  );
}

/** L1: every row that should be accepted was, in this run; every row left out as unchanged is there. */
const nothingLost: Invariant = ({ oracle, service }) => {
  const applied = appliedKeys(service.ledger);
  const accepts = acceptsOf(oracle);
  const lost = kindOf(oracle, "accept").filter(
    ({ key }) => !applied.has(service.records.get(key)?.fileKey ?? ""),
  );
  const missing = oracle.filter(
    ({ key, verdict }) =>
      verdict.kind === "unchanged" &&
      !accepts.has(key) &&
      service.records.get(key)?.record !== verdict.record,
  );
  const taken = recordsTaken(service.ledger);
  const least = kindOf(oracle, "accept").length;
  return [
    ...about("L1: rows lost", lost.map(named)),
    ...about("L1: rows called unchanged that the service does not hold", missing.map(named)),
    ...(taken < least ? [`L1: the service took ${taken} records of ${least} rows`] : []),
  ];
};

/** L2: everything the service took is in the source, in the same form. */
const nothingInvented: Invariant = ({ oracle, service }) => {
  const applied = appliedKeys(service.ledger);
  const accepts = acceptsOf(oracle);
  const taken = [...service.records].filter(([, { fileKey }]) => applied.has(fileKey));
  const invented = taken.filter(([key]) => !accepts.has(key));
  const other = taken.filter(
    ([key, { record }]) => accepts.has(key) && accepts.get(key) !== record,
  );
  return [
    ...about(
      "L2: records taken that no row to be accepted has",
      invented.map(([key]) => key),
    ),
    ...about(
      "L2: records taken with another content",
      other.map(([key]) => key),
    ),
  ];
};

/** L3: the reject store holds exactly the rows that should be rejected, each once and with its reason. */
const rejectsEqual: Invariant = ({ oracle, store }) => {
  const wanted = new Map(
    oracle.flatMap(({ place, verdict }) =>
      verdict.kind === "reject" ? [[place, verdict.code] as const] : [],
    ),
  );
  const found = new Map(store.rejects.map(({ place, code }) => [place, code]));
  const seen = new Set<string>();
  const twice = store.rejects.filter(({ place }) => seen.size === seen.add(place).size);
  const otherwise = [...found].filter(([place, code]) => (wanted.get(place) ?? code) !== code);
  return [
    ...about(
      "L3: rows that were to be rejected and are not",
      [...wanted.keys()].filter((place) => !found.has(place)),
    ),
    ...about(
      "L3: rejects that should be none",
      [...found.keys()].filter((place) => !wanted.has(place)),
    ),
    ...about(
      "L3: rejects that are there twice",
      twice.map(({ place }) => place),
    ),
    ...about(
      "L3: rejects for another reason",
      otherwise.map(
        ([place, code]) => `${place}: ${code} and not ${wanted.get(place) ?? "nothing"}`,
      ),
    ),
  ];
};

/** L4: no more was repeated than was under way at the ambiguities, nor more than the report admits. */
const repeatsBounded: Invariant = ({ oracle, service, report, ambiguities }) => {
  const repeated = recordsTaken(service.ledger) - kindOf(oracle, "accept").length;
  const underWay = ambiguities.reduce((sum, records) => sum + records, 0);
  const { possibly_repeated: admitted } = report;
  return [
    ...(repeated > underWay
      ? [
          `L4: ${repeated} records were repeated, ${underWay} were under way at ${ambiguities.length} ambiguities`,
        ]
      : []),
    ...(repeated > admitted
      ? [`L4: ${repeated} records were repeated, the report says possibly ${admitted}`]
      : []),
  ];
};

const refusals: readonly (number | null)[] = [404, 409, 410];

/** L5: one content is confirmed under one file key, unless the service refused the earlier one. */
const oneKeyAContent: Invariant = ({ service: { ledger } }) => {
  const contentOf = new Map(
    ledger.flatMap(({ step, status, file_key: key, jsonl_sha256: hash }) =>
      step === "put" && status === 200 && key !== null && hash !== null
        ? [[key, hash] as const]
        : [],
    ),
  );
  const confirms = ledger.filter(({ step }) => step === "confirm-upload");
  const refused = new Set(
    confirms.filter(({ status }) => refusals.includes(status)).map(({ file_key: key }) => key),
  );
  const keysOf = new Map<string, Set<string>>();
  for (const { file_key: key } of confirms) {
    const content = contentOf.get(key ?? "");
    if (key === null || content === undefined || refused.has(key)) continue;
    keysOf.set(content, (keysOf.get(content) ?? new Set()).add(key));
  }
  const several = [...keysOf].filter(([, keys]) => keys.size > 1);
  return about(
    "L5: contents confirmed under several keys, none of them refused",
    several.map(([content, keys]) => `${content.slice(0, 8)} under ${[...keys].join(" and ")}`),
  );
};

/**
 * Rows that a checkpoint covers although neither the service nor the reject store holds them
 * (docs/facts/faults.md#promises, P4).
 */
function uncovered(oracle: readonly OracleRow[], { service, store }: Snapshot): OracleRow[] {
  const applied = appliedKeys(service.ledger);
  const rejected = new Set(store.rejects.map(({ place }) => place));
  return oracle.slice(0, store.covered).filter(({ key, place, verdict }) => {
    const held = service.records.get(key);
    if (verdict.kind === "accept") return !applied.has(held?.fileKey ?? "");
    if (verdict.kind === "unchanged") return held === undefined;
    return verdict.kind === "reject" && !rejected.has(place);
  });
}

/** L6 and P4: a checkpoint only grows, covers nothing that may still be lost, and in the end covers everything. */
const checkpointsHold: Invariant = ({ oracle, service, store, snapshots }) => {
  const moments = [...snapshots, { service, store }];
  const found: string[] = differs(
    "L6: rows the last checkpoint covers",
    store.covered,
    oracle.length,
  );
  for (const [index, moment] of moments.entries()) {
    const when = moment.store === store ? "at the end" : `at snapshot ${index + 1}`;
    const before = moments[index - 1]?.store;
    if (before !== undefined) {
      const { covered, version } = moment.store;
      if (covered < before.covered || version < before.version) {
        found.push(`L6: the checkpoint went back ${when}: ${before.covered} rows, then ${covered}`);
      }
    }
    const open = uncovered(oracle, moment);
    found.push(
      ...about(`P4: rows that the checkpoint covers ${when} and nobody holds`, open.map(named)),
    );
  }
  return found;
};

/** L8: no request leaves during a silence. */
const silencesKept: Invariant = ({ service: { ledger }, silences = [] }) =>
  silences.flatMap(({ fromMs, toMs, why }) => {
    const isWithin = (t: string): boolean => Date.parse(t) > fromMs && Date.parse(t) < toMs;
    const loud = ledger.filter(({ t }) => isWithin(t));
    return about(
      `L8: requests ${why}`,
      loud.map(({ step, t }) => `${step} at ${t}`),
    );
  });

/** L10: no secret is where it must not be. */
const nothingTold: Invariant = ({ canaries = [], texts = [] }) =>
  about(
    "L10: texts that hold a secret",
    texts
      .filter(({ text }) => canaries.some((canary) => text.includes(canary)))
      .map(({ where }) => where),
  );

/** L11: every figure is within its limit. */
const withinLimits: Invariant = ({ measures = [] }) =>
  measures
    .filter(({ value, max }) => value > max)
    .map(({ what, value, max }) => `L11: ${what}: ${value}, at most ${max} is allowed`);

/** All invariants except those about the report. */
export const ledgerInvariants: readonly Invariant[] = [
  nothingLost,
  nothingInvented,
  rejectsEqual,
  repeatsBounded,
  oneKeyAContent,
  checkpointsHold,
  silencesKept,
  nothingTold,
  withinLimits,
];
