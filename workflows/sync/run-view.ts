import { defineSearchAttributeKey, SearchAttributeType } from "@temporalio/common";
import {
  defineQuery,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from "@temporalio/workflow";

import { progressDetails, reportDetails, type Progress } from "./progress.ts";

/** The query behind the command line's progress bar. */
const progressQuery = defineQuery<Progress>("progress");

const searchAttribute = defineSearchAttributeKey("SluiceSync", SearchAttributeType.KEYWORD);

/** Lets people look the workflow up by its sync or pull; the server must know the attribute. */
export function nameInSearch(name: string): void {
  upsertSearchAttributes([{ key: searchAttribute, value: name }]);
}

/** Room below the text: the Web UI (2.42) makes its frame some lines too short. */
const room = "\n\n\u00A0".repeat(4);

/** Shows Markdown as the workflow's current details. */
export function showDetails(markdown: string): void {
  setCurrentDetails(`${markdown}${room}`);
}

function runDetails(progress: Progress): string {
  return progress.report === null ? progressDetails(progress) : reportDetails(progress.report);
}

/** The run as its workflow holds it: one object behind the query, the details and continue-as-new. */
export class RunView {
  progress: Progress;
  readonly #details: (progress: Progress) => string;

  constructor(progress: Progress, details = runDetails) {
    this.progress = progress;
    this.#details = details;
    setHandler(progressQuery, () => this.progress, { description: "Counts of the run so far" });
    this.update({});
  }

  update(change: Partial<Progress>): void {
    this.progress = { ...this.progress, ...change };
    showDetails(this.#details(this.progress));
  }
}
