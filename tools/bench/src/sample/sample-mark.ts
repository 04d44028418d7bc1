import type { Database } from '../../../../src/mongo/connection/database.ts'
import type { Schema } from '../../../../src/schema/plan.ts'

export interface SampleMark {
  /** True if the database was empty before the sample. Only then may all content be published. */
  readonly ontoEmpty: boolean
  /** Null until the sample is complete. */
  readonly completedAt: Date | null
  /** When the demo permitted the public role to read it. Null before. */
  readonly openedAt: Date | null
}

interface MarkRow extends SampleMark {
  readonly _id: 'sample'
}

function collectionOf(database: Database) {
  return database.collection<MarkRow>('quire_settings')
}

/** Null if the sample was never loaded. */
export function getMark(database: Database): Promise<SampleMark | null> {
  return collectionOf(database).findOne({ _id: 'sample' })
}

/** Records the start of a seed. The state of the database counts only the first time. */
export async function beginMark(
  database: Database,
  schema: Pick<Schema, 'contentTypes'>,
): Promise<void> {
  if ((await getMark(database)) !== null) return
  const ontoEmpty = !(await hasContent(database, schema))
  await collectionOf(database).updateOne(
    { _id: 'sample' },
    { $setOnInsert: { ontoEmpty, completedAt: null, openedAt: null } },
    { upsert: true },
  )
}

export async function putMark(
  database: Database,
  changes: Partial<Pick<SampleMark, 'completedAt' | 'openedAt'>>,
): Promise<void> {
  await collectionOf(database).updateOne({ _id: 'sample' }, { $set: changes })
}

export async function hasContent(
  database: Database,
  { contentTypes }: Pick<Schema, 'contentTypes'>,
): Promise<boolean> {
  const plans = [...contentTypes.values()].filter(({ uid }) => uid.startsWith('api::'))
  const found = await Promise.all(
    plans.map((plan) =>
      database.collection(plan.collectionName).findOne({}, { projection: { _id: 1 } }),
    ),
  )
  return found.some((document) => document !== null)
}
