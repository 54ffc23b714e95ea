import type { Checked } from "../bounds.ts";
import { spread } from "../report.ts";
import { names, type Received } from "./rounds.ts";

/** Bounds of issue 6, for 64 posters that share two cores with the receiver. */
const perSecondMin = 20_000;
const p99MsMax = 15;
const rssBytesMax = 250e6;
const timesEachMin = 20;

const shown = (rate: number): string => Math.round(rate).toLocaleString("en");

/** Checks the rounds of receivers against their bounds, by the medians of the rounds, and by the largest memory. */
export function checkReceivers(
  measured: ReadonlyMap<string, readonly Received[]>,
): readonly Checked[] {
  const slow = measured.get(names.slowSluice) ?? [];
  const slowEach = measured.get(names.slowEach) ?? [];
  const times = spread(
    slow.map(({ rowsPerSecond }, round) => rowsPerSecond / (slowEach[round]?.rowsPerSecond ?? 0)),
  );
  return [
    ...[...measured].flatMap(([name, rounds]) => checkRounds(name, rounds)),
    {
      what: "2 ms to flush: times one commit per request, pair by pair (min / median / max)",
      bound: `>= ${timesEachMin}`,
      measured: [times.min, times.median, times.max].map((ratio) => ratio.toFixed(1)).join(" / "),
      holds: times.median >= timesEachMin,
    },
  ];
}

function checkRounds(name: string, rounds: readonly Received[]): readonly Checked[] {
  const rate = spread(rounds.map(({ rowsPerSecond }) => rowsPerSecond));
  const p50 = spread(rounds.map(({ latencies }) => latencies.p50)).median;
  const p99 = spread(rounds.map(({ latencies }) => latencies.p99)).median;
  const cpu = spread(rounds.map(({ cpuMicroseconds }) => cpuMicroseconds)).median;
  const posterCpu = spread(rounds.map(({ posterCpuMicroseconds }) => posterCpuMicroseconds)).median;
  const rssBytes = Math.max(...rounds.map((round) => round.rssBytes));
  const isBound = name === names.sluice;
  return [
    {
      what: `${name}: acknowledged/s (min / median / max)`,
      bound: isBound ? `>= ${shown(perSecondMin)}` : "",
      measured:
        `${[rate.min, rate.median, rate.max].map(shown).join(" / ")}; ` +
        `CPU µs each: ${cpu.toFixed(0)}, and ${posterCpu.toFixed(0)} of the poster`,
      holds: !isBound || rate.median >= perSecondMin,
    },
    {
      what: `${name}: from a delivery's first byte to its 2xx, p50 / p99`,
      bound: isBound ? `p99 <= ${p99MsMax} ms` : "",
      measured: `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`,
      holds: !isBound || p99 <= p99MsMax,
    },
    {
      what: `${name}: peak RSS`,
      bound: isBound ? `<= ${rssBytesMax / 1e6} MB` : "",
      measured: `${Math.round(rssBytes / 1e6)} MB`,
      holds: !isBound || rssBytes <= rssBytesMax,
    },
  ];
}
