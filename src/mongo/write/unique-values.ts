import type { Document } from 'mongodb'
import { type Fault, fault } from '../../base/errors.ts'
import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'
import { significantDigits } from '../../schema/values/decimal.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { toBson } from '../versions/stored-value.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { optionsOf, inSession } from '../connection/commands.ts'

/**
 * Returns one fault per unique attribute whose value is published by another document in this
 * locale. The unique index enforces uniqueness but reports one attribute at a time. This query
 * reports all of them.
 */
export async function findTaken(
  database: Database,
  plan: ContentTypePlan,
  { documentId, locale }: { readonly documentId: string; readonly locale: string },
  values: Data,
  session?: Session,
): Promise<readonly Fault[]> {
  const given = uniqueValues(plan, values)
  if (given.length === 0) return []
  const others = await inSession(session, () =>
    versionsOf(database, plan)
      .find(
        {
          status: 'published',
          locale,
          documentId: { $ne: documentId },
          ...hasAny(given),
        },
        {
          ...optionsOf(database, session),
          projection: Object.fromEntries(given.map(({ attribute }) => [attribute.name, 1])),
        },
      )
      .toArray(),
  )
  return given
    .filter(({ attribute, value }) =>
      others.some((other) => isEqual(attribute, other[attribute.name], value)),
    )
    .map(({ attribute, value }) => takenFault(attribute, value))
}

/**
 * Avoids `$or` for a single value, because some query planners do not use an index for a branch.
 */
function hasAny(given: ReturnType<typeof uniqueValues>): Document {
  const branches = given.map(({ attribute, value }) => ({
    [attribute.name]: { $eq: toBson(value) },
  }))
  const [only, ...others] = branches
  return only !== undefined && others.length === 0 ? only : { $or: branches }
}

/**
 * The fault of a value that another document has published. The fault of a private attribute does
 * not include the value.
 */
export function takenFault(
  { name, type, private: isPrivate }: ScalarPlan,
  value: unknown,
  path: readonly string[] = [name],
): Fault {
  const shown = isPrivate ? undefined : SCALAR_KINDS[type].toJson(value)
  return fault(path, 'This attribute must be unique', shown, { code: 'any.unique' })
}

/** The attributes whose values are unique among the published versions of a locale. */
export function uniqueAttributes({ attributes }: ContentTypePlan): readonly ScalarPlan[] {
  return [...attributes.values()].filter(
    (attribute): attribute is ScalarPlan => attribute.kind === 'scalar' && attribute.unique,
  )
}

/** The given values that must be unique. Null and the empty text may repeat. */
export function uniqueValues(
  plan: ContentTypePlan,
  values: Data,
): readonly { readonly attribute: ScalarPlan; readonly value: unknown }[] {
  return uniqueAttributes(plan)
    .map((attribute) => ({ attribute, value: values[attribute.name] ?? null }))
    .filter(({ value }) => value !== null && value !== '')
}

/** Decimals that differ only in trailing zeros are equal. */
function isEqual({ type }: ScalarPlan, stored: unknown, value: unknown): boolean {
  if (stored instanceof Date && value instanceof Date) return stored.getTime() === value.getTime()
  if (stored === value) return true
  const isMissing = stored === null || stored === undefined
  return type === 'decimal' && !isMissing && digitsOf(stored) === digitsOf(value)
}

/** Accepts a Decimal128 or a `Decimal`. */
function digitsOf(decimal: unknown): string {
  return significantDigits((decimal as { toString(): string }).toString())
}
