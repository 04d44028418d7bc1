const NUMBER = String.raw`[+-]?(?:\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})(?:%|deg|turn|rad)?`
const SEPARATOR = String.raw`(?:\s*[,/]\s*|\s+)`
const ARGUMENTS = String.raw`\(\s*${NUMBER}(?:${SEPARATOR}${NUMBER}){2,3}\s*\)`
const ONE_COLOUR = String.raw`(?:#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})|(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)${ARGUMENTS})`

const COLOUR = new RegExp(
  String.raw`^(?:${ONE_COLOUR}|light-dark\(\s*${ONE_COLOUR}\s*,\s*${ONE_COLOUR}\s*\))$`,
  'i',
)
const LENGTH = /^(?:0|\d{1,2}(?:\.\d{1,3})?(?:px|rem|em))$/i
const MAX_VALUE_LENGTH = 200

/** Accepts hexadecimal colours, functions of numbers such as `oklch(…)`, and `light-dark(…)` of two colours. */
export function isCssColour(text: string): boolean {
  return text.length <= MAX_VALUE_LENGTH && COLOUR.test(text.trim())
}

/** Accepts 0, and px, rem and em below 100. */
export function isCssLength(text: string): boolean {
  return text.length <= MAX_VALUE_LENGTH && LENGTH.test(text.trim())
}
