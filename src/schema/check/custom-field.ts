import type { ScalarType } from '../definition.ts'

/** What the reference's own custom fields store, by their documentation. */
const STORED_AS: ReadonlyMap<unknown, ScalarType> = new Map([
  ['plugin::color-picker.color', 'string'],
])

/**
 * An attribute of a plugin's own type, as one of the types there are. What it stores is known to the
 * plugin alone, so any JSON value is taken and given back as it was sent. Anything else as it is.
 */
export function plainAttribute(declared: unknown): unknown {
  if (typeof declared !== 'object' || declared === null) return declared
  const { type, customField, options: _ofThePlugin, ...rest } = declared as Record<string, unknown>
  if (type !== 'customField' || typeof customField !== 'string') return declared
  return { ...rest, type: STORED_AS.get(customField) ?? 'json' }
}
