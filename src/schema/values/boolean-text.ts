const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['t', true],
  ['false', false],
  ['0', false],
  ['f', false],
])

/** Parses a boolean in a URL. Returns undefined for other text. */
export function booleanOf(text: unknown): boolean | undefined {
  return BOOLEANS.get(text)
}
