import type { Attribute, Attributes, Components, ScalarAttribute } from '../../entry/declaration.ts'
import { labelOf } from '../../texts/labels.ts'

export interface Line {
  readonly text: string
  /** How far it is within something else. */
  readonly depth: number
}

export interface LineParts {
  /** Undefined where it is no longer declared. */
  readonly attribute: Attribute | undefined
  readonly plan: { readonly components: Components }
  /** Stands for what is empty. */
  readonly nothing: string
  /** A scalar, as lists show it. */
  readonly textOf: (attribute: ScalarAttribute, value: unknown) => string
  /** What entries and files are called, by documentId. */
  readonly titles: ReadonlyMap<string, string>
}

/** A value as history has it, to be read: a line for each thing in it, and one at least. */
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
  const { attribute, plan } = parts
  const held = (value ?? {}) as Readonly<Record<string, unknown>>
  const own = held['__component']
  const uid =
    typeof own === 'string' ? own : attribute?.type === 'component' ? attribute.component : ''
  const component = plan.components.get(uid)
  const attributes: Attributes = component?.attributes ?? {}
  const head = { text: component?.displayName ?? uid, depth }
  const lines = Object.entries(held)
    .filter(([name, one]) => name !== '__component' && name !== 'id' && !isEmpty(one))
    .flatMap(([name, one]) =>
      named(labelOf(name), linesOf(one, { ...parts, attribute: attributes[name] }, depth + 2)),
    )
  return [head, ...lines]
}

/** What is one line stands behind its name, the rest below it. */
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

/** The text of each block: of paragraphs, headings, and the items of lists. */
function textsIn(blocks: unknown): readonly string[] {
  return asList(blocks).flatMap((block) => {
    const { children, text } = (block ?? {}) as {
      readonly children?: unknown
      readonly text?: unknown
    }
    if (typeof text === 'string') return [text]
    const inner = asList(children)
    const isLine = inner.every((one) => !hasBlock(one))
    return isLine ? [inner.flatMap((one) => textsIn([one])).join('')] : textsIn(inner)
  })
}

/** Whether it is a block of its own, such as the item of a list. */
function hasBlock(value: unknown): boolean {
  const { type } = (value ?? {}) as { readonly type?: unknown }
  return type === 'list' || type === 'list-item'
}

function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === null || value === undefined ? [] : [value]
}
