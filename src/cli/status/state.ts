import { sourcesOf } from "../../../connectors/registry.ts";
import { systemClock } from "../../clock.ts";
import { targetOf, type Config } from "../../config/config.ts";
import { ConfigError, messageOf } from "../../errors.ts";
import type { Adoption } from "../../state/contract/keys/adoptions.ts";
import type { SyncName } from "../../state/contract/runs/checkpoints.ts";
import { sendLock } from "../../state/contract/runs/locks.ts";
import type { StateStore } from "../../state/state-store.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { counted } from "../../text/quantities.ts";
import { doubtfulSyncsMax } from "../limits.ts";
import { syncNamed } from "../named.ts";
import { configOf, withGlobals, withState } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { keepWorst } from "../output/exit-code.ts";
import { oneByOne } from "../output/one-by-one.ts";
import { outliveReader } from "../output/output.ts";
import { addAdopt } from "./adopt.ts";
import { assertIdle } from "./idle.ts";
import { fullAfterReset } from "./inbox.ts";
import { rebind } from "./rebind.ts";
import { resetSync } from "./reset.ts";

/** The position that a person typed. @throws {ConfigError} it is not one of this sync's source. */
function parsePosition(config: Config, name: string, text: string): unknown {
  const source = sourcesOf(config).get(syncNamed(config, name).connector);
  try {
    const position: unknown = JSON.parse(text);
    return source?.position.parse(position);
  } catch (error) {
    // A schema's own words list every member of every form: the hint says more.
    const why = error instanceof SyntaxError ? `: ${messageOf(error)}` : "";
    throw new ConfigError(`not a position of sync ${name}${why}`, {
      hint: "take the form that `sluice state show` prints; `sluice state reset` goes back to the beginning",
    });
  }
}

type SetOptions = GlobalOptions & {
  readonly reason: string;
  /** For `reset`: another service or account than the configured one. */
  readonly target?: string | undefined;
};

/** The target and the sync that are meant; for another target, the sync need not be configured any more. */
function nameOf(
  config: Config,
  name: string,
  { target }: SetOptions,
): { readonly target: string; readonly sync: string } {
  if (target !== undefined) return { target, sync: name };
  return { target: targetOf(config.api), sync: syncNamed(config, name).name };
}

/** @throws {ConfigError} the store has no such checkpoint: a mistyped target would otherwise silently do nothing. */
async function assertKnown(
  state: StateStore,
  { target, sync }: { readonly target: string; readonly sync: string },
): Promise<void> {
  const { version } = await state.checkpoint({ target, sync });
  if (version > 0) return;
  const doubtful = await state.doubtfulSyncs({ limit: doubtfulSyncsMax });
  if (doubtful.some((each) => each.sync === sync && each.target === target)) return;
  throw new ConfigError(`sync ${sync} has no checkpoint of ${target}`, {
    hint: "take the target that `sluice status` names",
  });
}

/** Says which records in doubt a reset abandons: they may be in no source any more. */
async function tellOfDoubts(
  context: Context,
  state: StateStore,
  { target, sync }: SyncName,
): Promise<void> {
  const { inDoubt, lost } = await state.doubtFacts({ target, sync, now: systemClock()() });
  if (inDoubt + lost === 0) return;
  const many = counted(inDoubt + lost, "record");
  context.say(
    `${sync}: an older value may have been applied over ${many}: they go again as far as the source still holds them`,
  );
}

function adoptionJson({ undoneAt, adoptedAt, ...adoption }: Adoption): object {
  return { ...adoption, adopted_at: adoptedAt, undone_at: undoneAt };
}

function adoptionText({ fields, reason, records, adoptedAt, undoneAt }: Adoption): string {
  const undone = undoneAt === null ? "" : `, undone on ${undoneAt}`;
  return `${counted(records, "record")} adopted on ${adoptedAt} in ${fields.join(", ")}${undone}: ${reason}`;
}

