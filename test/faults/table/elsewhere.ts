import { says, type Says } from "../play/cell.ts";

/** A row, or part of one, that has a test of its own. */
export type Elsewhere = {
  readonly row: number;
  readonly fault: string;
  readonly says: ReturnType<typeof says>;
};

function by(file: string): Says {
  return { shownBy: file };
}

const ofFile = { none: "only a PUT reads the staged file" };
const atConfirm = { none: "a zombie does most harm at a confirm, and is shown there" };
const chaos = by("test/e2e/sync/chaos.prove.ts");
const ofStaging = { none: "nothing is written to the staging folder" };

/** Faults that take more than one request to show, or that are not the service's. */
export const elsewhere: readonly Elsewhere[] = [
  {
    row: 25,
    fault: "cut three times at one place of a large file",
    says: says(
      { none: "its body fits into the first packet" },
      {
        put: by("test/faults/large-file.prove.ts"),
        json: { none: "a body of 1 MB has no place to speak of" },
      },
    ),
  },
  { row: 26, fault: "a host without an address", says: says(by("test/faults/unresolved.test.ts")) },
  {
    row: 39,
    fault: "a file key that another part has",
    says: says(ofFile, { generate: by("test/faults/own-side.test.ts") }),
  },
  {
    row: 41,
    fault: "a staged file that is not what was staged",
    says: says(ofFile, {
      put: by("test/faults/own-side.test.ts"),
      json: by("test/faults/own-side.test.ts"),
    }),
  },
  {
    row: 42,
    fault: "a staging folder that cannot be written",
    says: says(ofStaging, {
      generate: by("test/faults/own-side.test.ts"),
      put: by("test/faults/own-side.test.ts"),
    }),
  },
  {
    row: 43,
    fault: "an API key that was rotated",
    says: says(by("test/faults/rotated-key.test.ts"), { put: { none: "no key goes with a PUT" } }),
  },
  {
    row: 44,
    fault: "a worker that is killed",
    says: says(by("test/e2e/sync/kill-worker.prove.ts"), {
      generate: by("test/crash/heavyweight.test.ts"),
      json: by("test/crash/lightweight.test.ts"),
      search: by("test/crash/pull.test.ts"),
    }),
  },
  {
    row: 44,
    fault: "a worker that is stopped, and wakes when others have its work",
    says: says(atConfirm, { confirm: by("test/e2e/sync/chaos.prove.ts") }),
  },
  {
    row: 45,
    fault: "Temporal that is down",
    says: says(chaos, { search: by("test/e2e/pull/pull.prove.ts") }),
  },
  {
    row: 46,
    fault: "a payload or a history that is too large",
    // That a workflow continues as new between chunks is tested in test/e2e/sync/sync.prove.ts.
    says: says({ none: "no rows in a history, and it continues as new before it grows" }),
  },
];
