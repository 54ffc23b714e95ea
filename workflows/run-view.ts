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

/** The run as its workflow holds it: one object behind the query, the details and continue-as-new. */
export class RunView {
  progress: Progress;

  constructor(progress: Progress) {
    this.progress = progress;
    setHandler(progressQuery, () => this.progress, { description: "Counts of the run so far" });
    this.update({});
  }

  update(change: Partial<Progress>): void {
    this.progress = { ...this.progress, ...change };
    const { report } = this.progress;
    setCurrentDetails(report === null ? progressDetails(this.progress) : reportDetails(report));
  }
}
