import { existsSync, readFileSync } from "node:fs";

/**
 * "N passed, N failed" from vitest's JSON report. What is no test of its own but fails the run counts as one failure: a
 * file that cannot be loaded, an error outside every test, a run that wrote no report.
 */
export function closingLine(report, exitCode) {
  const {
    numPassedTests: passed,
    numFailedTests,
    testResults,
  } = existsSync(report)
    ? JSON.parse(readFileSync(report, "utf8"))
    : { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  const broken = testResults.filter(
    (file) =>
      file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
  );
  const failed = numFailedTests + broken.length;
  return `${passed} passed, ${failed === 0 && exitCode !== 0 ? 1 : failed} failed`;
}
