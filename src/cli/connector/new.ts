import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import { Option } from "commander";

import { isMissing, readFault } from "../../config/document/read-fault.ts";
import { membersOf } from "../../config/schema/members.ts";
import { ConfigError, errorCodeOf } from "../../errors.ts";
import type { Context, Register } from "../output/context.ts";
import { addHarness } from "./new-harness.ts";
import { placeholder, shownPath, templates } from "./templates.ts";

type NewOptions = {
  readonly push?: boolean;
  readonly full?: boolean;
  readonly harness?: boolean;
  readonly dir: string;
};

const nameForm = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** `sluice connector new <name>`. */
export const registerConnectorNew: Register = (connector, context) => {
  connector
    .command("new <name>")
    .description("write a connector that works, in a folder of its name, to be made yours")
    .option("--push", "one that is pushed to, instead of one that is read")
    .option("--full", "one with every ability, in files of its own")
    .addOption(
      new Option(
        "--harness",
        "for a connector that is there (its path): what `connector test` tries it on",
      ).conflicts(["push", "full"]),
    )
    .option("--dir <folder>", "where its folder is made", ".")
    .action(async (name: string, options: NewOptions) => {
      await (options.harness === true
        ? addHarness(context, resolve(context.cwd, options.dir, name))
        : makeConnector(context, name, options));
    });
};

/** @throws {ConfigError} the name does not suit a connector, or its folder is there already. */
async function makeConnector(context: Context, name: string, options: NewOptions): Promise<void> {
  const { push = false, full = false, dir } = options;
  if (!nameForm.test(name)) {
    throw new ConfigError(`"${name}" is not a name for a connector`, {
      hint: "small letters, digits and single hyphens between them: acme-crm",
    });
  }
  const folder = resolve(context.cwd, dir, name);
  const shown = shownPath(context, folder);
  await makeFolder(folder, shown);
  const template = `connector-${push ? "push" : "pull"}${full ? "-full" : ""}`;
  const files = await writeFiles(folder, { name, template });
  context.say(`wrote ${shown}: ${files.join(", ")}`);
  const steps = [
    `sluice connector dev ${shown}`,
    `sluice connector test ${shown}`,
    `write "connector: ${shown}" under a connection of sluice.yaml`,
  ];
  context.print(["Next:", ...steps].join("\n  "));
}

/** @throws {ConfigError} it is there already, or cannot be made. */
async function makeFolder(folder: string, shown: string): Promise<void> {
  try {
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(folder);
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") {
      throw new ConfigError(`${shown} is there already, and was left as it is`, {
        hint: "take another name, or another place with --dir",
      });
    }
    throw new ConfigError(`${shown} cannot be made: ${readFault(error)}`, { cause: error });
  }
}

/** Writes the files of a template and returns their names. */
async function writeFiles(
  folder: string,
  { name, template }: { readonly name: string; readonly template: string },
): Promise<readonly string[]> {
  const from = new URL(`${template}/`, templates);
  const texts = new Map<string, string>();
  for (const file of (await readdir(from)).toSorted()) {
    const text = await readFile(new URL(file, from), "utf8");
    texts.set(file, text.replaceAll(placeholder, name));
  }
  if (!(await isModules(dirname(folder)))) {
    texts.set("package.json", `${JSON.stringify({ private: true, type: "module" }, null, 2)}\n`);
  }
  for (const [file, text] of texts) await writeFile(join(folder, file), text, { flag: "wx" });
  return [...texts.keys()];
}

/** Whether files of a folder are modules, by the nearest package.json. */
async function isModules(folder: string): Promise<boolean> {
  try {
    const text = await readFile(join(folder, "package.json"), "utf8");
    return membersOf(JSON.parse(text))["type"] === "module";
  } catch (error) {
    // A package.json that cannot be read says nothing, so the connector brings its own.
    if (!isMissing(error)) return false;
    return dirname(folder) !== folder && (await isModules(dirname(folder)));
  }
}
