/** A list of plain values stays on one line up to this length. */
const WIDTH = 100
const INDENT = '  '

/**
 * Formats a declaration: two spaces per level, keys in their order, one newline at the end. Equal content gives equal
 * text.
 */
export function declarationText(content: unknown): string {
  return `${formatValue(content, '', 0)}\n`
}

/** `taken` is the number of characters before the value on its first line. */
function formatValue(value: unknown, indent: string, taken: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = indent + INDENT
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    const line = lineOf(value)
    if (line !== null && taken + line.length < WIDTH) return line
    const items = value.map((item) => inner + formatValue(item, inner, inner.length))
    return `[\n${items.join(',\n')}\n${indent}]`
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => {
      const start = `${inner}${JSON.stringify(key)}: `
      return start + formatValue(member, inner, start.length)
    })
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`
}

function lineOf(values: readonly unknown[]): string | null {
  if (values.some((value) => typeof value === 'object' && value !== null)) return null
  return `[${values.map((value) => JSON.stringify(value)).join(', ')}]`
}
