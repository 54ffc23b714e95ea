import type { SandboxFaultName, Step } from "../../../src/sandbox/faults/faults.ts";
import type { SeededRandom } from "../seeded-random.ts";

/** One item of `faults:` in a fault script. */
export type FaultOrder = {
  readonly step: Step;
  readonly do: SandboxFaultName;
  readonly [member: string]: unknown;
};

/** A fault, at whatever step. */
type Kind = { readonly do: SandboxFaultName; readonly [member: string]: unknown };
type Kinds = readonly [Kind, ...Kind[]];

const slowDown = { do: "answer", status: 429, headers: { "retry-after": 1 } } as const;
const refusals: Kinds = [
  { do: "answer", status: 500 },
  { do: "answer", status: 408 },
  { do: "answer", status: 429 },
  slowDown,
  { do: "answer", status: 503, headers: { "retry-after": 1 } },
  { do: "answer-and-close", status: 502 },
];
const cutConnections: Kinds = [
  { do: "reset", at: 1 },
  { do: "drop-request" },
  { do: "drop-reply" },
  { do: "delay", by: "300ms" },
];
const oddAnswers: Kinds = [
  { do: "cut-answer", at: 10 },
  { do: "cut-answer", at: 10, framing: "close" },
  { do: "drip", every: "5ms" },
  { do: "wrong-json" },
  { do: "not-json" },
  { do: "html" },
];

/** The faults of each step that a run must survive by itself: refusals, cut connections, odd answers. */
const kindsByStep: readonly (readonly [Step, readonly [Kinds, Kinds, Kinds]])[] = [
  [
    "generate-upload-url",
    [refusals, cutConnections, [...oddAnswers, { do: "expire-url" }, { do: "expire-url" }]],
  ],
  [
    "put",
    [
      [...refusals, { do: "answer", status: 403 }, { do: "answer-and-close", status: 403 }],
      [...cutConnections, { do: "reset", at: "16KiB" }],
      [
        { do: "early-200", connection: "close" },
        { do: "early-200", connection: "leave" },
        { do: "expire-url" },
      ],
    ],
  ],
  [
    "confirm-upload",
    [
      [...refusals, { do: "answer", status: 409 }, { do: "answer", status: 410 }],
      cutConnections,
      [...oddAnswers, { do: "not-found-yet", within: "1s" }, { do: "not-found-yet", within: "1s" }],
    ],
  ],
  ["upload-json", [refusals, cutConnections, oddAnswers]],
];

/** One call in this many of a step is hit by each of its three faults: 15 % in all. */
const oneIn = 20;

/**
 * Faults for about 15 % of all calls. `times` bounds each: three of one class for one part end a run, as they should
 * (docs/facts/faults.md#actions).
 */
export function drawFaults(random: SeededRandom, times: number): FaultOrder[] {
  return kindsByStep.flatMap(([step, groups]) =>
    groups.map((kinds, group) => ({
      step,
      ...random.pick(`fault ${group} of ${step}`, kinds),
      one_in: oneIn,
      times,
    })),
  );
}

type Sent = "heavyweight" | "lightweight";

/** A request that is held in place until its worker is gone, so that a kill or a stop hits the worker at that point. */
const holds: Readonly<Record<Sent, readonly [FaultOrder, ...FaultOrder[]]>> = {
  heavyweight: [
    { step: "put", do: "stop-reading", at: "64KiB" },
    { step: "put", do: "stop-reading", at: "1KiB" },
    { step: "confirm-upload", do: "no-answer" },
    { step: "confirm-upload", do: "stall", at: 5 },
    { step: "confirm-upload", do: "stop-reading", at: 1 },
    { step: "put", do: "no-answer" },
    { step: "generate-upload-url", do: "no-answer" },
  ],
  lightweight: [
    { step: "upload-json", do: "no-answer" },
    { step: "upload-json", do: "stop-reading", at: "64KiB" },
    { step: "upload-json", do: "stall", at: 5 },
  ],
};

/** Answers that are complete by the time a stopped worker wakes: it then believes that nothing has happened. */
const sleptThrough: Readonly<Record<Sent, FaultOrder>> = {
  heavyweight: { step: "confirm-upload", do: "drip", every: "40ms" },
  lightweight: { step: "upload-json", do: "drip", every: "40ms" },
};

/** Draws where a request is held: the `after`-th of its step, counted from 0. */
export function drawHold(
  random: SeededRandom,
  of: {
    readonly what: string;
    readonly mode: Sent;
    readonly chunks: number;
    readonly isSleep: boolean;
  },
): FaultOrder {
  const { what, mode, chunks, isSleep } = of;
  const after = random.whole(`${what} after`, 0, Math.max(0, chunks - 2));
  const held = random.pick(`${what} hold`, holds[mode]);
  const isAsleep = isSleep && random.happens(`${what} sleeps`, 0.6);
  return { ...(isAsleep ? sleptThrough[mode] : held), after };
}
