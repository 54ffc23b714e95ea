import { AsyncLocalStorage } from "node:async_hooks";
import { hash } from "node:crypto";

import {
  context,
  type Context,
  type ContextManager,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResourcesSync, envDetectorSync, Resource } from "@opentelemetry/resources";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
} from "@opentelemetry/sdk-trace-base";
import { defaultPayloadConverter } from "@temporalio/common";
import { OpenTelemetryActivityInboundInterceptor } from "@temporalio/interceptors-opentelemetry/lib/worker/index.js";
import type { ActivityInterceptorsFactory } from "@temporalio/worker";
import { z } from "zod";

import { inTime } from "../clock.ts";
import type { Effect } from "../effect.ts";
import { SluiceError } from "../errors.ts";
import type { RunReport } from "../report/report.ts";
import { version } from "../version.ts";

/** How long a worker that ends waits for its last spans to be exported. */
const flushMsMax = 2_000;

/** The header where Temporal's interceptor looks for the parent span of an activity. */
const traceHeader = "_tracer-data";

/** Traces of a worker: one trace for each run, with a span for each activity and each of its requests. */
export type Traces = {
  /** Temporal's own interceptor, which makes the span of an activity. */
  readonly activity: ActivityInterceptorsFactory;
  /** Makes the span of a request, inside its activity's span. */
  readonly request: Effect;
  /** Makes the span of a run, which contains the others. */
  readonly runClosed: (report: RunReport) => void;
  /** Exports the remaining spans, and stops tracing. */
  close(): Promise<void>;
};

/** What an activity's input says about its run and part: names and numbers, no row. */
const activityInput = z
  .object({
    runId: z.string(),
    chunk: z.int().optional(),
    stage: z.int().optional(),
    part: z.int().optional(),
  })
  .partial();

/**
 * The ids of a run's trace and of its own span, derived from the run's name: everyone who works on the run can compute
 * them, so nothing has to pass through its workflow, whose history would keep it.
 */
function idsOf(runId: string): { readonly traceId: string; readonly spanId: string } {
  const hex = hash("sha256", `sluice run ${runId}`);
  return { traceId: hex.slice(0, 32), spanId: hex.slice(32, 48) };
}

/** The current span, wherever the calling code was called from. */
class AsyncContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }

  with: ContextManager["with"] = (under, work, ...given) =>
    this.#storage.run(under, () => work.call(...given));

  /** Nothing that an emitter calls is traced. */
  bind<Target>(_under: Context, target: Target): Target {
    return target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.#storage.disable();
    return this;
  }
}

/** Random ids, except where the next span is a run's. */
class RunIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  next: { readonly traceId: string; readonly spanId: string } | undefined;

  generateTraceId = (): string => this.next?.traceId ?? this.#random.generateTraceId();

  generateSpanId = (): string => this.next?.spanId ?? this.#random.generateSpanId();
}

function activityTraces(tracer: Tracer): ActivityInterceptorsFactory {
  return (activity) => {
    const temporals = new OpenTelemetryActivityInboundInterceptor(activity, { tracer });
    return {
      inbound: {
        execute: async (input, next) => {
          const { runId, ...part } = activityInput.safeParse(input.args[0]).data ?? {};
          const attributes = { ...part, attempt: activity.info.attempt };
          const named: typeof next = async (given) => {
            trace.getActiveSpan()?.setAttributes(attributes);
            return await next(given);
          };
          if (runId === undefined) return await temporals.execute(input, named);
          const { traceId, spanId } = idsOf(runId);
          const parent = { traceparent: `00-${traceId}-${spanId}-01` };
          const headers = {
            [traceHeader]: defaultPayloadConverter.toPayload(parent),
            ...input.headers,
          };
          return await temporals.execute({ ...input, headers }, named);
        },
      },
    };
  };
}

function requestTraces(tracer: Tracer): Effect {
  return async (endpoint, work) =>
    await tracer.startActiveSpan(endpoint, { kind: SpanKind.CLIENT }, async (span) => {
      try {
        const answer = await work();
        if (typeof answer === "object" && answer !== null && "status" in answer) {
          const status = Number(answer.status);
          span.setAttribute("http.response.status_code", status);
          if (status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
        }
        return answer;
      } catch (error) {
        // Only its code: a message may contain an address.
        const message = error instanceof SluiceError ? error.code : "Unexpected";
        span.setStatus({ code: SpanStatusCode.ERROR, message });
        throw error;
      } finally {
        span.end();
      }
    });
}

function runTraces(tracer: Tracer, ids: RunIds): Traces["runClosed"] {
  return ({ run_id: runId, sync, kind, outcome, counts, started_at: from, ended_at: to }) => {
    const { read, sent, rejected } = counts;
    const attributes = { run: runId, sync, kind, outcome, read, sent, rejected };
    ids.next = idsOf(runId);
    const startTime = new Date(from);
    const span = tracer.startSpan(`run ${sync}`, { startTime, attributes, root: true });
    ids.next = undefined;
    if (outcome === "failed") span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(to === null ? undefined : new Date(to));
  };
}

/**
 * Traces the work of a worker and exports it to a collector, as the variables OTEL_EXPORTER_OTLP_… say. A collector
 * that is down costs spans, and nothing else.
 */
export function startTraces(): Traces {
  const ids = new RunIds();
  const ours = new Resource({ "service.name": "sluice", "service.version": version });
  const provider = new BasicTracerProvider({
    idGenerator: ids,
    resource: ours.merge(detectResourcesSync({ detectors: [envDetectorSync] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register({ contextManager: new AsyncContexts() });
  const tracer = provider.getTracer("sluice", version);
  return {
    activity: activityTraces(tracer),
    request: requestTraces(tracer),
    runClosed: runTraces(tracer, ids),
    close: async () => {
      const told = provider.shutdown().catch(() => undefined);
      await inTime(told, flushMsMax);
      for (const api of [context, propagation, trace]) api.disable();
    },
  };
}
