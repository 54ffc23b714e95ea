import { planting, type Mutant } from "../mutant.ts";

const memory = "src/state/postgres/send-memory.ts";
const wentBack = "test/src/state/postgres/went-back.test.ts";
const copying = "test/src/state/copy/copy-store.test.ts";
const plant = planting({ file: wentBack, title: "is noticed by a worker that works on" });

/** Mutants of a store that is not what it was while processes work on it, and of what a copy may replace. */
export const mutantsOfOtherStores: readonly Mutant[] = [
  plant({
    id: "S1492",
    plants: "the process of a worker that broke stays, and does nothing",
    file: "src/cli/output/interrupt.ts",
    find: "  } finally {\n    clearInterval(alive);\n",
    replace: "  } finally {\n",
    test: "test/src/cli/output/interrupt.test.ts",
    title: "stays alive for as long, and no longer",
  }),
  plant({
    id: "S1493",
    plants: "what a copy says is one line",
    file: "src/cli/status/copy-store.ts",
    find: '.map(plainText)\n    .join("\\n")',
    replace: '.map(plainText)\n    .join(" ")',
    test: "test/src/cli/status/copy-store.test.ts",
    title: "says in lines of its own",
  }),
  plant({
    id: "S1494",
    plants: "a project in which nothing was done yet is copied again by the next copy",
    file: "src/state/copy/copy-store.ts",
    find: "  if (kept === undefined && isThere) return true;\n",
    replace: "  if (kept === undefined && isThere && !(await into.isEmpty())) return true;\n",
    test: "test/src/cli/status/copy-store.test.ts",
    title: "says in lines of its own",
  }),
  plant({
    id: "S1487",
    plants: "a copy replaces a project whose runs were pruned",
    file: "src/state/copy/copied-tables.ts",
    find: 'namesIn("runs checkpoints fingerprint_sets")',
    replace: 'namesIn("runs")',
    test: copying,
    title: "takes nothing into a store of which the runs were pruned",
  }),
  plant({
    id: "S1488",
    plants: "a project cannot be taken back where its server has another address by now",
    file: "src/state/copy/copy-store.ts",
    find: "kept !== from.name && !isOfThere",
    replace: "kept !== from.name",
    test: copying,
    title: "takes a project back by whatever address",
  }),
];
