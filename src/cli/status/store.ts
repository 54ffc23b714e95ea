import { ConfigError } from "../../errors.ts";
import { lookAtStore, type StoreLook } from "../../state/postgres/look-at-store.ts";
import { migrateStore, pendingStatements } from "../../state/postgres/migrate.ts";
import type { StoreServer } from "../../state/postgres/server.ts";
import { storeName } from "../../state/postgres/server.ts";
import { plainText } from "../../text/plain-text.ts";
import { byteText, durationText } from "../../text/quantities.ts";
import { configOf, readState, withGlobals } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { type CopyOptions, copyStoreOf } from "./copy-store.ts";

type MigrateOptions = GlobalOptions & { readonly ddl?: boolean };

/** The store in Postgres of a configuration. */
async function serverOf(context: Context, options: GlobalOptions): Promise<StoreServer> {
  const { store } = await configOf(context, options);
  if (store !== undefined) return store;
  throw new ConfigError("sluice.yaml names no `store`: the state is in the state folder", {
    field: "store",
    hint: "a store in a folder is migrated by whichever command opens it first",
  });
}

/** What is told of a store in Postgres. */
export function storeText({ storeId, version, bytes, clockAheadMs }: StoreLook): string {
  const clock = `its clock is ${durationText(Math.abs(clockAheadMs))} ${clockAheadMs < 0 ? "behind" : "ahead"}`;
  return `store ${storeId}, version ${version}, ${byteText(bytes)}; ${clock}`;
}

/** `sluice store migrate|show|copy`. */
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
  withGlobals(store.command("show"))
    .description("which store this project uses; of one in Postgres its version, size and clock")
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
