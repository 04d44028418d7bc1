import type { ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'
import type { Status } from '../../query/query.ts'
import type { Database, Session } from '../connection/database.ts'
import { toBson } from '../versions/stored-value.ts'
import { asRow, asVersion, type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { significantDigits } from '../../schema/values/decimal.ts'

export type Holder = Pick<StoredVersion, 'documentId' | 'locale' | 'status'> & {
  /** `valueKey` of the stored value. */
  readonly key: string
}

/** Finds the versions of any locale that have one of the given stored values of a unique attribute. Runs one query. */
export async function findByUnique(
  database: Database,
  plan: ContentTypePlan,
  attribute: ScalarPlan,
  wanted: { readonly values: readonly unknown[]; readonly statuses: readonly Status[] },
  session?: Session,
): Promise<readonly Holder[]> {
  const stored: string = attribute.storedName
  const [status, ...others] = wanted.statuses
  const match = others.length === 0 ? status : { $in: [...wanted.statuses] }
  const found = await versionsOf(database, plan)
    .find(
      { status: match, [stored]: { $in: wanted.values.map(toBson) } },
      {
        session,
        projection: { documentId: 1, locale: 1, status: 1, [stored]: 1 },
        batchSize: 2 * wanted.values.length + 1,
      },
    )
    .toArray()
  return found.map((row) => {
    const { documentId, locale, status, [stored]: value } = asRow(row)
    return { documentId, locale, status, key: valueKey(attribute, value) }
  })
}

/** Returns the same key for values that are equal to a unique index. */
export function valueKey({ type }: Pick<ScalarPlan, 'type'>, value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return type === 'decimal' ? significantDigits(String(value)) : String(value)
}

export async function getDocuments(
  database: Database,
  plan: ContentTypePlan,
  documentIds: readonly string[],
  session?: Session,
): Promise<readonly StoredVersion[]> {
  const found = await versionsOf(database, plan)
    .find({ documentId: { $in: [...documentIds] } }, { session })
    .toArray()
  return found.map((row) => asVersion(plan, row))
}
