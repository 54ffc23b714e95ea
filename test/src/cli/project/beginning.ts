import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Command } from "commander";

import type { Context } from "../../../../src/cli/output/context.ts";
import { exitCodeOfError, exitCodes } from "../../../../src/cli/output/exit-code.ts";
import { registerInit } from "../../../../src/cli/project/init.ts";
import { registerValidate } from "../../../../src/cli/project/validate.ts";
import { registerPreview } from "../../../../src/cli/run/preview.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { messageOf, SluiceError } from "../../../../src/errors.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

type Ended = { readonly printed: string; readonly said: string; readonly code: number };

/** A folder for a new project. */
export class Beginning {
  readonly folder: string;
  readonly #variables: Readonly<Record<string, string>>;

  private constructor(folder: string, variables: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.#variables = variables;
  }

  static async make(
    files: Readonly<Record<string, string>>,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<Beginning> {
    const folder = await temporaryFolder();
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return new Beginning(folder, variables);
  }

  /** Runs a command. Returns its output. */
  async run(...args: string[]): Promise<Ended> {
    const [printed, said]: [string[], string[]] = [[], []];
    let code: number = exitCodes.done;
    const context: Context = {
      cwd: this.folder,
      environment: readEnvironment(this.#variables),
      print: (text) => void printed.push(text),
      say: (text) => void said.push(text),
      exit: (given) => {
        code = given;
      },
    };
    const program = new Command().exitOverride();
    [registerInit, registerPreview, registerValidate].forEach((to) => to(program, context));
    await program.parseAsync(args, { from: "user" });
    return { printed: printed.join("\n"), said: said.join("\n"), code };
  }

  /** Runs a command that must fail. Returns its exit code and its message. */
  async refusal(...args: string[]): Promise<readonly [code: number, text: string]> {
    const error: unknown = await this.run(...args).then(
      () => "it did not fail",
      (thrown: unknown) => thrown,
    );
    const hint = error instanceof SluiceError && error.hint !== undefined ? error.hint : "";
    return [exitCodeOfError(error), `${messageOf(error)} ${hint}`.trimEnd()];
  }

  async read(name: string): Promise<string> {
    return await readFile(join(this.folder, name), "utf8");
  }

  async files(): Promise<readonly string[]> {
    const entries = await readdir(this.folder, { recursive: true });
    return entries.filter((name) => name !== "tests").toSorted();
  }
}
