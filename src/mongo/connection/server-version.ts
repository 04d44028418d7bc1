import { type Document, MongoServerError } from 'mongodb'
import type { Database } from './database.ts'

export interface ServerVerdict {
  readonly text: string
  readonly refusal: string | null
}

/** @throws CmsError for database errors (`toCmsError`) */
export async function judgeServer(
  database: Pick<Database, 'command'>,
  collections: readonly string[],
): Promise<ServerVerdict> {
  const { version } = await database.command({ buildInfo: 1 })
  const text = String(version)
  const tooOld = refusalOf(text)
  if (tooOld !== null || isAtLeast(text, 6, 0)) return { text, refusal: tooOld }
  const isSharded = await Promise.all(collections.map((name) => isShardedIn(database, name)))
  const sharded = collections.filter((_, index) => isSharded[index])
  const why = `sharded content (${sharded.join(', ')}) needs 6.0 at least`
  return { text, refusal: sharded.length === 0 ? null : `MongoDB ${text} is too old: ${why}` }
}

/**
 * `$lookup` with `localField` and `pipeline` is new in 5.0 (development series 4.9). Sharded collections need 5.1.
 * https://www.mongodb.com/docs/manual/reference/operator/aggregation/lookup/
 */
function refusalOf(version: string): string | null {
  return isAtLeast(version, 4, 9) ? null : `MongoDB ${version} is too old: at least 5.0 is needed`
}

function isAtLeast(version: string, wantedMajor: number, wantedMinor: number): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
}

const NAMESPACE_NOT_FOUND = 26

async function isShardedIn(
  database: Pick<Database, 'command'>,
  collection: string,
): Promise<boolean> {
  try {
    const stats: Document = await database.command({ collStats: collection })
    return stats['sharded'] === true
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND) return false
    throw error
  }
}
