import type { Discovery } from "../../../connectors/contract/connector.ts";
import { didYouMean } from "../../config/messages/did-you-mean.ts";
import { ConfigError, messageOf } from "../../errors.ts";
import { Secret } from "../../security/secret.ts";
import { discoveriesDefault } from "../limits.ts";
import type { Answers } from "./answers.ts";
import { discover, sampled, type NewConnection } from "./init-source.ts";
import type { ProjectPlan } from "./project-text.ts";

/** Where a new project is made, and with which variables. */
export type Surroundings = {
  /** The folder of the project. */
  readonly folder: string;
  /** The environment, over an existing `.env`. */
  readonly variables: ReadonlyMap<string, string>;
  /** Ends the planning. */
  readonly signal: AbortSignal;
};

/** A connection that answered, and what it holds. */
export type Reached = {
  readonly connection: NewConnection;
  readonly reads: ProjectPlan["reads"];
  readonly found: readonly Discovery[];
  /** The URL, if it was typed. */
  readonly typedUrl?: Secret;
};

/** Finds files. @throws {SluiceError} there are none, or they cannot be read. */
export async function reachFiles(
  answers: Answers,
  { folder, signal }: Surroundings,
): Promise<Reached> {
  return await answers.ask({
    flag: "path",
    text: "Path of the file, or a pattern such as ./exports/*.csv",
    parse: async (path) => {
      const around = { shownAs: "path", folder, signal };
      try {
        const reached = await reachAs({ path }, around);
        if (!(await isMisread(reached))) return reached;
      } catch (error) {
        if (!/is not utf-8/.test(messageOf(error))) throw error;
      }
      return await reachAs({ path, encoding: "windows-1252" }, around);
    },
  });
}

async function reachAs(
  reads: { readonly path: string; readonly encoding?: string },
  around: Pick<NewConnection, "shownAs" | "folder" | "signal">,
): Promise<Reached> {
  const connection: NewConnection = { connector: "csv", members: reads, ...around };
  return { connection, reads, found: await discover(connection) };
}

async function isMisread({ connection, found }: Reached): Promise<boolean> {
  const [first] = found;
  return first !== undefined && (await sampled(connection, first)).isMisread;
}

/** Reaches a database by the variable that holds its URL. @throws {SluiceError} it cannot be reached. */
export async function reachDatabase(answers: Answers, around: Surroundings): Promise<Reached> {
  const { folder, variables, signal } = around;
  const variable = await answers.ask({
    flag: "url-env",
    text: "Name of the variable that holds the database's URL",
    parse: variableName,
  });
  const reach = async (url: string): Promise<Reached> => {
    const connection = {
      connector: "postgres",
      members: { url },
      shownAs: variable,
      folder,
      signal,
    } as const;
    return { connection, reads: { variable }, found: await discover(connection) };
  };
  const url = variables.get(variable) ?? "";
  if (url !== "") return await reach(url);
  return await answers.askSecret({
    variable,
    text: `${variable} is not set. URL of the database, to be kept in .env`,
    parse: async (typed) => ({ ...(await reach(typed)), typedUrl: new Secret(typed) }),
  });
}

/** The table to read. If the files have the same columns, nothing is asked. */
export async function pick(answers: Answers, { connection, found }: Reached): Promise<Discovery> {
  const isFiles = connection.connector === "csv";
  const [only] = found;
  if (isFiles && found.length === 1 && only !== undefined) return only;
  const known = found.map(({ name }) => name);
  const called = known.flatMap((name) => [name.replace(/^public\./, ""), name]);
  return await answers.ask({
    flag: "table",
    text: isFiles ? "Which file; their columns differ" : "Which table",
    choices: known.slice(0, discoveriesDefault),
    fallback: isFiles || found.length > 1 ? undefined : only?.name,
    parse: (answer) => {
      const one = found.find(({ name }) => name === answer || name === `public.${answer}`);
      if (one !== undefined) return one;
      const what = isFiles ? "file" : "table or view that this user may read";
      throw new ConfigError(`there is no ${what} called ${answer}${didYouMean(answer, called)}`, {
        hint: `there are: ${known.slice(0, discoveriesDefault).join(", ")}`,
      });
    },
  });
}

function variableName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return name;
  throw new ConfigError(
    "the name of a variable is letters, digits and _, such as CRM_DATABASE_URL",
    {
      hint: "Give the variable's name; the URL itself never is in a flag.",
    },
  );
}
