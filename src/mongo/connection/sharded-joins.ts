import { type Document, MongoServerError } from 'mongodb'
import { NotImplementedError } from '../../errors.ts'
import type { Database } from './database.ts'
import type { ServerVersion } from './server-version.ts'

const NAMESPACE_NOT_FOUND = 26

/**
 * Of these collections those that `$lookup` cannot read: sharded ones, on MongoDB before 5.1.
 * https://www.mongodb.com/docs/manual/reference/operator/aggregation/lookup/#sharded-collections
 */
export async function findUnjoinable(
  database: Database,
  version: ServerVersion,
  collections: readonly string[],
): Promise<readonly string[]> {
  const isCluster = (await database.hello())['msg'] === 'isdbgrid'
  if (!isCluster || version.isAtLeast(5, 1)) return []
  const sharded = await Promise.all(collections.map((name) => isSharded(database, name)))
  return collections.filter((_, index) => sharded[index])
}

/** What of content does not work while there are such collections. */
export function unjoinableWarning(version: ServerVersion): string {
  return (
    `MongoDB ${version.text} cannot join sharded collections, 5.1 can: fallback locales, publicationFilter, sorts that ` +
    'pass two relations and filters with very many related matches answer 501'
  )
}

async function isSharded(database: Database, collection: string): Promise<boolean> {
  try {
    const stats = await database.command({ collStats: collection })
    return stats['sharded'] === true
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND) return false
    throw error
  }
}

/**
 * Refuses a pipeline that looks up what cannot be looked up (`findUnjoinable`): the database would fail in the middle of it.
 * @throws NotImplementedError
 */
export function assertJoinable(
  { unjoinable }: Pick<Database, 'unjoinable'>,
  stages: readonly Document[],
): void {
  if (unjoinable.size === 0) return
  for (const stage of stages) {
    if (!('$lookup' in stage)) continue
    const { from, pipeline = [] } = stage['$lookup'] as Lookup
    if (unjoinable.has(from)) {
      throw new NotImplementedError(
        'This request joins a sharded collection, which requires MongoDB 5.1',
        {},
        { code: 'join_unsupported' },
      )
    }
    assertJoinable({ unjoinable }, pipeline)
  }
}

/** As this room builds it. */
interface Lookup {
  readonly from: string
  readonly pipeline?: readonly Document[]
}
