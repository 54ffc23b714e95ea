import { existsSync, readFileSync } from "node:fs";

/**
 * "N passed, N failed" from vitest's JSON report. Failures of the run outside single tests count as
 * one: a file that cannot be loaded, an error outside every test, a run that wrote no report.
 */
export function closingLine(report, exitCode) {
  const { numPassedTests: passed, numFailedTests, testResults } = read(report);
  const broken = testResults.filter(
    (file) => file.status === "failed" && failedTests(file).length === 0,
  );
  const failed = numFailedTests + broken.length;
  return `${passed} passed, ${failed === 0 && exitCode !== 0 ? 1 : failed} failed`;
}

function failedTests(file) {
  return file.assertionResults.filter(({ status }) => status === "failed");
}

function read(report) {
  if (!existsSync(report)) return { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  return JSON.parse(readFileSync(report, "utf8"));
}
