import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

import { onTestFinished } from "vitest";
import { z } from "zod";

const attributes = z
  .array(
    z.object({
      key: z.string(),
      value: z.object({ stringValue: z.string().optional(), intValue: z.number().optional() }),
    }),
  )
  .transform((all) =>
    Object.fromEntries(
      all.map(({ key, value }) => [key, value.stringValue ?? value.intValue] as const),
    ),
  );

const told = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              attributes,
              status: z.object({ code: z.int(), message: z.string().optional() }),
            }),
          ),
        }),
      ),
    }),
  ),
});

type Told = z.output<typeof told>["resourceSpans"][number];

/** A span as a collector has it. */
export type CollectedSpan = Told["scopeSpans"][number]["spans"][number];

/** A collector of traces that takes OTLP over HTTP, as JSON, on a port of this machine; it ends with the test. */
export type OtlpCollector = {
  readonly address: string;
  /** The spans received, in order. */
  readonly spans: readonly CollectedSpan[];
  /** Attributes of the resources that sent them. */
  readonly resources: readonly Told["resource"]["attributes"][];
  /** All bodies, as received. */
  readonly bodies: readonly string[];
};

/** Starts a collector. */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const resources: Told["resource"]["attributes"][] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const isTraces = request.method === "POST" && request.url === "/v1/traces";
      if (isTraces) {
        bodies.push(body);
        for (const { resource, scopeSpans } of told.parse(JSON.parse(body)).resourceSpans) {
          resources.push(resource.attributes);
          spans.push(...scopeSpans.flatMap((scope) => scope.spans));
        }
      }
      response.writeHead(isTraces ? 200 : 404, { "content-type": "application/json" }).end("{}");
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const at = server.address();
  const port = typeof at === "object" ? at?.port : undefined;
  return { address: `http://127.0.0.1:${port}`, spans, resources, bodies };
}
