import type { ScalarType } from '../definition.ts'

/** The stored type of the reference's own custom fields, from its documentation. */
const STORED_AS: ReadonlyMap<unknown, ScalarType> = new Map([
  ['plugin::color-picker.color', 'string'],
])

/** As JSON, because only the plugin knows its values. */
export function plainAttribute(declared: unknown): unknown {
  if (typeof declared !== 'object' || declared === null) return declared
  const { type, customField, options: _ofThePlugin, ...rest } = declared as Record<string, unknown>
  if (type !== 'customField' || typeof customField !== 'string') return declared
  return { ...rest, type: STORED_AS.get(customField) ?? 'json' }
}
