const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['t', true],
  ['false', false],
  ['0', false],
  ['f', false],
])

export function booleanOf(text: unknown): boolean | undefined {
  return BOOLEANS.get(text)
}
