// A process that closes its inbox while a call is under way, and prints when that is done.
import { openSqliteInbox } from "../../../../src/inbox/sqlite/open.ts";

const [folder = ""] = process.argv.slice(2);
const inbox = await openSqliteInbox(folder);
const underWay = inbox.backlogs();
await inbox.close();
await underWay;
process.stdout.write("closed\n");
