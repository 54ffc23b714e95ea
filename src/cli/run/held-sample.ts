import { ConfigError, StagedFileMissingError } from "../../errors.ts";
import { stagedFile } from "../../staging/folder.ts";
import { stagedLines } from "../../staging/staged-lines.ts";
import { openHold } from "../../state/contract/runs/holds.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { ChangeExample } from "../../state/contract/sends/changes.ts";
import type { StateStore } from "../../state/state-store.ts";
import { plainText } from "../../text/plain-text.ts";

/** A record that a held run would send, as `--json` prints it. */
export type SampleRecord = {
  readonly kind: ChangeExample["kind"];
  readonly place: string | null;
  readonly record: unknown;
};

/** A record of a sample for a person, who sees its values. */
export function sampleLine({ kind, place, record }: SampleRecord): string {
  return plainText(
    `${kind.padEnd(7)}  ${place === null ? "" : `${place}  `}${JSON.stringify(record)}`,
  );
}

/**
 * The first records of each kind that a held run would send, exactly as they were staged.
 * @throws {ConfigError} the run is not held, or was staged on another host.
 */
export async function* heldSample(
  state: Pick<StateStore, "tally">,
  { run, stagingFolder }: { readonly run: Run; readonly stagingFolder: string },
): AsyncGenerator<SampleRecord> {
  const { runId, sync } = run;
  if (openHold(run) === undefined) {
    throw new ConfigError(`run ${runId} is not held: nothing of it waits to be sent`, {
      hint: `\`sluice explain ${sync} <key>\` says what became of a record`,
    });
  }
  const { changes } = await state.tally({ runId, staged: true });
  for (const { kind, chunk, stage, record, place } of changes?.examples ?? []) {
    const file = stagedFile(stagingFolder, { runId, chunk, stage });
    try {
      for await (const { line } of stagedLines(file, [[record, record + 1]])) {
        yield { kind, place, record: JSON.parse(line.toString()) as unknown };
      }
    } catch (error) {
      if (!(error instanceof StagedFileMissingError)) throw error;
      throw new ConfigError(`the staged files of run ${runId} are not on this host, or are lost`, {
        hint: "run the command on the host that staged them; lost files are staged again before anything is sent",
        cause: error,
      });
    }
  }
}
