import { join } from "node:path";

import type { TestCase } from "../../../testing/case.ts";
import { changedCases } from "./csv-cases-changed.ts";
import { dialectCases } from "./csv-cases-dialects.ts";
import { folderCases } from "./csv-cases-folders.ts";
import { largeCases } from "./csv-cases-large.ts";
import { lockedCases } from "./csv-cases-locked.ts";
import { caseIn } from "./csv-cases-make.ts";
import { refusedCases } from "./csv-cases-refused.ts";
import { rejectCases } from "./csv-cases-rejects.ts";
import { encodedCases } from "./csv-cases-text.ts";
import { writtenCases } from "./csv-cases-written.ts";

/** The cases of files that only CSV has, each in a folder of its own below this one. */
export function csvCases(folder: string): readonly TestCase[] {
  const cases = [
    ...encodedCases,
    ...dialectCases,
    ...rejectCases,
    ...largeCases(),
    ...folderCases,
    ...changedCases,
    ...refusedCases,
    ...writtenCases,
    ...lockedCases,
  ];
  return cases.map((testCase, index) => caseIn(join(folder, String(index)), testCase));
}
