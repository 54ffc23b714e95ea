// A process that keeps one large delivery after another until `size` are kept, and prints the id of each, or that it
// was refused.
import { StateUnavailableError } from "../../../../src/errors.ts";
import { openSqliteInbox } from "../../../../src/inbox/sqlite/open.ts";
import { largeOne } from "../deliveries.ts";

const [folder = "", size = ""] = process.argv.slice(2);
const inbox = await openSqliteInbox(folder);

// Not writeSync, which fails if the reader is slow.
for (let number = 1; number <= Number(size);) {
  try {
    await inbox.keep(largeOne(`${number}`));
    process.stdout.write(`kept ${number}\n`);
    number += 1;
  } catch (error) {
    if (!(error instanceof StateUnavailableError)) throw error;
    process.stdout.write(`refused ${number}\n`);
  }
}
await inbox.close();
