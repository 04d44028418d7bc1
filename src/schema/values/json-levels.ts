import { ValidationError } from '../../base/errors.ts'

/** What walks a body calls itself for each level: far below where the stack of calls ends, above what content may have. */
const MAX_LEVELS = 500

/** @throws ValidationError for lists or objects within each other beyond 500 levels */
export function assertShallow(json: string): void {
  if (levelsOf(json) > MAX_LEVELS) {
    throw new ValidationError(`The JSON is nested more than ${MAX_LEVELS} levels deep`)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]) // [ {
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]) // ] }

/**
 * The depth of lists and objects in a valid JSON text. Of the text, since requests without permission are
 * parsed too: 3 ms for a megabyte, where a walk of the values takes up to 180.
 */
export function levelsOf(json: string): number {
  let deepest = 0
  let level = 0
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(json, at)
    } else if (OPENING.has(code)) {
      level += 1
      deepest = Math.max(deepest, level)
    } else if (CLOSING.has(code)) {
      level -= 1
    }
  }
  return deepest
}

/** Where the string that begins at a quotation mark ends. */
function endOfString(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json.charCodeAt(at) !== QUOTE) {
    at += json.charCodeAt(at) === BACKSLASH ? 2 : 1
  }
  return at
}
