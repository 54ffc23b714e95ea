import type { Mutant } from "../mutant.ts";

const oracle = {
  file: "test/src/pipeline/change-counts.test.ts",
  title: "is what both states differ in, field by field, whatever became of earlier nights",
} as const;

/** Why records are sent, and why a run is held. */
export const mutantsOfHolds: readonly Mutant[] = [
  {
    id: "S960",
    plants: "a record of which nobody knows whether it is held counts as changed",
    edits: [
      {
        file: "src/state/rules/keys/judge.ts",
        find: "(facts?.committedAt ?? 0) < committedAfter) return verdict.unknown;",
        replace: "(facts?.committedAt ?? 0) < committedAfter) return verdict.changed;",
      },
    ],
    test: oracle,
  },
  {
    id: "S961",
    plants: "a field that a record has for the first time is not named",
    edits: [
      {
        file: "src/state/rules/keys/field-changes.ts",
        find: "if (is === old || !(isChanged || isLost)) continue;",
        replace: "if (is === old || old === 0 || !(isChanged || isLost)) continue;",
      },
    ],
    test: oracle,
  },
  {
    id: "S962",
    plants: "every change is said to be one of the mapping once a mapping has changed",
    edits: [
      {
        file: "src/state/rules/keys/judge.ts",
        find: "return isOlder && mappings.has(older) ? verdict.remapped : verdict.changed;",
        replace: "return isOlder ? verdict.remapped : verdict.changed;",
      },
    ],
    test: oracle,
  },
  {
    id: "S963",
    plants: "a run that was discarded is sent all the same",
    edits: [
      {
        file: "workflows/sync/transfer.ts",
        find: "transfer.toSend?.(ended.place.opened)) === false",
        replace: "transfer.toSend?.(ended.place.opened)) === undefined",
      },
    ],
    test: {
      file: "test/workflows/sync/consent.test.ts",
      title: "ends with nothing sent when it is discarded by a person",
    },
  },
  {
    id: "S964",
    plants: "a run that is weighed sends each chunk as soon as it is staged",
    edits: [
      {
        file: "workflows/sync/transfer.ts",
        find: 'if (this.#phase !== "stage") this.#lastSend',
        replace: "this.#lastSend",
      },
    ],
    test: {
      file: "test/workflows/sync/consent.test.ts",
      title: "is held without sending anything, and sends what was staged once that is approved",
    },
  },
  {
    id: "S965",
    plants: "an approval of other records than those that are held is taken",
    edits: [
      {
        file: "workflows/sync/consent.ts",
        find: "named.hold === held.number && named.digest === held.digest",
        replace: "named.hold === held.number",
      },
    ],
    test: {
      file: "test/workflows/sync/consent.test.ts",
      title: "takes an approval of what is held alone, and only once",
    },
  },
  {
    id: "S966",
    plants: "what was lost is sent without another consent once it is staged again",
    edits: [
      {
        file: "workflows/sync/transfer.ts",
        find: '{ ...place, phase: "stage", firstStaged: chunk }',
        replace: "{ ...place, phase: undefined, firstStaged: undefined }",
      },
    ],
    test: {
      file: "test/workflows/sync/consent.test.ts",
      title: "stages the rest again that was lost, and asks again before it sends any of it",
    },
  },
  {
    id: "S967",
    plants: "a guardrail holds a run at its bound",
    edits: [
      {
        file: "src/guardrails/guardrails.ts",
        find: "isBelow ? figure < limit : figure > limit",
        replace: "isBelow ? figure < limit : figure >= limit",
      },
    ],
    test: {
      file: "test/src/guardrails/guardrails.test.ts",
      title: "holds changed and unknown of the known records beyond its bound, and not at it",
    },
  },
  {
    id: "S968",
    plants: "records of which nothing is known do not count as changed",
    edits: [
      {
        file: "src/guardrails/guardrails.ts",
        find: "const changed = weighed.changed + unknown;",
        replace: "const changed = weighed.changed + 0 * unknown;",
      },
    ],
    test: {
      file: "test/src/guardrails/guardrails.test.ts",
      title: "holds changed and unknown of the known records beyond its bound, and not at it",
    },
  },
  {
    id: "S969",
    plants: "a first run is held by what is new",
    edits: [
      {
        file: "src/guardrails/guardrails.ts",
        find: "const known = isFirst ? undefined : changed + same;",
        replace: "const known = changed + same;",
      },
    ],
    test: {
      file: "test/src/guardrails/guardrails.test.ts",
      title: "holds a first run by rejects and by numbers alone",
    },
  },
  {
    id: "S970",
    plants: "an approval holds for whatever is staged later",
    edits: [
      {
        file: "activities/run/weigh-run.ts",
        find: "if (before?.digest === digest) return",
        replace: "if (before !== null) return",
      },
    ],
    test: {
      file: "test/activities/run/weigh-run.test.ts",
      title:
        "is held again, with whatever figures, when it is staged otherwise than it was approved",
    },
  },
  {
    id: "S971",
    plants: "what is held is sent although its checkpoint was moved",
    edits: [
      {
        file: "activities/run/weigh-run.ts",
        find: "if (version !== checkpointVersion) {",
        replace: "if (version < checkpointVersion) {",
      },
    ],
    test: {
      file: "test/activities/run/weigh-run.test.ts",
      title: "is not sent after its checkpoint was moved, or its sync configured otherwise",
    },
  },
  {
    id: "S972",
    plants: "nobody who wants to hear of failures hears of a run that is held",
    edits: [
      {
        file: "src/notify/receivers.ts",
        find: 'return outcome === "held" || failures.includes(outcome);',
        replace: "return failures.includes(outcome);",
      },
    ],
    test: {
      file: "test/src/notify/receivers.test.ts",
      title: "tells everybody of a run that is held: nothing is sent until somebody looks",
    },
  },
  {
    id: "S973",
    plants: "a share of changed records is taken for a source of changes alone",
    edits: [
      {
        file: "src/config/guardrails.ts",
        find: '({ bound }) => "share" in bound,',
        replace: '({ bound }) => "share" in bound && bound.share > 1,',
      },
    ],
    test: {
      file: "test/src/config/guardrails.test.ts",
      title: "takes numbers alone of what changed in a source that is read on from its checkpoint",
    },
  },
  {
    id: "S974",
    plants: "a guardrail of a webhook connection is taken",
    edits: [
      {
        file: "src/config/guardrails.ts",
        find: "if (schema?.push !== undefined) {",
        replace: "if (schema?.push === null) {",
      },
    ],
    test: {
      file: "test/src/config/guardrails.test.ts",
      title: "is refused of a webhook connection",
    },
  },
  {
    id: "S975",
    plants: "a receiver is told of a hold that somebody has decided",
    edits: [
      {
        file: "activities/notify/post-notification.ts",
        find: "openHold(run)?.number !== hold) return;",
        replace: "run.hold?.number !== hold) return;",
      },
    ],
    test: {
      file: "test/activities/notify/post-notification.test.ts",
      title: "tells of a hold while the run is held, and not once somebody has decided",
    },
  },
  {
    id: "S976",
    plants: "a run that stages everything may fill the disk",
    edits: [
      {
        file: "activities/stage/stage-chunk.ts",
        find: "before.stagedBytes + staged.gzipBytes <= stagingBytesMax",
        replace: "before.stagedBytes < stagingBytesMax",
      },
    ],
    test: {
      file: "test/activities/run/weigh-run.test.ts",
      title: "fails with nothing sent when it takes more disk than it may",
    },
  },
  {
    id: "S1347",
    plants: "the place of an example is kept although it may be a key",
    edits: [
      {
        file: "src/pipeline/change-counts.ts",
        find: "tellsPlaces ? (placeOf?.(sent) ?? null) : null",
        replace: "placeOf?.(sent) ?? null",
      },
    ],
    test: {
      file: "test/src/cli/run/held-sample.test.ts",
      title: "names ten of each kind, and no place that may be a key",
    },
  },
  {
    id: "S1348",
    plants: "a sample of what is held is of another row than it says",
    edits: [
      {
        file: "src/pipeline/change-counts.ts",
        find: "record: this.#sent + sent, place",
        replace: "record: this.#sent, place",
      },
    ],
    test: {
      file: "test/src/cli/run/held-sample.test.ts",
      title: "is what was staged, and its places are told with the hold",
    },
  },
  {
    id: "S1942",
    plants: "status offers to approve a run that is held at a Temporal that is lost",
    edits: [
      {
        file: "src/cli/running/ask-temporal.ts",
        find: "run.temporalId !== temporalId);",
        replace: "run.temporalId === temporalId);",
      },
    ],
    test: {
      file: "test/src/cli/running/ask-temporal.test.ts",
      title: "a run that is held at another Temporal than is used here is told as one",
    },
  },
];
