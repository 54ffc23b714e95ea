// node test/support/ui/many-readers.ts <address> <count>: requests this many pages at once, and prints how they were
// answered. It is a process of its own, so that the requests take no time from the process that measures.
import { Agent, get } from "node:http";

const [address = "", count = "0"] = process.argv.slice(2);
const paths = ["/", "/runs?sync=accounts", "/rejects", "/held", "/record?sync=accounts&name=a7"];

/** The status of a response, once its whole body arrived; 0 for no response. */
async function statusOf(url: URL, agent: Agent): Promise<number> {
  return await new Promise((resolve) => {
    const request = get(url, { agent }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    request.on("error", () => resolve(0));
  });
}

const agent = new Agent({ maxSockets: Infinity });
const from = performance.now();
const statuses = await Promise.all(
  Array.from(
    { length: Number(count) },
    async (_, at) => await statusOf(new URL(paths[at % paths.length] ?? "/", address), agent),
  ),
);
const answered = Object.groupBy(statuses, String);
const counts = Object.entries(answered).map(([status, some]) => [status, some?.length ?? 0]);
const ms = Math.round(performance.now() - from);
process.stdout.write(`${JSON.stringify({ ms, answers: Object.fromEntries(counts) as unknown })}\n`);
