/** Metrics that a text names, of sluice, Node and the process: queries, rules and docs name them so. */
export function metricsNamedIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/\b(?:sluice|nodejs|process)_[a-z\d]\w+/g));
}

/** The same metrics without what a histogram adds to its name. */
export function familiesOf(names: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...names].map((name) => name.replace(/_(?:bucket|sum|count)$/, "")));
}