async function showState(
  context: Context,
  asked: { readonly name: string | undefined; readonly options: GlobalOptions },
): Promise<void> {
  const { name, options } = asked;
  const config = await configOf(context, options);
  const target = targetOf(config.api);
  const names = name === undefined ? [...config.syncs.keys()] : [syncNamed(config, name).name];
  await withState(config, async (store) => {
    for (const sync of names) {
      const checkpoint = await store.checkpoint({ target, sync });
      const changes = await store.checkpointAudit({ target, sync });
      const adoptions = await store.adoptions({ target, sync });
      const known = await store.identities({ holder: sendLock(target, sync) });
      const [account, source] = [known.account?.shown, known.source?.shown];
      if (options.json) {
        const { version, position, runId, updatedAt } = checkpoint;
        const shown = { sync, target, version, position, run_id: runId, updated_at: updatedAt };
        context.print(
          plainJson({
            ...shown,
            account,
            source,
            changed_by_hand: changes,
            adoptions: adoptions.map(adoptionJson),
          }),
        );
      } else {
        const { version, position, runId } = checkpoint;
        const by = runId === null ? "" : ` (run ${runId})`;
        context.print(
          `${sync}: version ${version}${by}: ${position === null ? "the beginning" : plainJson(position)}`,
        );
        for (const side of [account, source]) {
          if (side !== undefined) context.print(`  ${plainText(side)}`);
        }
        for (const { version: changed, reason, changedAt } of changes) {
          context.print(
            `  version ${changed} was set by hand on ${changedAt}: ${plainText(reason)}`,
          );
        }
        for (const adoption of adoptions) context.print(plainText(`  ${adoptionText(adoption)}`));
      }
    }
  });
}

/** Sets the checkpoint of a sync, or resets the sync where the position is null. */
async function move(
  context: Context,
  { name, position }: { readonly name: string; readonly position: unknown },
  options: SetOptions,
): Promise<void> {
  const config = await configOf(context, options);
  const { target, sync } = nameOf(config, name, options);
  await withState(config, async (store) => {
    await assertIdle(store, config, { target, sync });
    if (options.target !== undefined) await assertKnown(store, { target, sync });
    const how = { reason: options.reason, at: new Date(store.now()).toISOString() };
    const { version } = await store.checkpoint({ target, sync });
    if (position === null) await tellOfDoubts(context, store, { target, sync });
    const { moved, backfills = [] } =
      position === null
        ? await resetSync(store, { target, sync }, how)
        : { moved: await store.setCheckpoint({ target, sync, version, position, ...how }) };
    context.print(
      options.json
        ? JSON.stringify(moved)
        : `checkpoint of ${sync} is now version ${moved.version}`,
    );
    const full = position === null ? await fullAfterReset(config, sync) : undefined;
    if (full !== undefined && options.target === undefined) context.say(full);
    for (const { runId, workflowId } of backfills) {
      context.say(
        `backfill ${runId} has ended: \`sluice cancel ${workflowId}\`, or the next backfill, stops its workflow`,
      );
    }
  });
}

/** `sluice state show|set|reset|adopt|rebind`. */
export const registerState: Register = (program, context) => {
  const state = program.command("state").description("where a sync continues from");
  withGlobals(state.command("show [sync]"), "lines")
    .description("checkpoints, their versions and positions")
    .action(async (name: string | undefined, options: GlobalOptions) => {
      await showState(context, { name, options });
    });
  withGlobals(state.command("set <sync> <position>"))
    .description("set a sync's checkpoint to a position, as `state show` prints it")
    .requiredOption("--reason <text>", "kept with the change")
    .action(async (name: string, position: string, options: SetOptions) => {
      const config = await configOf(context, options);
      await move(context, { name, position: parsePosition(config, name, position) }, options);
    });
  withGlobals(state.command("reset [sync]"), "lines")
    .description("go back to the source's beginning and send everything again; without a name, all")
    .requiredOption("--reason <text>", "kept with the change")
    .option(
      "--target <target>",
      "the one of another service or account, as `sluice status` names it",
    )
    .action(async (name: string | undefined, options: SetOptions) => {
      // Half of the syncs reset would be worse than none.
      outliveReader();
      const { syncs } = await configOf(context, options);
      if (name === undefined && options.target !== undefined) {
        throw new ConfigError("--target needs the name of a sync", {
          hint: "`sluice state reset <sync> --target …`, with the name and the target that `sluice status` names",
        });
      }
      const kept = keepWorst(context);
      const names = name === undefined ? [...syncs.keys()] : [name];
      await oneByOne(names, { context: kept, options }, async (each) => {
        await move(kept, { name: each, position: null }, options);
      });
    });
  addAdopt(state, context);
  withGlobals(state.command("rebind [sync]"), "lines")
    .description("say that the key, or the database, is another but the same account or data")
    .action(async (name: string | undefined, options: GlobalOptions) => {
      outliveReader();
      await rebind(context, name, options);
    });
};
