import type { Document } from 'mongodb'
import { type Fault, fault } from '../../errors.ts'
import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'
import { significantDigits } from '../../schema/values/decimal.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { toBson } from '../versions/stored-value.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { optionsOf, inSession } from '../connection/commands.ts'

/**
 * One fault for each unique attribute whose value the published version of another document has in this
 * locale. Issues no command when no such value is given. The unique index is what holds, and names one: this
 * look serves to report all of them together.
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

/** Without `$or` where one value is given: not every planner finds the index of a branch. */
function hasAny(given: ReturnType<typeof uniqueValues>): Document {
  const branches = given.map(({ attribute, value }) => ({
    [attribute.name]: { $eq: toBson(value) },
  }))
  const [only, ...others] = branches
  return only !== undefined && others.length === 0 ? only : { $or: branches }
}

/**
 * The fault of an attribute whose value another document has published. The value is as an answer shows it,
 * and not told of a private attribute: whoever publishes need not know it.
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

/** Of some values those that must be unique: null and the empty text may repeat. */
export function uniqueValues(
  plan: ContentTypePlan,
  values: Data,
): readonly { readonly attribute: ScalarPlan; readonly value: unknown }[] {
  return uniqueAttributes(plan)
    .map((attribute) => ({ attribute, value: values[attribute.name] ?? null }))
    .filter(({ value }) => value !== null && value !== '')
}

/** Values of one attribute have one type; decimals that differ in trailing zeros alone are equal. */
function isEqual({ type }: ScalarPlan, stored: unknown, value: unknown): boolean {
  if (stored instanceof Date && value instanceof Date) return stored.getTime() === value.getTime()
  if (stored === value) return true
  const isMissing = stored === null || stored === undefined
  return type === 'decimal' && !isMissing && digitsOf(stored) === digitsOf(value)
}

/** Of a Decimal128 or of a `Decimal`. */
function digitsOf(decimal: unknown): string {
  return significantDigits((decimal as { toString(): string }).toString())
}
