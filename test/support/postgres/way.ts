import { onTestFinished } from "vitest";

import { Way } from "../way.ts";

/** Opens a proxy to the server of a URL, and returns it with its URL; it ends with its test. */
export async function wayTo(url: string): Promise<{ readonly way: Way; readonly url: string }> {
  const way = await Way.to(new URL(url).host);
  onTestFinished(() => way.end());
  return { way, url: Object.assign(new URL(url), { host: way.address }).href };
}
