import { shownName, ValidationError } from '../../base/errors.ts'
import type { ShapePlan, DynamicZonePlan } from '../../schema/plan.ts'
import { populatablesOf } from './parse-populate-attributes.ts'
import { unknownKey } from '../query-error.ts'

/**
 * For a text that is not valid for the attribute at `path`. A single `*` is expanded to all
 * attributes, and the first one is reported.
 */
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

/**
 * Prefixes the message about an invalid key with the nested parameter, because `details.path` is
 * relative to it in the reference. `trail` must still contain the current parameters.
 */
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

/** For options that a dynamic zone accepts only per component. */
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
