const WIDTH = 100
const INDENT = '  '

/** Equal content gives equal text. Keys keep their order. */
export function declarationText(content: unknown): string {
  return `${formatValue(content, '', 0)}\n`
}

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
