import type { CollectionPlan } from './collection-plan.ts'
import type { Database } from '../connection/database.ts'
import { sortKeyOf } from '../connection/query-shape.ts'
import { compareAll, listIndexes } from './sync-indexes.ts'

export interface CollectionIndexes {
  readonly name: string
  readonly keys: readonly (readonly string[])[]
}

export interface IndexInspection {
  readonly missing: readonly string[]
  readonly outdated: readonly string[]
  readonly strays: readonly string[]
  readonly collections: readonly CollectionIndexes[]
}

export async function inspectIndexes(
  database: Database,
  plans: readonly CollectionPlan[],
): Promise<IndexInspection> {
  const differences = await compareAll(database, plans)
  const collections = await Promise.all(
    plans.map(async ({ name }) => {
      const indexes = await listIndexes(database, name)
      return { name, keys: indexes.map(({ key }) => Object.entries(key).map(sortKeyOf)) }
    }),
  )
  return {
    missing: differences.flatMap(({ collection, missing }) =>
      missing.map(({ name }) => `${collection}.${name}`),
    ),
    outdated: differences.flatMap(({ collection, outdated }) =>
      outdated.map((name) => `${collection}.${name}`),
    ),
    strays: differences.flatMap(({ strays }) => strays),
    collections,
  }
}
