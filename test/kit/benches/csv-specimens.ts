import { join } from "node:path";

import type { Specimen } from "../../../testing/specimen.ts";
import { changedSpecimens } from "./csv-specimens-changed.ts";
import { dialectSpecimens } from "./csv-specimens-dialects.ts";
import { folderSpecimens } from "./csv-specimens-folders.ts";
import { largeSpecimens } from "./csv-specimens-large.ts";
import { lockedSpecimens } from "./csv-specimens-locked.ts";
import { specimenIn } from "./csv-specimens-make.ts";
import { refusedSpecimens } from "./csv-specimens-refused.ts";
import { rejectSpecimens } from "./csv-specimens-rejects.ts";
import { encodedSpecimens } from "./csv-specimens-text.ts";
import { writtenSpecimens } from "./csv-specimens-written.ts";

/** What files only CSV knows, each in a folder of its own below this one. */
export function csvSpecimens(folder: string): readonly Specimen[] {
  const specimens = [
    ...encodedSpecimens,
    ...dialectSpecimens,
    ...rejectSpecimens,
    ...largeSpecimens(),
    ...folderSpecimens,
    ...changedSpecimens,
    ...refusedSpecimens,
    ...writtenSpecimens,
    ...lockedSpecimens,
  ];
  return specimens.map((specimen, index) => specimenIn(join(folder, String(index)), specimen));
}
