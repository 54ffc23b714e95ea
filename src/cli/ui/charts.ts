import type { ChunkTimes, RunFigures } from "../../state/contract/runs/figures.ts";
import { counted, durationText, grouped } from "../../text/quantities.ts";
import { html, type Html } from "./html.ts";

/** What becomes of rows, in the order of a bar from its foot; each name is also the class that colours it. */
const kinds = ["sent", "unchanged", "filtered", "rejected"] as const;

/** A part of a balance; `kind` is the class that colours it. */
export type BalancePart = {
  readonly kind: (typeof kinds)[number];
  readonly name: string;
  readonly count: number;
};

const barWidth = 7;
const barStep = 9;
const barHeight = 44;
/** The space below the line where a failed run is marked. */
const markHeight = 6;

/** A number in a path, without digits that nobody sees. */
function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function box(
  x: number,
  y: number,
  size: { readonly width: number; readonly height: number },
): string {
  const { width, height } = size;
  return `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`;
}

/** Whether a run failed, was abandoned, or ran out of credits. */
function hasFailed({ outcome }: RunFigures): boolean {
  return outcome === "failed" || outcome === "abandoned" || outcome === "credits_exhausted";
}

/** The text for a screen reader in place of the bars. */
function barsText(name: string, runs: readonly RunFigures[]): string {
  const sum = (count: (run: RunFigures) => number): number =>
    runs.reduce((total, run) => total + count(run), 0);
  return (
    `${name}, the newest ${counted(runs.length, "run")}: sent ${grouped(sum(({ sent }) => sent))}, ` +
    `unchanged ${grouped(sum(({ unchanged }) => unchanged))}, rejected ${grouped(sum(({ rejected }) => rejected))}, ` +
    `${counted(runs.filter(hasFailed).length, "run")} failed`
  );
}

/** The newest runs of a sync or pull as bars, the newest on the right; each is as high as the rows that it read. */
export function runBars(name: string, newestFirst: readonly RunFigures[]): Html {
  const runs = newestFirst.toReversed();
  const most = Math.max(1, ...runs.map((run) => kinds.reduce((sum, kind) => sum + run[kind], 0)));
  const paths = new Map<string, string>();
  const add = (kind: string, path: string): void => {
    paths.set(kind, (paths.get(kind) ?? "") + path);
  };
  for (const [at, run] of runs.entries()) {
    let top = barHeight;
    for (const kind of kinds) {
      if (run[kind] === 0) continue;
      const height = Math.max(1, (run[kind] / most) * barHeight);
      top -= height;
      add(kind, box(at * barStep, Math.max(0, top), { width: barWidth, height }));
    }
    if (hasFailed(run)) {
      add("failed", box(at * barStep, barHeight + 2, { width: barWidth, height: markHeight - 2 }));
    }
  }
  const width = Math.max(1, runs.length * barStep - 2);
  const height = barHeight + markHeight;
  return html`<svg
    role="img"
    aria-label="${barsText(name, runs)}"
    width="${width}"
    height="${height}"
    viewBox="0 0 ${width} ${height}"
  >
    <path class="axis" d="M0 ${barHeight + 0.5}h${width}" />
    ${[...paths].map(([kind, path]) => html`<path class="${kind}" d="${path}" />`)}
  </svg>`;
}

/** The meaning of the colours. */
export function chartKey(names: readonly (readonly [kind: string, name: string])[]): Html {
  return html`<ul class="key">
    ${names.map(
      ([kind, name]) =>
        html`<li>
          <svg aria-hidden="true" width="12" height="12">
            <rect class="${kind}" width="12" height="12" /></svg
          >${name}
        </li>`,
    )}
  </ul>`;
}

const balanceWidth = 1_000;

/** What became of the rows of a run, as one bar with its figures below. */
export function balanceBar(parts: readonly BalancePart[]): Html {
  const told = parts.filter(({ count }) => count > 0);
  const total = told.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return html`<p class="soft">No row was read.</p>`;
  let x = 0;
  const boxes = told.map(({ kind, count }) => {
    const width = (count / total) * balanceWidth;
    const piece = html`<path
      class="${kind}"
      d="${box(x, 0, { width: Math.max(1, width), height: 26 })}"
    />`;
    x += width;
    return piece;
  });
  const names = told.map(({ kind, name, count }) => [kind, `${name} ${grouped(count)}`] as const);
  const label = names.map(([, name]) => name).join(", ");
  return html`<svg
      role="img"
      aria-label="${label}"
      width="100%"
      height="26"
      viewBox="0 0 ${balanceWidth} 26"
      preserveAspectRatio="none"
    >
      ${boxes}</svg
    >${chartKey(names)}`;
}

