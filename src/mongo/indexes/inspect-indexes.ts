import type { CollectionPlan } from './collection-plan.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { sortKeyOf } from '../connection/query-shape.ts'
import { compareAll, listIndexes } from './sync-indexes.ts'

/** All indexes of a collection, including those that Quire did not build. */
export interface CollectionIndexes {
  readonly name: string
  /** The attributes of each, in order; `:desc` follows what is descending. */
  readonly keys: readonly (readonly string[])[]
}

export interface IndexInspection {
  /** `collection.index`, of what is declared and not there. */
  readonly missing: readonly string[]
  /** Of ours that are declared otherwise now, or no longer. */
  readonly outdated: readonly string[]
  /** Of others. */
  readonly strays: readonly string[]
  readonly collections: readonly CollectionIndexes[]
}

/** Compares what is there with what is declared, and changes nothing. */
export function inspectIndexes(
  database: Database,
  plans: readonly CollectionPlan[],
): Promise<IndexInspection> {
  return asCmsErrors(async () => {
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
  })
}
