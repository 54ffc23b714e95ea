import { SluiceError } from "../../errors.ts";
import type { Context, GlobalOptions } from "./context.ts";
import { exitCodeOfError } from "./exit-code.ts";
import { showError } from "./output.ts";

/**
 * Does `work` for one item after the other. If there are several, the error of one is shown, and the others still have
 * their turn.
 * @throws {SluiceError} there is only one, and it failed.
 */
export async function oneByOne<Item>(
  items: readonly Item[],
  how: { readonly context: Pick<Context, "exit">; readonly options: Pick<GlobalOptions, "json"> },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      if (items.length === 1 || !(error instanceof SluiceError)) throw error;
      showError(error, { isJson: how.options.json === true });
      how.context.exit(exitCodeOfError(error));
    }
  }
}
