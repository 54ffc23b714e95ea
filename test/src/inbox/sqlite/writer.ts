// A process that keeps deliveries, 16 under way at a time, and prints the id of each once it is kept.
import { openSqliteInbox } from "../../../../src/inbox/sqlite/open.ts";
import { one } from "../deliveries.ts";

const [folder = "", name = "", size = ""] = process.argv.slice(2);
const inbox = await openSqliteInbox(folder);
let begun = 0;

async function keepOn(): Promise<void> {
  while (begun < Number(size)) {
    begun += 1;
    const id = `${name}-${begun}`;
    await inbox.keep(one(id));
    // Not writeSync, which fails if the reader is slow. A line that a kill cuts off is not read.
    process.stdout.write(`${id}\n`);
  }
}

await Promise.all(Array.from({ length: 16 }, keepOn));
await inbox.close();
