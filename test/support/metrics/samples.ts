/** Samples as Prometheus reads them: names, each with its labels in order, and their values. */
export type Samples = Readonly<Record<string, number>>;

const labels = /(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\})?/;

/** Go reads NaN in any case, and prom-client writes Nan. */
const number = /Na[Nn]|[-+]?(?:Inf|[\d.]+(?:e[-+]?\d+)?)/;

/** One sample: name, labels, value. */
const sample = new RegExp(`^([a-zA-Z_:][\\w:]*)(${labels.source}) (${number.source})$`);

/** Reads Prometheus text. @throws a line is not valid, comes twice, or has no help or no type before it. */
export function samplesOf(text: string): Samples {
  const [described, typed] = [new Set<string>(), new Set<string>()];
  const samples = new Map<string, number>();
  for (const line of text.split("\n").filter((other) => other !== "")) {
    const [, comment, about = ""] = /^# (HELP|TYPE) (\S+) \S/.exec(line) ?? [];
    if (comment !== undefined) {
      (comment === "HELP" ? described : typed).add(about);
      continue;
    }
    const [, family = "", told = "", value] = sample.exec(line) ?? [];
    const names = [family, family.replace(/_(?:bucket|sum|count)$/, "")];
    const isKnown = [described, typed].every((known) => names.some((name) => known.has(name)));
    const name = `${family}${told}`;
    if (value === undefined || !isKnown || samples.has(name)) throw new Error(`/metrics: ${line}`);
    samples.set(name, Number(value));
  }
  return Object.fromEntries(samples);
}
