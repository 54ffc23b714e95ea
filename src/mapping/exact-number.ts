/** A number in JSON's grammar, as `as: number` accepts it. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const parts = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Up to 15 significant digits, without an exponent, a double always gives back the same decimal. */
const safeChars = 15;

/** Whether a text is a number in JSON's grammar: no plus sign, no leading zeros, no blanks. */
export function isJsonNumber(text: string): boolean {
  return jsonNumber.test(text);
}

/**
 * The double for a number in JSON's grammar, or undefined if the double, written as JSON, is another number:
 * `9007199254740993`, `0.1234567890123456789`, `1e400`. -0 becomes 0.
 */
export function exactNumber(text: string): number | undefined {
  const number = Number(text) + 0;
  if (text.length <= safeChars && !text.includes("e") && !text.includes("E")) return number;
  return Number.isFinite(number) && decimalOf(text) === decimalOf(String(number))
    ? number
    : undefined;
}

/** Digits without zeros at either end, and a power of ten: the same text for the same magnitude. */
function decimalOf(text: string): string {
  const [, whole = "", fraction = "", exponent = "0"] = parts.exec(text) ?? [];
  const digits = whole + fraction;
  // By hand: /0+$/ takes quadratic time on a long run of zeros.
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  let start = 0;
  while (start < end && digits[start] === "0") start += 1;
  if (start === end) return "0";
  return `${digits.slice(start, end)}e${String(Number(exponent) - fraction.length + digits.length - end)}`;
}
