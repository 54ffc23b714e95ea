import type { Log } from "../../connectors/contract/request.ts";
import { runWarningsMax } from "../../src/limits.ts";
import { fieldsToHave } from "../../src/mapping/load.ts";
import type { WrittenPage } from "../../src/pipeline/chunk.ts";
import { LostFields } from "../../src/pipeline/lost-fields.ts";
import { OmittedFields } from "../../src/pipeline/omitted-fields.ts";
import type { RecordPage } from "../../src/pipeline/page.ts";
import { assertWithinLimit } from "../../src/pipeline/rejects.ts";
import type { RejectEntry } from "../../src/state/contract/rejects/rejects.ts";
import type { StageCounts } from "../../src/state/contract/sends/stagings.ts";
import { runWarningCharsMax, stageNotedMs } from "../limits.ts";
import type { StageJob, StageTools } from "./stage-job.ts";

/** The rejects of a page in the order of its rows, whichever step refused them: a replay reads them in this order. */
function inRowOrder({ rejects }: RecordPage): readonly RejectEntry[] {
  return rejects.toSorted((a, b) => (a.rowNumber ?? 0) - (b.rowNumber ?? 0));
}

function supersededWarning(rows: number): string {
  return (
    `${rows} rejected row${rows === 1 ? " was" : "s were"} left out: other rows of the same keys were ` +
    "sent, and count as newer"
  );
}

/** Keeps what a staging reports about its pages: rejects, counts, warnings. */
export class StageNotes {
  readonly #job: StageJob;
  readonly #tools: StageTools;
  readonly #omitted = new OmittedFields();
  #superseded = 0;
  #noteAt = performance.now() + stageNotedMs;
  /** Names and places, no rows. */
  readonly warnings: string[] = [];
  readonly lost: LostFields;
  /** A connector's log: warnings are kept for the report; in a run nobody reads the rest. */
  readonly sourceLog: Log = {
    info: () => undefined,
    warn: (text, facts = {}) => {
      if (this.warnings.length >= runWarningsMax) return;
      const more = Object.values(facts).map(String).join(", ");
      this.warnings.push((more === "" ? text : `${more}: ${text}`).slice(0, runWarningCharsMax));
    },
  };

  constructor(job: StageJob, tools: StageTools) {
    this.#job = job;
    this.#tools = tools;
    this.lost = new LostFields(fieldsToHave(job.mapping));
  }

  /** Notes a page that is in the file now. @throws {TooManyRejectsError} too many rows are rejected. */
  async note({ page, counts }: WrittenPage): Promise<void> {
    const { stage } = this.#job;
    const { state, signal } = this.#tools;
    const { superseded: places } = page;
    const rejects = inRowOrder(page);
    if (rejects.length > 0) {
      // Other hosts find rejects by their age, so the time is by the store's clock.
      const at = new Date(await state.storeTime(Date.now())).toISOString();
      await state.addRejects({ ...stage, rejects, at });
    }
    if (places.length > 0) {
      await state.supersedeRejects({ ...stage, places });
      this.#superseded += places.length;
    }
    this.#omitted.add(page.omitted ?? []);
    this.#tools.progress(counts);
    if (performance.now() >= this.#noteAt) {
      await state.noteStage({ ...stage, counts, to: page.source.position });
      this.#noteAt = performance.now() + stageNotedMs;
    }
    await this.#assertWithinLimit(page, counts);
    signal.throwIfAborted();
  }

  async #assertWithinLimit(page: RecordPage, counts: StageCounts): Promise<void> {
    const { stage, rejects } = this.#job;
    const { before, limit } = rejects;
    try {
      assertWithinLimit(limit, {
        rejected: before.rejected + counts.rejected,
        read: before.read + counts.read,
      });
    } catch (error) {
      // The report shows the counts that the run stopped for.
      await this.#tools.state.noteStage({ ...stage, counts, to: page.source.position });
      throw error;
    }
  }

  /** All warnings, when the line has ended. */
  all(): readonly string[] {
    const superseded = this.#superseded === 0 ? [] : [supersededWarning(this.#superseded)];
    const namesPlaces = this.#tools.source.placesAreLines === true;
    const ofFields = [...this.#omitted.warnings(namesPlaces), ...this.lost.warnings(namesPlaces)];
    return [...this.warnings, ...superseded, ...ofFields];
  }
}
