import type { Attribute, Attributes, Components, ScalarAttribute } from '../../api/attributes.ts'

export interface Line {
  readonly text: string
  readonly depth: number
}

export interface LineParts {
  readonly attribute: Attribute | undefined
  readonly plan: { readonly components: Components }
  readonly nothing: string
  readonly nameOf: (name: string, attribute: Attribute | undefined) => string
  readonly textOf: (attribute: ScalarAttribute, value: unknown) => string
  readonly titles: ReadonlyMap<string, string>
}

/** Formats a value of the history as lines; at least one. */
export function linesOf(value: unknown, parts: LineParts, depth = 0): readonly Line[] {
  const lines = isEmpty(value) ? [] : linesWithin(value, parts, depth)
  return lines.length > 0 ? lines : [{ text: parts.nothing, depth }]
}

function isEmpty(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  )
}

function linesWithin(value: unknown, parts: LineParts, depth: number): readonly Line[] {
  const { attribute, textOf, titles } = parts
  if (attribute === undefined) return linesOfText(JSON.stringify(value, null, 2), depth)
  switch (attribute.type) {
    case 'relation':
    case 'media':
      return asList(value).map((id) => ({ text: titles.get(String(id)) ?? String(id), depth }))
    case 'component':
    case 'dynamiczone':
      return asList(value).flatMap((one) => componentLines(one, parts, depth))
    case 'blocks':
      return textsIn(value).map((text) => ({ text, depth }))
    case 'json':
      return linesOfText(JSON.stringify(value, null, 2), depth)
    default:
      return linesOfText(textOf(attribute, value), depth)
  }
}

function componentLines(value: unknown, parts: LineParts, depth: number): readonly Line[] {
  const { attribute, plan, nameOf } = parts
  const held = (value ?? {}) as Readonly<Record<string, unknown>>
  const own = held['__component']
  const uid =
    typeof own === 'string' ? own : attribute?.type === 'component' ? attribute.component : ''
  const component = plan.components.get(uid)
  const attributes: Attributes = component?.attributes ?? {}
  const head = { text: component?.displayName ?? uid, depth }
  const lines = Object.entries(held)
    .filter(([name, one]) => name !== '__component' && name !== 'id' && !isEmpty(one))
    .flatMap(([name, one]) => {
      const inner = attributes[name]
      return named(nameOf(name, inner), linesOf(one, { ...parts, attribute: inner }, depth + 2))
    })
  return [head, ...lines]
}

/** A single line follows the name; several lines are below it. */
function named(name: string, lines: readonly Line[]): readonly Line[] {
  const [first, ...others] = lines
  if (first === undefined) return []
  const depth = first.depth - 1
  if (others.length === 0) return [{ text: `${name}: ${first.text}`, depth }]
  return [{ text: `${name}:`, depth }, ...lines]
}

function linesOfText(text: string, depth: number): readonly Line[] {
  return text.split('\n').map((line) => ({ text: line, depth }))
}

function textsIn(blocks: unknown): readonly string[] {
  return asList(blocks).flatMap((block) => {
    const { type, children, text } = (block ?? {}) as {
      readonly type?: unknown
      readonly children?: unknown
      readonly text?: unknown
    }
    if (typeof text === 'string') return [text]
    const inner = asList(children)
    if (type === 'table-row') return [inner.map((one) => textsIn([one]).join('')).join(' | ')]
    const isLine = inner.every((one) => !hasBlock(one))
    return isLine ? [inner.flatMap((one) => textsIn([one])).join('')] : textsIn(inner)
  })
}

function hasBlock(value: unknown): boolean {
  const { type } = (value ?? {}) as { readonly type?: unknown }
  return type === 'list' || type === 'list-item' || type === 'table-row'
}

function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === null || value === undefined ? [] : [value]
}
