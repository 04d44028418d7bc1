import type { ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'
import type { Status } from '../../query/query.ts'
import { optionsOf, inSession } from '../connection/commands.ts'
import type { Database, Session } from '../connection/database.ts'
import { toBson } from '../versions/stored-value.ts'
import { asVersion, type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { significantDigits } from '../../schema/values/decimal.ts'

/** A version that holds one of the values that were looked for. */
export type Holder = Pick<StoredVersion, 'documentId' | 'locale' | 'status'> & {
  /** `valueKey` of what it holds. */
  readonly key: string
}

/** The versions of any locale that hold one of these values, in stored form, of a unique attribute: one query. */
export function findByUnique(
  database: Database,
  plan: ContentTypePlan,
  attribute: ScalarPlan,
  wanted: { readonly values: readonly unknown[]; readonly statuses: readonly Status[] },
  session?: Session,
): Promise<readonly Holder[]> {
  const [status, ...others] = wanted.statuses
  const match = others.length === 0 ? status : { $in: [...wanted.statuses] }
  return inSession(session, async () => {
    const found = await versionsOf(database, plan)
      .find(
        { status: match, [attribute.name]: { $in: wanted.values.map(toBson) } },
        {
          ...optionsOf(database, session),
          projection: { documentId: 1, locale: 1, status: 1, [attribute.name]: 1 },
          batchSize: 2 * wanted.values.length + 1,
        },
      )
      .toArray()
    return found.map((row) => {
      const { documentId, locale, status, [attribute.name]: value } = asVersion(row)
      return { documentId, locale, status, key: valueKey(attribute, value) }
    })
  })
}

/** The same text for values that an index takes for equal. */
export function valueKey({ type }: Pick<ScalarPlan, 'type'>, value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return type === 'decimal' ? significantDigits(String(value)) : String(value)
}

/** Every version of these documents, whole: one query. */
export function getDocuments(
  database: Database,
  plan: ContentTypePlan,
  documentIds: readonly string[],
  session?: Session,
): Promise<readonly StoredVersion[]> {
  return inSession(session, async () => {
    const found = await versionsOf(database, plan)
      .find({ documentId: { $in: [...documentIds] } }, optionsOf(database, session))
      .toArray()
    return found.map(asVersion)
  })
}
