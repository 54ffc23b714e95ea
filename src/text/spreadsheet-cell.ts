/** The start of a formula to a spreadsheet, after any apostrophes that already prevent that. */
const formulaStart = /^'*[=+\-@\t\r\n＝＋－＠]/;

/**
 * Text as a cell of a file that people open: if a spreadsheet would take it for a formula it gets an
 * apostrophe (OWASP, CSV injection). Different texts stay different, because one that already has the apostrophe
 * gets another.
 */
export function defused(text: string): string {
  return formulaStart.test(text) ? `'${text}` : text;
}

/** Where a spreadsheet that splits lines at another separator than the comma, and so knows no quotes, begins a cell. */
const innerFormula = /(?<=[;\t\r\n])(?=['"]*[=+\-@＝＋－＠])/g;

/** The same, for every part of the text that may become a cell of its own. */
export function defusedThroughout(text: string): string {
  return defused(text.replaceAll(innerFormula, "'"));
}
