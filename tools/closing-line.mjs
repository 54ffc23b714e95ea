import { existsSync, readFileSync } from "node:fs";

/**
 * "N passed, N failed" from vitest's JSON report. What is not a test of its own but fails the run counts as
 * one failure: a file that cannot be loaded, an error outside every test, a run that wrote no report.
 */
export function closingLine(report, exitCode) {
  const { numPassedTests: passed, numFailedTests, testResults } = read(report);
  const broken = testResults.filter(
    (file) => file.status === "failed" && failedTests(file).length === 0,
  );
  const failed = numFailedTests + broken.length;
  return `${passed} passed, ${failed === 0 && exitCode !== 0 ? 1 : failed} failed`;
}

/** The files with failed tests and those tests' full names; none where the run failed otherwise too. */
export function redFiles(report) {
  const { testResults } = read(report);
  const red = testResults.filter(({ status }) => status === "failed");
  if (red.some((file) => failedTests(file).length === 0)) return [];
  return red.map((file) => ({
    path: file.name,
    tests: failedTests(file).map(({ fullName }) => fullName),
  }));
}

/** The closing line of a run whose red files were all green when they ran again by themselves. */
export function closingLineAfterSecondTry(report) {
  const { numPassedTests, numFailedTests } = read(report);
  return `${numPassedTests + numFailedTests} passed, 0 failed`;
}

function failedTests(file) {
  return file.assertionResults.filter(({ status }) => status === "failed");
}

function read(report) {
  if (!existsSync(report)) return { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  return JSON.parse(readFileSync(report, "utf8"));
}
