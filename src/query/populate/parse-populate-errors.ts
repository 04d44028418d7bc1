import { shownName, ValidationError } from '../../base/errors.ts'
import type { ShapePlan, DynamicZonePlan } from '../../schema/plan.ts'
import { populatablesOf } from './parse-populate-attributes.ts'
import { unknownKey } from '../query-error.ts'

/** A single `*` is expanded to all attributes, and the first one is reported. */
export function misplacedText(
  text: string,
  holder: ShapePlan | null,
  path: string,
): ValidationError {
  const [first] = text === '*' && holder !== null ? populatablesOf(holder) : []
  if (first === undefined) return unknownKey(text, path, 'populate')
  const at = `${path}.${first.name}`
  return new ValidationError(
    `Invalid key ${first.name} at ${at}`,
    { key: first.name, path: at },
    { code: 'invalid_key' },
  )
}

/** In the reference, `details.path` is relative to the nested parameter. `trail` must still contain it. */
export function namingLevel<T>(trail: readonly string[], parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    const isOfKey = error instanceof ValidationError && error.details?.['key'] !== undefined
    if (!isOfKey || trail.length === 0) throw error
    const level = shownName(['populate', ...trail].join('.'))
    throw new ValidationError(`${level}: ${error.message}`, error.details, {
      code: error.errorCode,
    })
  }
}

export function withoutFragment(
  zone: DynamicZonePlan,
  found: string,
  { uid }: ShapePlan,
): ValidationError {
  const singularName = uid.slice(uid.lastIndexOf('.') + 1)
  return new ValidationError(
    `Invalid nested populate for ${singularName}.${zone.name} (${uid}). ` +
      `Expected a fragment ("on") or "count" but found ${JSON.stringify(found)}`,
    {},
    { code: 'invalid_query' },
  )
}
