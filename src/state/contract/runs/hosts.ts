import { z } from "zod";

import { jsonColumn } from "../json-column.ts";

/** A beat as stored; `configs` is JSON: the hash of each configuration by its name. */
export const beatRow = z
  .object({
    hostId: z.string(),
    /** Process number of the worker. */
    process: z.string(),
    /** Temporal's cluster and namespace, as `runs` have it. */
    temporalId: z.string(),
    /** Unix ms, of the clock that decides. */
    lastBeat: z.number(),
    /** Of sluice. */
    version: z.string(),
    /** Names its process as no later one is named (`processName`). */
    name: z.string(),
    /** What was typed to start it: `dev`, `worker`, or the command that it ends with. */
    command: z.string(),
    /** The configuration of each sync and pull that it works with (`configMarks`); none while Temporal is away. */
    configs: jsonColumn.pipe(z.record(z.string(), z.string())),
    /** Names its state folder as no copy of it is named. */
    folder: z.string(),
  })
  .readonly();

/** A sign of life of one worker. */
export type Beat = z.output<typeof beatRow>;

/** A beat as it is given; what a worker does not tell is as the columns' defaults say. */
export type NewBeat = Omit<Beat, "command" | "configs" | "folder" | "name"> &
  Partial<Pick<Beat, "command" | "configs" | "folder" | "name">>;

/** The Temporal that a store is used with. */
export const temporalRow = z.object({
  /** As `runs` have it. */
  id: z.string(),
  /** `host:port`, as it was reached by who said so first. */
  at: z.string(),
  namespace: z.string(),
});

/** The Temporal that a store is used with. */
export type TemporalRecord = Readonly<z.output<typeof temporalRow>>;

/** The workers that live: each beats every `hostBeatMs`, and one that has not for `hostLostAfterMs` is gone. */
export interface HostStore {
  /**
   * Stores a worker's beat in place of its last, and forgets the workers that were silent for
   * `hostForgottenMs`. Of the first after a silence of all, the runs that are open are told how long nothing
   * ran.
   */
  beat(input: NewBeat): void;
  /** Takes a worker out at once: it stopped in order. */
  stopBeating(input: Pick<Beat, "hostId" | "process">): void;
  /** The workers that have beaten within so many ms; `nowMs` is the caller's clock, in Unix ms. */
  beats(input: { readonly nowMs: number; readonly withinMs: number }): Beat[];
  /**
   * Chooses where a lane of a run works from now on, and notes it: of `hosts` the one at which the fewest lanes work of
   * runs that hold a lock, and of several the first.
   */
  chooseHost(input: {
    readonly runId: string;
    readonly lane: number;
    /** Lanes of this run that are over: they count no more. */
    readonly over?: readonly number[] | undefined;
    readonly hosts: readonly [string, ...string[]];
  }): string;
  /** The Temporal that the store is used with; undefined before any was told. */
  usedTemporal(): TemporalRecord | undefined;
  /** The Temporal that the store is used with: the first that was told, until it is rebound. */
  bindTemporal(input: {
    readonly temporal: TemporalRecord;
    readonly isRebound: boolean;
  }): TemporalRecord;
  /** The time by the clock that decides, in Unix ms as the caller's. */
  storeTime(callersMs: number): number;
}