const lineWidth = 860;
const lineStep = 16;
const lineHeight = 11;
const lineLeft = 96;
/** The mark before a bar, if something of its chunk was retried. */
const troubleWidth = 5;

/** The steps of a chunk in order: the class that colours each, and its name. */
const steps = [
  ["filtered", "staged, and waited for its turn"],
  ["upload", "uploaded"],
  ["confirm", "confirmed, or sent without a file"],
  ["sent", "committed"],
] as const;

/** When each step of a chunk ended, in Unix ms; undefined if it did not, or the chunk has no such step. */
function endsOf({
  leftAt,
  uploadedAt,
  acceptedAt,
  committedAt,
}: ChunkTimes): readonly (number | undefined)[] {
  // A chunk that sends nothing is committed once it is staged.
  const stagedAt = leftAt ?? committedAt;
  return [stagedAt, uploadedAt, acceptedAt, committedAt].map((at) => at ?? undefined);
}

/** The pieces of a chunk's bar: each from the end of the step before to its own end, the last one to `endMs`. */
function piecesOf(
  chunk: ChunkTimes,
  endMs: number,
): readonly { readonly kind: string; readonly from: number; readonly to: number }[] {
  const pieces: { kind: string; from: number; to: number }[] = [];
  let from = chunk.begunAt;
  for (const [step, at] of endsOf(chunk).entries()) {
    const [kind] = steps[step] ?? ["sent"];
    if (at === undefined) continue;
    // A later attempt of the upload may have ended after the part was accepted.
    const to = Math.max(from, at);
    pieces.push({ kind, from, to });
    from = to;
  }
  if (chunk.committedAt === null)
    pieces.push({ kind: "unchanged", from, to: Math.max(from, endMs) });
  return pieces;
}

/** The span in which chunks moved, in Unix ms; for a chunk that still moves, it ends now. */
function spanOf(chunks: readonly ChunkTimes[], nowMs: number): { from: number; to: number } {
  const from = Math.min(...chunks.map(({ begunAt }) => begunAt));
  const to = Math.max(from + 1, ...chunks.map(({ committedAt }) => committedAt ?? nowMs));
  return { from, to };
}

/** How a chunk went, in words. */
export function chunkWords({ state, stages, retries }: ChunkTimes): string {
  const again = [
    ...(stages > 1 ? [`staged ${stages} times`] : []),
    ...(retries > 0 ? [`${counted(retries, "request")} tried again`] : []),
  ];
  return [state, ...again].join(", ");
}

/**
 * Chunks on a time line, each from its first step to its commit, step by step. `endMs` is when the run ended, for
 * chunks that were not committed.
 */
export function timeLine(chunks: readonly ChunkTimes[], endMs: number): Html {
  const { from, to } = spanOf(chunks, endMs);
  const x = (ms: number): number =>
    lineLeft + ((ms - from) / (to - from)) * (lineWidth - lineLeft - 4);
  const height = chunks.length * lineStep + 20;
  const rows = chunks.map((chunk, at) => {
    const isTrouble = chunk.stages > 1 || chunk.retries > 0;
    const y = at * lineStep + 2;
    const bars = piecesOf(chunk, endMs).map(({ kind, from: begin, to: end }) => {
      const width = Math.max(1, x(end) - x(begin));
      return html`<path class="${kind}" d="${box(x(begin), y, { width, height: lineHeight })}" />`;
    });
    const mark = box(lineLeft - troubleWidth - 3, y, { width: troubleWidth, height: lineHeight });
    return html`<text x="0" y="${y + 10}">chunk ${chunk.chunk}</text>${
        isTrouble ? html`<path class="wait" d="${mark}" />` : undefined
      }${bars}`;
  });
  const label = `${counted(chunks.length, "chunk")} in ${durationText(to - from)}; the table below says the same`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Time line of the chunks">
      <svg
        role="img"
        aria-label="${label}"
        width="${lineWidth}"
        height="${height}"
        viewBox="0 0 ${lineWidth} ${height}"
      >
        ${rows}
        <text x="${lineLeft}" y="${height - 4}">0 s</text>
        <text x="${lineWidth - 4}" y="${height - 4}" text-anchor="end">
          ${durationText(to - from)}
        </text>
      </svg>
    </div>
    ${chartKey([...steps, ["unchanged", "not committed"], ["wait", "something was tried again"]])}`;
}
