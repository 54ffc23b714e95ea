// Opens state and inbox of a store in Postgres as a process of its own, and prints the result.
import { SluiceError } from "../../../../src/errors.ts";
import { openInbox } from "../../../../src/inbox/open.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { openStateStore } from "../../../../src/state/open.ts";

const { STORE_URL: url = "", STATE_FOLDER: stateFolder = "" } = process.env;
const address = { stateFolder, store: { url: new Secret(url), schema: "sluice" } };

async function openAndClose(open: () => Promise<{ close(): Promise<void> }>): Promise<unknown> {
  try {
    const opened = await open();
    await opened.close();
    return "opened";
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    return { code: error.code, message: error.message, hint: error.hint };
  }
}

const state = await openAndClose(async () => await openStateStore(address));
const inbox = await openAndClose(async () => await openInbox(address));
process.stdout.write(JSON.stringify({ state, inbox }));
