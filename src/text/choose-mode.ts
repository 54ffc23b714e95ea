/** The mode of a run and why, for the report. */
export type ChosenMode = {
  readonly mode: "lightweight" | "heavyweight";
  readonly reason: string;
};

/** The facts about a batch from its first chunk and the settings. */
export type BatchFacts = {
  readonly asked: "auto" | "lightweight" | "heavyweight";
  readonly partsMax: number;
  /** Whether the first chunk is the whole batch. */
  readonly isWhole: boolean;
  readonly records: number;
  /** Lightweight bodies that the first chunk needs; 0 if a record alone exceeds one. */
  readonly bodies: number;
};

/**
 * Chooses how a batch travels: lightweight if it is complete after its first chunk and fits the allowed bodies,
 * otherwise heavyweight; a mode that was asked for wins. Undefined for a chunk in which nothing leaves and which is
 * not the last.
 */
export function chooseMode({
  asked,
  partsMax,
  isWhole,
  records,
  bodies,
}: BatchFacts): ChosenMode | undefined {
  if (asked !== "auto") return { mode: asked, reason: `${asked} was asked for` };
  if (!isWhole && records === 0) return undefined;
  if (isWhole && records === 0) return { mode: "lightweight", reason: "there is nothing to send" };
  if (!isWhole) return { mode: "heavyweight", reason: "the batch is larger than its first chunk" };
  const needed =
    `${records} record${records === 1 ? " needs" : "s need"} ${bodies} ` +
    `bod${bodies === 1 ? "y" : "ies"} of 1 MB`;
  if (bodies === 0) return { mode: "heavyweight", reason: "a record alone exceeds a body of 1 MB" };
  return bodies <= partsMax
    ? { mode: "lightweight", reason: `${needed}, ${partsMax} allowed` }
    : { mode: "heavyweight", reason: `${needed}, more than the ${partsMax} allowed` };
}
