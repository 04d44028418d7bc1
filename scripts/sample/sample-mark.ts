import type { Database } from '../../src/mongo/connection/database.ts'
import type { Schema } from '../../src/schema/plan.ts'

/** What a database remembers of the sample that was brought into it. */
export interface SampleMark {
  /** Whether there was nothing else when the sample came: then all of it is for everybody to see. */
  readonly ontoEmpty: boolean
  /** Null until all of it is stored. */
  readonly completedAt: Date | null
  /** When the demo opened it to the public role; null until it did. */
  readonly openedAt: Date | null
}

interface MarkRow extends SampleMark {
  readonly _id: 'sample'
}

function collectionOf(database: Database) {
  return database.collection<MarkRow>('quire_settings')
}

/** Null where the sample has never been. */
export function getMark(database: Database): Promise<SampleMark | null> {
  return collectionOf(database).findOne({ _id: 'sample' })
}

/** Notes that the sample is coming; how the database was before counts the first time only. */
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

/** Whether any declared content-type has a document. */
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
