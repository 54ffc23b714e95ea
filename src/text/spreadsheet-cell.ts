/** What a spreadsheet takes for the start of a formula, behind apostrophes that already keep it from that. */
const formulaStart = /^'*[=+\-@\t\r\n＝＋－＠]/;

/**
 * Text as a cell of a file that people open: where a spreadsheet would take it for a formula it gets an
 * apostrophe (OWASP, CSV injection). Different texts stay different, because one that has the apostrophe
 * already gets another.
 */
export function defused(text: string): string {
  return formulaStart.test(text) ? `'${text}` : text;
}
