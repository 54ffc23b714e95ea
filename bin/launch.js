// What V8 and the C library hear at the start of a process only.
import { readdirSync, readFileSync } from "node:fs";

// All that a receiver has under way survives a collection, and a young generation that is too small for it makes it
// old. V8's helpers take the other core from whoever writes the inbox (measured: twice as many deliveries without).
// And while it marks the old generation in steps, all that comes and goes stays: 30 MB, to save a pause of 50 ms now
// and then.
const receiver = {
  flags: [
    "--min-semi-space-size=8",
    "--max-semi-space-size=8",
    "--single-threaded-gc",
    "--no-incremental-marking",
  ],
  variables: {},
};

// Where rows move. With the young generations of 1 MB that V8 begins with a first load of 485,208 rows collects 850
// times, and takes 1.05 times as much processor time; and V8 enlarges each of them by all that ever survived in it: to
// 67 MB in the main thread. Only flags that are not part of the hash by which V8 tells whether compiled code fits: with
// any other one, such as --no-incremental-marking, a thread compiles Node's own modules anew, in 35 ms. Not
// --optimize-for-size: it saved 22 MB of 382 and cost half as much again. Not --initial-old-space-size, which saves a
// little more: each thread of a worker would keep garbage up to it.
// glibc gives each thread an arena of its own, and keeps in all of them what was freed between what was not: 100 MB in
// a run of many rows. One arena, and large blocks apart from it, cost nothing that can be measured.
const moving = {
  flags: ["--min-semi-space-size=4", "--max-semi-space-size=4"],
  variables: { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "262144" },
};

const launches = new Map([
  ["webhooks", receiver],
  ...["worker", "dev", "run", "backfill", "pull", "approve"].map((verb) => [verb, moving]),
]);

/** The verb that may have a launch of its own. */
function verbOf(words) {
  // The options of every command may stand before it; one of them takes a word.
  const at = words.findIndex(
    (word, index) => !word.startsWith("-") && words[index - 1] !== "--color",
  );
  const asksForHelp = words.some((word) => ["--help", "-h"].includes(word));
  if (asksForHelp || (words[at] === "webhooks" && words.includes("send"))) return undefined;
  return words[at];
}

/**
 * With which flags of Node and which variables a command is run: none where it only tells its help, or sends one
 * delivery. What a user's variables set goes before. Flags of a user's command line stand behind these, and win.
 */
export function launchOf(words, { NODE_OPTIONS = "", ...env }) {
  const { flags, variables } = launches.get(verbOf(words)) ?? { flags: [], variables: {} };
  const isSet = NODE_OPTIONS.replaceAll("_", "-").includes("-semi-space-size");
  return {
    flags: flags.filter((flag) => !isSet || !flag.includes("-semi-space-size")),
    variables: Object.fromEntries(Object.entries(variables).filter(([name]) => !(name in env))),
  };
}

/**
 * Whether this process was handed an open file that it has to keep: one that is locked, as by `flock -n 9`, or that
 * its words name. Node closes all but the first three when it gives way to another.
 */
export function holdsFiles(words) {
  if (words.some((word) => word.includes("/fd/"))) return true;
  const folder = "/proc/self/fdinfo";
  try {
    return readdirSync(folder).some((fd) => Number(fd) > 2 && isLocked(`${folder}/${fd}`));
  } catch {
    return false;
  }
}

function isLocked(file) {
  try {
    return readFileSync(file, "utf8").includes("\nlock:");
  } catch {
    // That by which the folder was read is closed.
    return false;
  }
}
