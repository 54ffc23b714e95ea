/** The metrics of sluice, Node and the process that a text names, as queries, rules and docs do. */
export function metricsNamedIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/\b(?:sluice|nodejs|process)_[a-z\d]\w+/g));
}

/** The same metrics without the suffixes that a histogram adds to its name. */
export function familiesOf(names: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...names].map((name) => name.replace(/_(?:bucket|sum|count)$/, "")));
}
