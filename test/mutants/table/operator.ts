import { planting, type Mutant } from "../mutant.ts";

const status = "test/src/cli/status/left-holds.test.ts";

/** Runs that were held before an older store was restored. */
export const mutantsOfRestored: readonly Mutant[] = [
  {
    id: "S1465",
    plants:
      "a worker that starts leaves runs waiting that its restored store does not know as held",
    file: "src/schedules/lost-holds.ts",
    find: "return isKnown ? undefined",
    replace: "return !isKnown ? undefined",
  },
  {
    id: "S1466",
    plants: "a worker that starts ends every run that is held",
    file: "src/schedules/lost-holds.ts",
    find: "return isKnown ? undefined",
    replace: 'return runId === "" ? undefined',
  },
  {
    id: "S1467",
    plants: "a worker that starts ends the held runs of another store",
    file: "src/schedules/lost-holds.ts",
    find: "if (!isOurs) {",
    replace: 'if (run === "") {',
  },
  {
    id: "S1474",
    plants:
      "a worker that starts says nothing of a run that a store holds which is not there any more",
    file: "src/schedules/lost-holds.ts",
    find: "return isKnown ? undefined",
    replace: "return isKnown || !isOurs ? undefined",
  },
  {
    id: "S1468",
    plants: "a run that was discarded and is in no store is said not to have been opened",
    file: "workflows/ending.ts",
    find: 'failure ?? (outcome === "discarded" ? lost : notOpened)',
    replace: "failure ?? notOpened",
  },
  {
    id: "S1755",
    plants: "a secret whose name is misspelt is shown by the error that says so",
    file: "src/config/messages/shown-text.ts",
    find: " || closest(name, misspelt) !== undefined",
    replace: "",
    test: "test/src/config/messages/shown-text.test.ts",
    title: 'makes of "{ path: /a, secert: abc }" "{ path: /a, secert: *** }"',
  },
  {
    id: "S1756",
    plants: "a secret after a colon without a blank is shown by the error that says so",
    file: "src/config/messages/shown-text.ts",
    find: "strikeOutPasswords(shown.replaceAll(/.+/g, (line) => strikeOutEnd(line, pairs)))",
    replace: 'strikeOutPasswords(pairs.source === "" ? strikeOutEnd("", pairs) : shown)',
    test: "test/src/config/messages/shown-text.test.ts",
    title: 'makes of "api_key:abc\\nmode: x" "api_key:***\\nmode: x"',
  },
  {
    id: "S1758",
    plants: "a missing blank after a colon is told in a library's words",
    file: "src/config/document/document.ts",
    find: "ownWords.get(code) ?? ",
    replace: '(code === "MULTILINE_IMPLICIT_KEY" ? undefined : ownWords.get(code)) ?? ',
    test: "test/src/config/document/document.test.ts",
    title: 'says of "a:\\n  b:1\\n  c: 2"',
  },
].map(
  planting({
    file: "test/workflows/sync/lost-holds.test.ts",
    title: "ends those of its store that this does not know as held, and no other",
  }),
);

/** What an operator is told of runs that are held, and what answers them. */
export const mutantsOfOperator: readonly Mutant[] = [
  {
    id: "S1460",
    plants: "status says nothing of a held run whose sync was renamed",
    file: "src/cli/status/text.ts",
    find: "    ...holds.map(leftHoldLine).map(plainText),\n",
    replace: "",
  },
  {
    id: "S1461",
    plants: "what was staged for one account may be approved for another",
    file: "src/cli/run/unsendable.ts",
    find: "if (target !== targetOf(api)) {",
    replace: 'if (target === "") {',
    test: "test/src/cli/run/approve.test.ts",
    title: "sends nothing that was staged for another account",
  },
  {
    id: "S1462",
    plants: "a held run whose sync was renamed is in no metric",
    file: "src/metrics/project-figures.ts",
    find: "(run) => openHold(run) !== undefined || (",
    replace: "(run) => (",
    test: "test/src/metrics/process-metrics.test.ts",
    title: "tell of a run that is held though its sync has another name by now",
  },
  {
    id: "S1463",
    plants: "forget has its user wait for a run that waits for its user",
    file: "src/cli/status/idle.ts",
    find: "run !== undefined && openHold(run) !== undefined",
    replace: "run !== undefined && openHold(run) === undefined",
    test: "test/src/cli/forget/forget.test.ts",
    title: "says of a run that is held how it is answered",
  },
  {
    id: "S1464",
    plants: "status has a run approved that approve refuses, because its sync was edited",
    file: "src/cli/status/look.ts",
    find: "run === undefined ? undefined : whyUnsendable(config, run)",
    replace: "undefined",
    title: "is not said to be approved where its sync was edited meanwhile",
  },
  {
    id: "S1469",
    plants: "explain says of a sync that was renamed that there is none, and no more",
    file: "src/cli/run/former-sync.ts",
    find: "if (!wasThere) return",
    replace: "if (wasThere || !wasThere) return",
    test: "test/src/cli/run/explain.test.ts",
    title: "says of a sync that had this name before how its records are found",
  },
  {
    id: "S1470",
    plants: "explain advises a scan for a place, which takes none",
    file: "src/cli/run/explain-text.ts",
    find: 'keys.length === 0 ? "" :',
    replace: 'keys.length < 0 ? "" :',
    test: "test/src/cli/run/explain.test.ts",
    title: "says of a place where no row is nothing of a scan, which takes none",
  },
  {
    id: "S1472",
    plants: "a run that is discarded says how its records would have travelled",
    file: "src/cli/running/follow.ts",
    find: "const mode = isSent ? progress.mode : null;",
    replace: "const { mode } = progress;",
    test: "test/src/cli/running/follow.test.ts",
    title: "tells how the records of a run travel, and not of one that sends nothing",
  },
  {
    id: "S1473",
    plants:
      "an approval that no worker took is said to be given again, and not that it may be taken",
    file: "src/cli/running/tell-run.ts",
    find: "; the next one may still take it",
    replace: "; try again",
    test: "test/src/cli/running/tell-run.test.ts",
    title: "says of an answer that no worker took that the next one may",
  },
  {
    id: "S1613",
    plants: "`runs list` counts of a run that is held or running only what is committed",
    file: "src/cli/run/runs.ts",
    find: "= countsSoFar(report);",
    replace: "= report.counts;",
    test: "test/src/cli/run/runs-list.test.ts",
    title: "`sluice runs list` counts what a run has read and not committed, as `show` does",
  },
  {
    id: "S1614",
    plants: "a member that is missing from the input of a workflow is told in a library's words",
    file: "workflows/sync/sync-input.ts",
    find: ", { error: wordingOfInput }",
    replace: "",
    test: "test/workflows/sync/sync.test.ts",
    title: "ends the workflow at once, with one to paste: ✖ it is missing",
  },
  {
    id: "S1704",
    plants: "the name of a variable without braces is taken for a secret",
    file: "src/config/document/interpolate.ts",
    find: "const mistakes: VariableMistake[] = bare === undefined ? [] : [bare];",
    replace: "const mistakes: VariableMistake[] = bare !== undefined ? [] : [];",
    test: "test/src/config/document/interpolate.test.ts",
    title: "refuses $FORMS_SECRET, which a shell would fill in",
  },
].map(
  planting({ file: status, title: "has a line of its own where its sync has another name by now" }),
);
