import type { Thrown } from "../../../testing/case.ts";
import type { CsvCase } from "./csv-cases-make.ts";

function unreadable(place: string): Pick<CsvCase, "throws" | "throwing"> {
  const says =
    `${place} may not be read by this process Give it read permission (chmod o+r, or chown), and ` +
    "each folder that leads to it search permission (chmod o+x).";
  const throws: Thrown = { code: "ConfigError", field: "path", says };
  return { throws, throwing: ["columns", "discover", "split"] };
}

function found(name: string, place: string): NonNullable<CsvCase["findings"]> {
  return [{ name, ok: false, detail: `${place} may not be read by this process` }];
}

const files = { "in/open/a.csv": "id\n1\n", "in/blocked/b.csv": "id\n2\n" };

/** Folders that the reader may not list. */
export const lockedCases: readonly CsvCase[] = [
  {
    what: "a pattern that leads through a folder that is locked",
    files,
    locked: { path: "in/blocked", mode: 0o000 },
    config: { path: "in/*/*.csv" },
    ...unreadable("in/blocked"),
    findings: found("in/*/*.csv", "in/blocked"),
  },
  {
    what: "a pattern in a folder that is locked",
    files,
    locked: { path: "in", mode: 0o111 },
    config: { path: "in/*.csv" },
    ...unreadable("in"),
    findings: found("in/*.csv", "in"),
  },
  {
    what: "a file in a folder that is locked",
    files,
    locked: { path: "in/blocked", mode: 0o000 },
    config: { path: "in/blocked/b.csv" },
    ...unreadable("in/blocked/b.csv"),
    findings: found("in/blocked/b.csv", "in/blocked/b.csv"),
  },
  {
    what: "a file that is not there, in a folder that cannot be listed",
    files,
    locked: { path: "in", mode: 0o111 },
    config: { path: "in/c.csv" },
    ...unreadable("/in"),
  },
  {
    what: "a write into a folder that is locked",
    isUncut: true,
    files: { "a.csv": "id\n" },
    locked: { path: ".", mode: 0o555 },
    writes: [
      {
        patches: [{ key: { id: 1 }, set: {} }],
        throws: {
          code: "ConfigError",
          field: "file",
          says: "written.csv cannot be written: this process may not write there",
        },
        leaves: {},
      },
    ],
  },
];
