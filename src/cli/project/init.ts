import { sources } from "../../../connectors/registry.ts";
import { readVariables } from "../../config/document/variables.ts";
import { configJsonSchema } from "../../config/schema/json-schema.ts";
import { ConfigError } from "../../errors.ts";
import { isAtTerminal, type Context, type Register } from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";
import { testFolder } from "../test/find-tests.ts";
import { FlagAnswers, type Flag } from "./answers.ts";
import { addIgnored, addSecret, makeFolders, refuseExisting, writeFiles } from "./files.ts";
import { planProject, type InitPlan } from "./init-plan.ts";
import { configText, environmentText } from "./project-text.ts";
import { TerminalAnswers } from "./terminal.ts";

type InitOptions = {
  readonly force?: boolean;
  readonly json?: boolean;
  readonly connector?: string;
  readonly path?: string;
  readonly urlEnv?: string;
  readonly table?: string;
  readonly stream?: string;
  readonly id?: string;
  readonly domain?: string;
  readonly email?: string;
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly columnZone?: string;
};

const fileNames = ["sluice.yaml", "sluice.schema.json", ".env.example"] as const;

/** `sluice init`. */
export const registerInit: Register = (program, context) => {
  program
    .command("init [file]")
    .description("make a project in this folder; asks in a terminal, else takes options")
    .option("--connector <name>", "where the rows are: csv or postgres")
    .option("--path <path>", "csv: the file, or a pattern")
    .option("--url-env <variable>", "postgres: the variable that holds the database's URL")
    .option("--table <name>", "postgres: the table; csv: for files whose columns differ, the one")
    .option("--stream <stream>", "what a row is: account or contact (default: a guess)")
    .option("--id <column>", "the column that names a row (default: a guess)")
    .option("--domain <column>", "for accounts, the column with the domain (default: a guess)")
    .option("--email <column>", "for contacts, the column with the address (default: a guess)")
    .option("--schedule <when>", 'when it runs by itself: 02:30, or "30 2 * * 1-5" (default: none)')
    .option("--time-zone <zone>", "the zone of these times (default: this machine's)")
    .option(
      "--column-zone <zone>",
      "postgres: the zone of a change column that has none, such as UTC",
    )
    .option("--force", "replace the files that are here")
    .option("--json", "print JSON: one object")
    .action(async (file: string | undefined, given: InitOptions) => {
      const options = withSource(file, given);
      if (options.force !== true) await refuseExisting(context.cwd, fileNames);
      const plan = await planOf(context, options);
      if (plan === undefined) {
        context.say("nothing was written");
        context.exit(exitCodes.interrupted);
        return;
      }
      if (options.force !== true) await refuseExisting(context.cwd, [testsName(plan)]);
      const written = await writeProject(context.cwd, plan, options.force === true);
      show(context, { plan, written, isJson: options.json === true });
    });
};

function testsName({ syncName }: Pick<InitPlan, "syncName">): string {
  return `${testFolder}/${syncName}.yaml`;
}

/** A file that is named, or its path, means CSV; the variable of a URL means Postgres. */
function withSource(file: string | undefined, options: InitOptions): InitOptions {
  if (file !== undefined && options.path !== undefined) {
    throw new ConfigError(`${file} and --path ${options.path}: name one of them`);
  }
  const path = file ?? options.path;
  const ofUrl = options.urlEnv === undefined ? undefined : "postgres";
  const guess = path === undefined ? ofUrl : "csv";
  const connector = options.connector ?? guess;
  return {
    ...options,
    ...(path !== undefined && { path }),
    ...(connector !== undefined && { connector }),
  };
}

/** Undefined if the person at the terminal ended the questions. */
async function planOf(context: Context, options: InitOptions): Promise<InitPlan | undefined> {
  const folder = context.cwd;
  const where = { folder, variables: await readVariables(folder, context.environment.variables) };
  const given = givenFlags(options);
  if (given.size > 0 || options.json === true || !isAtTerminal(context)) {
    const answers = new FlagAnswers(given);
    const plan = await planProject(answers, { ...where, signal: new AbortController().signal });
    answers.assertAllUsed();
    return plan;
  }
  const answers = new TerminalAnswers({ input: process.stdin, output: process.stderr });
  try {
    return await planProject(answers, { ...where, signal: answers.ended });
  } catch (error) {
    if (!answers.ended.aborted) throw error;
    return undefined;
  } finally {
    answers.close();
  }
}

function givenFlags(options: InitOptions): ReadonlyMap<Flag, string> {
  const values: readonly (readonly [Flag, string | undefined])[] = [
    ["connector", options.connector],
    ["path", options.path],
    ["url-env", options.urlEnv],
    ["table", options.table],
    ["stream", options.stream],
    ["id", options.id],
    ["domain", options.domain],
    ["email", options.email],
    ["schedule", options.schedule],
    ["time-zone", options.timeZone],
    ["column-zone", options.columnZone],
  ];
  return new Map(values.flatMap(([flag, value]) => (value === undefined ? [] : [[flag, value]])));
}

/** Returns the names of the files that were made or added to. */
async function writeProject(
  folder: string,
  plan: InitPlan,
  replace: boolean,
): Promise<readonly string[]> {
  const schema = `${JSON.stringify(configJsonSchema(sources), null, 2)}\n`;
  const [config, schemaFile, example] = fileNames;
  const files = [
    { name: config, text: configText(plan) },
    { name: schemaFile, text: schema },
    { name: example, text: environmentText(plan) },
    { name: testsName(plan), text: plan.tests },
  ];
  // First: where one cannot be made, nothing is written.
  await makeFolders(
    folder,
    files.map(({ name }) => name),
  );
  // Files that must not be committed are listed before they are there.
  const isIgnored = await addIgnored(folder, [".env", ".sluice/"]);
  const { reads, typedUrl } = plan;
  const isSecret = "variable" in reads && typedUrl !== undefined;
  if (isSecret) await addSecret(folder, reads.variable, typedUrl.reveal());
  await writeFiles(folder, files, { replace });
  return [
    ...files.map(({ name }) => name),
    ...(isIgnored ? [".gitignore"] : []),
    ...(isSecret ? [".env"] : []),
  ];
}

function show(
  context: Context,
  done: { readonly plan: InitPlan; readonly written: readonly string[]; readonly isJson: boolean },
): void {
  const { plan, written, isJson } = done;
  const next = [
    "sluice validate",
    `sluice preview ${plan.syncName}`,
    "sluice test",
    `sluice run ${plan.syncName}`,
  ];
  if (isJson) {
    context.print(JSON.stringify({ written, sync: plan.syncName, next }));
    return;
  }
  context.say(`wrote ${written.join(", ")}`);
  if (plan.schedule !== undefined) context.say("`sluice schedule apply` begins the schedule");
  context.print(["Next:", ...next.map((command) => `  ${command}`)].join("\n"));
}
