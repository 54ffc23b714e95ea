import { all, says, type Says } from "../cell.ts";

/** A row, or part of one, that is shown as a test of its own. */
export type Elsewhere = {
  readonly row: number;
  readonly fault: string;
  readonly says: ReturnType<typeof all>;
};

function by(file: string): Says {
  return { shownBy: file };
}

const ofFile = { none: "only a PUT reads the staged file" };
const atConfirm = { none: "a zombie does most harm at a confirm, and is shown there" };
const chaos = by("test/e2e/chaos.test.ts");
const ofStaging = { none: "nothing is written to the staging folder" };

/** What takes more than one request to show, or another world than the service's. */
export const elsewhere: readonly Elsewhere[] = [
  {
    row: 25,
    fault: "cut three times at one place of a large file",
    says: says(
      { none: "its body fits into the first packet" },
      by("test/faults/large-file.prove.ts"),
      { none: "its body fits into the first packet" },
      { none: "a body of 1 MB has no place to speak of" },
      { none: "its body fits into the first packet" },
    ),
  },
  { row: 26, fault: "a host without an address", says: all(by("test/faults/unresolved.test.ts")) },
  {
    row: 39,
    fault: "a file key that another part has",
    says: says(by("test/faults/own-side.test.ts"), ofFile, ofFile, ofFile, ofFile),
  },
  {
    row: 41,
    fault: "a staged file that is not what was staged",
    says: says(
      ofFile,
      by("test/faults/own-side.test.ts"),
      ofFile,
      by("test/faults/own-side.test.ts"),
      ofFile,
    ),
  },
  {
    row: 42,
    fault: "a staging folder that cannot be written",
    says: says(
      by("test/faults/own-side.test.ts"),
      by("test/faults/own-side.test.ts"),
      ofStaging,
      ofStaging,
      ofStaging,
    ),
  },
  {
    row: 43,
    fault: "an API key that was rotated",
    says: says(
      by("test/faults/rotated-key.test.ts"),
      { none: "no key goes with a PUT" },
      by("test/faults/rotated-key.test.ts"),
      by("test/faults/rotated-key.test.ts"),
      by("test/faults/rotated-key.test.ts"),
    ),
  },
  {
    row: 44,
    fault: "a worker that is killed",
    says: says(
      by("test/crash/heavyweight.test.ts"),
      by("test/e2e/kill-worker.test.ts"),
      by("test/e2e/kill-worker.test.ts"),
      by("test/crash/lightweight.test.ts"),
      by("test/crash/pull.test.ts"),
    ),
  },
  {
    row: 44,
    fault: "a worker that is stopped, and wakes when others have its work",
    says: says(atConfirm, atConfirm, by("test/e2e/chaos.test.ts"), atConfirm, atConfirm),
  },
  {
    row: 45,
    fault: "Temporal that is down",
    says: says(chaos, chaos, chaos, chaos, by("test/e2e/pull.test.ts")),
  },
  {
    row: 46,
    fault: "a payload or a history that is too large",
    // That a workflow continues as new between chunks is tested in test/e2e/sync.test.ts.
    says: all({ none: "no rows in a history, and it continues as new before it grows" }),
  },
];
