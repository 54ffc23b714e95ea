import { appliedKeys, recordsTaken, type LedgerFacts, type PartFacts } from "./facts.ts";
import { ledgerInvariants } from "./invariants.ts";
import { reportInvariants } from "./report.ts";

/** How much a check has looked at: it proves nothing about what did not happen. */
export type LedgerNumbers = {
  readonly rows: number;
  /** Records in requests that the service took. Repeated ones count each time. */
  readonly flowed: number;
  /** Rows that should have been accepted, and were. */
  readonly accepted: number;
  readonly repeated: number;
  readonly ambiguities: number;
  /** Snapshots in which a PUT was under way. */
  readonly duringPut: number;
  /** Snapshots in which a confirm was applied but the store did not know it. */
  readonly afterAppliedConfirm: number;
};

/** Findings in words; none when every invariant of docs/facts/faults.md#ledger, holds. */
export type LedgerFindings = {
  readonly violations: readonly string[];
  readonly numbers: LedgerNumbers;
};

function numbersOf({ oracle, service, snapshots, ambiguities }: LedgerFacts): LedgerNumbers {
  const applied = appliedKeys(service.ledger);
  const accepts = oracle.filter(({ verdict }) => verdict.kind === "accept");
  const held = accepts.filter(({ key }) => applied.has(service.records.get(key)?.fileKey ?? ""));
  const flowed = recordsTaken(service.ledger);
  const moments = (is: (part: PartFacts, taken: ReadonlySet<string>) => boolean): number =>
    snapshots.filter((moment) => {
      const taken = appliedKeys(moment.service.ledger);
      return moment.store.parts.some((part) => is(part, taken));
    }).length;
  return {
    rows: oracle.length,
    flowed,
    accepted: held.length,
    repeated: flowed - accepts.length,
    ambiguities: ambiguities.length,
    duringPut: moments(({ state, form }) => state === "sending" && form === "file"),
    afterAppliedConfirm: moments(
      ({ state, fileKey }, taken) => state === "confirming" && taken.has(fileKey ?? ""),
    ),
  };
}

/**
 * Compares what the service took, the store and the report with what the source holds: L1 to L8, L10 and L11, which are
 * I1 to I11 of docs/facts/faults.md#ledger, for one finished run. The promises of docs/design.md have other numbers.
 */
export function checkLedger(facts: LedgerFacts): LedgerFindings {
  return {
    violations: [...ledgerInvariants, ...reportInvariants].flatMap((invariant) => invariant(facts)),
    numbers: numbersOf(facts),
  };
}
