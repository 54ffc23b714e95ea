import { BusyError, ConfigError } from "../../errors.ts";
import { liveWorkers } from "../../hosts/live-workers.ts";
import { temporalRecord, temporalText } from "../../hosts/store-guards.ts";
import { connectTemporal } from "../../local/connect.ts";
import { temporalIdOf } from "../../local/presence.ts";
import { lookAtStore, type StoreLook } from "../../state/postgres/look-at-store.ts";
import { migrateStore, pendingStatements, renameProject } from "../../state/postgres/migrate.ts";
import type { StoreServer } from "../../state/postgres/server.ts";
import { storeName } from "../../state/postgres/server.ts";
import { plainText } from "../../text/plain-text.ts";
import { byteText, durationText } from "../../text/quantities.ts";
import { configOf, readState, withGlobals, withState } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { temporalFor } from "../running/session.ts";
import { type CopyOptions, copyStoreOf } from "./copy-store.ts";

type MigrateOptions = GlobalOptions & { readonly ddl?: boolean };

/** The store in Postgres of a configuration. */
async function serverOf(context: Context, options: GlobalOptions): Promise<StoreServer> {
  const { store } = await configOf(context, options);
  if (store !== undefined) return store;
  throw new ConfigError("sluice.yaml names no `store`: the state is in the state folder", {
    field: "store",
    hint: "only one in Postgres needs this: a store in a folder is migrated by whichever command opens it first",
  });
}

/** The text about a store in Postgres. */
export function storeText({ storeId, version, bytes, clockAheadMs }: StoreLook): string {
  const clock = `its clock is ${durationText(Math.abs(clockAheadMs))} ${clockAheadMs < 0 ? "behind" : "ahead"}`;
  return `id ${storeId}, version ${version}, ${byteText(bytes)}; ${clock}`;
}

/**
 * Has the store used with the Temporal that this machine is configured for, when the one that it was used with is gone.
 * @throws {BusyError} a worker is alive there.
 */
async function rebind(context: Context, options: GlobalOptions): Promise<void> {
  await serverOf(context, options);
  const config = await configOf(context, options);
  await withState(config, async (state) => {
    const { address, release } = await temporalFor(config, context, state.storeId);
    try {
      const { client, close } = await connectTemporal(address);
      let temporalId: string;
      try {
        temporalId = await temporalIdOf(client);
      } finally {
        await close();
      }
      const temporal = temporalRecord(temporalId, address);
      const was = await state.bindTemporal({ temporal, isRebound: false });
      const withinMs = config.advanced.hostLostAfterMs;
      const at = { temporalId: was.id, nowMs: Date.now(), withinMs };
      const [worker] = was.id === temporal.id ? [] : await liveWorkers(state, at);
      if (worker !== undefined) {
        throw new BusyError(
          `process ${worker.process} (sluice ${worker.command}) works at ${temporalText(was)}`,
          { hint: "stop the workers there first: their runs would begin anew here" },
        );
      }
      const is = await state.bindTemporal({ temporal, isRebound: true });
      if (options.json) context.print(JSON.stringify({ was, is }));
      else context.print(plainText(`the store is used with ${temporalText(is)}`));
    } finally {
      await release();
    }
  });
}

type RenameOptions = GlobalOptions & { readonly from: string };

/**
 * Has the store belong to the project of the configuration, if it belonged to one with the given name.
 * @throws {ConfigError} it did not. @throws {BusyError} a worker is alive, which may be another project's.
 */
async function rename(context: Context, options: RenameOptions): Promise<void> {
  const server = await serverOf(context, options);
  const config = await configOf(context, options);
  const { from, json } = options;
  // Without a project's name: the renaming itself checks whose the store is.
  const asNobody = { ...config, store: { ...server, project: undefined } };
  const withinMs = config.advanced.hostLostAfterMs;
  const [beat] = await withState(
    asNobody,
    async (state) => await liveWorkers(state, { nowMs: state.now(), withinMs }),
  );
  if (beat !== undefined) {
    throw new BusyError(
      `process ${beat.process} (sluice ${beat.command}) works with ${storeName(server)}`,
      {
        hint: "stop the workers first: those of another project would continue in this one's tables",
      },
    );
  }
  await renameProject(server, from);
  if (json === true) context.print(JSON.stringify({ was: from, is: server.project }));
  else context.print(plainText(`${storeName(server)} is that of project ${server.project}`));
}

/** `sluice store migrate|show|copy|rebind|rename`. */
export const registerStore: Register = (program, context) => {
  const store = program.command("store").description("where the state is kept");
  withGlobals(store.command("migrate"))
    .description("make the tables of a store in Postgres, or bring them to this version")
    .option("--ddl", "print the statements that are to be run, and run none")
    .action(async (options: MigrateOptions) => {
      const server = await serverOf(context, options);
      if (options.ddl === true) {
        const statements = await pendingStatements(server);
        if (options.json) context.print(JSON.stringify({ statements }));
        else for (const statement of statements) context.print(`${statement};`);
        return;
      }
      const { from, to } = await migrateStore(server);
      if (options.json) context.print(JSON.stringify({ from, to }));
      else if (from === to) context.print(`nothing to do: version ${to}`);
      else context.print(`version ${from} → ${to}`);
    });
  withGlobals(store.command("copy"))
    .description("move the project between the state folder and Postgres, while nothing runs")
    .requiredOption(
      "--to <store>",
      "sqlite, postgres for the one that sluice.yaml names, or its URL",
    )
    .action(async (options: CopyOptions) => await copyStoreOf(options, context));
  withGlobals(store.command("rebind"))
    .description(
      "have the store used with the Temporal that is configured here, in place of another",
    )
    .action(async (options: GlobalOptions) => await rebind(context, options));
  withGlobals(store.command("rename"))
    .description("have the store belong to this project, which had another name")
    .requiredOption("--from <project>", "the name that it had")
    .action(async (options: RenameOptions) => await rename(context, options));
  withGlobals(store.command("show"))
    .description(
      "which store this project uses; for one in Postgres also its version, size and clock",
    )
    .action(async (options: GlobalOptions) => {
      const config = await configOf(context, options);
      const { storeId } = await readState(config, async (state) => await Promise.resolve(state));
      if (config.store === undefined) {
        const place = config.stateFolder;
        if (options.json) context.print(JSON.stringify({ place, store: storeId }));
        else context.print(plainText(`${place}: store ${storeId}`));
        return;
      }
      const look = await lookAtStore(config.store);
      const { version, bytes, clockAheadMs } = look;
      const facts = { version, bytes, clock_ahead_ms: clockAheadMs };
      const place = storeName(config.store);
      if (options.json) context.print(JSON.stringify({ place, store: storeId, ...facts }));
      else context.print(plainText(`${place}: ${storeText(look)}`));
    });
};
