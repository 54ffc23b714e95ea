import { planting, type Mutant } from "../mutant.ts";

const testTest = "test/src/cli/test/test.test.ts";

const mutant = planting({
  file: testTest,
  title: "shows member by member what is not as expected, with its line, and ends with 1",
});

/** Tests of mappings that pass although a mapping is wrong, or change what nobody asked for. */
export const mutantsOfSyncTests: readonly Mutant[] = [
  mutant({
    id: "S950",
    plants: "a cell of a CSV row is the number that YAML makes of it",
    file: "src/sync-tests/rows.ts",
    find: "const text = isText ? textOf([column]) : undefined;",
    replace: "const text = isText ? String(value) : undefined;",
    title: "takes cells of CSV as they are written, and columns that are not there as empty",
  }),
  mutant({
    id: "S951",
    plants: "a case that failed ends the command with 0",
    file: "src/cli/test/test.ts",
    find: "if (failed > 0 && options.update !== true) context.exit(exitCodes.failed);",
    replace: "if (failed > 1_000 && options.update !== true) context.exit(exitCodes.failed);",
  }),
  mutant({
    id: "S952",
    plants: "a member that is there and not expected is no difference",
    file: "src/sync-tests/compare.ts",
    find: "const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);",
    replace: "const names = new Set(Object.keys(expected));",
  }),
  mutant({
    id: "S953",
    plants: "an update writes what changes something else, too",
    file: "src/sync-tests/edit-yaml.ts",
    find: "return isAsWanted ? updated : undefined;",
    replace: "return isAsWanted || true ? updated : undefined;",
    title: "leaves a file alone that cannot be updated without another change",
  }),
  mutant({
    id: "S954",
    plants: "rows that could not be read come behind all others",
    file: "src/sync-tests/run.ts",
    find: "return [...made].toSorted(([a], [b]) => numberOf(a) - numberOf(b)).map(([, outcome]) => outcome);",
    replace: "return [...made].map(([, outcome]) => outcome);",
    title: "reads a file of rows as its connector does, those that it cannot read in their places",
  }),
  mutant({
    id: "S955",
    plants: "the clock of a mapping module runs",
    file: "src/cli/test/fixed-clock.ts",
    find: "globalThis.Date = stoppedAt(now, running);",
    replace: "globalThis.Date = running;",
    title: "stops the clock for a mapping module, in a zone, and tells what it leaves out",
  }),
  mutant({
    id: "S956",
    plants: "a mapping module has the zone of the machine",
    file: "src/cli/test/fixed-clock.ts",
    find: 'process.env["TZ"] = timeZone;\n',
    replace: "",
    title: "stops the clock for a mapping module, in a zone, and tells what it leaves out",
  }),
  mutant({
    id: "S1067",
    plants: "a row of a test has a number that no source gives",
    file: "src/sync-tests/rows.ts",
    find: "!isJsonNumber(text) || isCarried(text)",
    replace: "!isJsonNumber(text) || isCarried(text) || true",
    title: "rejects a number of more digits than JSON carries",
  }),
  mutant({
    id: "S2252",
    plants: "a value of Postgres is the one of JSON, which no run reads",
    file: "src/sync-tests/rows.ts",
    find: "return isGiven || isRefused ? value : jsonText(value);",
    replace: "return isGiven || isRefused ? value : jsonText(value) && value;",
    test: "test/src/cli/test/postgres-rows.test.ts",
    title: "takes each value of Postgres as its text, in a row and in a file",
  }),
];
