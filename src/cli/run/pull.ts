import type { Column } from "../../../connectors/contract/connector.ts";
import { sourcesOf } from "../../../connectors/registry.ts";
import { checkWriteBack } from "../../../connectors/source.ts";
import type { Progress } from "../../../workflows/sync/progress.ts";
import { targetOf, type Config } from "../../config/config.ts";
import type { ColumnPaths, PullConfig } from "../../config/schema/pull.ts";
import { resultPathType } from "../../config/schema/result-paths.ts";
import { ConfigError } from "../../errors.ts";
import { pullWorkflow } from "../../schedules/wanted.ts";
import { pullLock } from "../../state/contract/pull/pulls.ts";
import { sourceMsMax } from "../limits.ts";
import { pullNamed } from "../named.ts";
import { configOf, withGlobals } from "../output/context.ts";
import type { Context, Register } from "../output/context.ts";
import { positive } from "../positive.ts";
import { driveRun, type Drive, type DriveOptions } from "../running/drive.ts";

type PullOptions = DriveOptions & {
  readonly ddl?: boolean;
  readonly full?: boolean;
  readonly limit?: number;
};

function columnsOf(of: PullConfig["of"], paths: ColumnPaths, isNullable: boolean): Column[] {
  return Object.entries(paths).map(([name, path]) => ({
    name,
    type: resultPathType(of, path),
    isNullable,
  }));
}

/** The statement that creates what the pull writes to. @throws {ConfigError} its connector needs none. */
function ddlOf(config: Config, { of, name, writeBack }: PullConfig): string {
  const { connector, connectorConfig, key, set } = writeBack;
  const source = sourcesOf(config).get(connector);
  if (source?.ddl === undefined) {
    throw new ConfigError(`pull ${name} writes to ${connector}, which needs nothing made`);
  }
  const columns = { key: columnsOf(of, key, false), set: columnsOf(of, set, true) };
  return source.ddl({ config: connectorConfig, ...columns });
}

/** The share of its domains that a pull has finished; undefined for a search, which cannot know. */
async function domainShare({ pull }: Progress): Promise<number | undefined> {
  const { domains } = pull ?? {};
  return domains === undefined ? undefined : (domains.done + domains.refused) / domains.listed;
}

function driveOf(config: Config, pull: PullConfig, { full, limit }: PullOptions): Drive {
  const { name } = pull;
  return {
    name,
    kind: "pull",
    lock: pullLock(targetOf(config.api), name),
    doing: "done",
    command: `sluice pull ${name}`,
    workflow: pullWorkflow(pull),
    input: { pull: name, full, limit },
    asked: [full, limit],
    shareOf: () => domainShare,
  };
}

async function pullNow(
  context: Context,
  name: string | undefined,
  options: PullOptions,
): Promise<void> {
  const config = await configOf(context, options);
  const pull = pullNamed(config, name);
  if (options.ddl === true) {
    const ddl = ddlOf(config, pull);
    context.print(options.json ? JSON.stringify({ pull: pull.name, ddl }) : ddl);
    return;
  }
  // Before anything is started or paid for.
  await checkWriteBack({ sources: sourcesOf(config) }, pull, AbortSignal.timeout(sourceMsMax));
  await driveRun(context, config, { drives: [driveOf(config, pull, options)], options });
}

/** `sluice pull [pull]`. */
export const registerPull: Register = (program, context) => {
  withGlobals(program.command("pull [pull]"))
    .description("pull results into a connection now; without a name, the only pull")
    .option("--ddl", "print the statement that makes the table it writes to, and do nothing else")
    .option("--full", "begin anew, whatever the last run left to do")
    .option("-n, --limit <results>", "read at most this many results", positive)
    .option("--no-wait", "start it and print the workflow's id")
    .action(
      async (name: string | undefined, options: PullOptions) =>
        await pullNow(context, name, options),
    );
};
