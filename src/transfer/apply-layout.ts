import { isRecord } from '../base/is-record.ts'
import type { Data } from '../schema/definition.ts'

/** The form of one content-type or component in the admin panel of the reference, as its archives store it. */
export interface Layout {
  readonly rows: readonly (readonly LayoutField[])[]
  readonly fields: ReadonlyMap<string, Data>
}

export interface LayoutField {
  readonly name: string
  /** Columns of 12. */
  readonly size: number
}

export interface AppliedLayout {
  readonly content: Data
  readonly notTaken: readonly string[]
}

/** The limit of texts in the option `studio`. */
const MAX_TEXT_LENGTH = 500
const HALF = 6

/**
 * Adds the labels, help texts, placeholders, widths and conditions of a layout to the option `studio` of attributes, and
 * orders the attributes as in the layout. Members of `studio` that the declaration has stay as they are.
 */
export function applyLayout(content: Data, layout: Layout): AppliedLayout {
  const attributes = isRecord(content['attributes']) ? content['attributes'] : {}
  const narrow = narrowFields(layout.rows)
  const notTaken: string[] = []
  const names = orderedNames(attributes, layout.rows)
  const applied = names.map((name): [string, unknown] => {
    const attribute = attributes[name]
    if (!isRecord(attribute)) return [name, attribute]
    const { studio, reasons } = studioOf(name, attributes, layout.fields.get(name) ?? {})
    notTaken.push(...reasons.map((reason) => `${name}: ${reason}`))
    const width = narrow.has(name) ? { width: 'half' } : {}
    const declared = isRecord(attribute['studio']) ? attribute['studio'] : {}
    const all = { ...studio, ...width, ...declared }
    return [name, Object.keys(all).length === 0 ? attribute : { ...attribute, studio: all }]
  })
  return { content: { ...content, attributes: Object.fromEntries(applied) }, notTaken }
}

function orderedNames(attributes: Data, rows: Layout['rows']): readonly string[] {
  const placed = rows.flat().map(({ name }) => name)
  return [...new Set([...placed, ...Object.keys(attributes)])].filter((name) =>
    Object.hasOwn(attributes, name),
  )
}

/** Two narrow fields share a row of the Studio, so that only pairs of neighbours become narrow. */
function narrowFields(rows: Layout['rows']): ReadonlySet<string> {
  const narrow = new Set<string>()
  for (const row of rows) {
    for (let at = 0; at + 1 < row.length; at += 1) {
      const pair = row.slice(at, at + 2)
      if (pair.some(({ size }) => size > HALF)) continue
      for (const { name } of pair) narrow.add(name)
      at += 1
    }
  }
  return narrow
}

function studioOf(
  name: string,
  attributes: Data,
  field: Data,
): { readonly studio: Data; readonly reasons: readonly string[] } {
  const texts = textsOf(name, field)
  const condition = conditionOf(attributes[name], attributes)
  const studio = {
    ...Object.fromEntries(texts.filter(([, text]) => faultOf(text) === null)),
    ...(isRecord(condition) && { visibleWhen: condition }),
  }
  const reasons = [
    ...texts.flatMap(([key, text]) => {
      const fault = faultOf(text)
      return fault === null ? [] : [`the ${key} ${fault}`]
    }),
    ...(field['visible'] === false ? ['it was hidden, and is shown here'] : []),
    ...(field['editable'] === false ? ['it was read only, and can be edited here'] : []),
    ...(condition === 'unknown' ? ['its condition is not understood'] : []),
  ]
  return { studio, reasons }
}

/** Invisible characters: controls, halves of surrogate pairs, and changes of the direction of the text. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u

function faultOf(text: string): string | null {
  if (text.length > MAX_TEXT_LENGTH) return `is longer than ${MAX_TEXT_LENGTH} characters`
  return INVISIBLE.test(text) ? 'contains invisible characters' : null
}

/** The label of a field without one is the name of the attribute. */
function textsOf(name: string, field: Data): readonly (readonly [string, string])[] {
  return ['label', 'description', 'placeholder'].flatMap((key) => {
    const text = field[key]
    const isGiven = typeof text === 'string' && text.trim() !== ''
    return isGiven && !(key === 'label' && text === name) ? [[key, text] as const] : []
  })
}

/** A condition of the reference compares one attribute with one value: `{ "==": [{ "var": "kind" }, "video"] }`. */
function conditionOf(attribute: unknown, attributes: Data): Data | null | 'unknown' {
  const conditions = isRecord(attribute) ? attribute['conditions'] : null
  if (!isRecord(conditions) || conditions['visible'] === undefined) return null
  const comparisons = Object.entries(conditions['visible'] ?? {}).map(([operator, operands]) =>
    comparisonOf(operator, Array.isArray(operands) ? operands : [], attributes),
  )
  const [comparison = null] = comparisons
  return comparisons.length === 1 && comparison !== null ? comparison : 'unknown'
}

function comparisonOf(
  operator: string,
  operands: readonly unknown[],
  attributes: Data,
): Data | null {
  const [variable, value] = operands
  const name = isRecord(variable) ? String(variable['var']) : ''
  if (operands.length !== 2 || !takesValue(attributes[name], value)) return null
  if (operator === '==') return { [name]: value }
  return operator === '!=' ? { [name]: { $ne: value } } : null
}

function takesValue(attribute: unknown, value: unknown): boolean {
  if (!isRecord(attribute)) return false
  if (attribute['type'] === 'boolean') return typeof value === 'boolean'
  const { enum: values } = attribute
  return attribute['type'] === 'enumeration' && Array.isArray(values) && values.includes(value)
}
