import { BSON, type Document } from 'mongodb'
import { GatewayTimeoutError } from '../../base/errors.ts'
import type { Query } from '../../query/query.ts'
import { fallbackStages } from './target-version.ts'
import type { Database } from '../connection/database.ts'
import { visitAggregated } from './visit-rows.ts'
import { type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { type Conditions, matchAll, matchStages } from './translate-filter.ts'
import { matchNamed } from './read-unique.ts'
import { matchVersions } from '../versions/version-match.ts'

/** A qualification of a total. The value is its key in the response. */
export type CountNote = 'capped' | 'estimated' | 'countTimedOut'

export interface Counted {
  readonly total: number | null
  readonly notes: readonly CountNote[]
}

export interface VersionPage<Version = StoredVersion> extends Counted {
  readonly versions: readonly Version[]
}

export const NOT_COUNTED: Counted = { total: null, notes: [] }

/** The conditions must be disjoint. The time limit `countTimeoutMs` includes the wait for a connection. */
export async function countVersions(
  database: Database,
  query: Query,
  conditions: readonly Conditions[],
): Promise<Counted> {
  const { withCount } = query.page
  if (withCount === false) return NOT_COUNTED
  const isWhole = withCount === 'estimate' && isWholeCollection(query)
  const total = await inTime(
    database.countTimeoutMs,
    isWhole ? estimate(database, query) : countEach(database, query, conditions),
  )
  if (total === null) return { total, notes: ['countTimedOut'] }
  return isWhole ? { total, notes: ['estimated'] } : toCounted(database, query, total)
}

export function countedOf(database: Database, query: Query, number: number): Counted {
  return query.page.withCount === false ? NOT_COUNTED : toCounted(database, query, number)
}

export function toCounted({ countLimit }: Database, { page }: Query, counted: number): Counted {
  const notes: CountNote[] = counted > countLimit ? ['capped'] : []
  if (page.withCount === 'estimate') notes.push('estimated')
  return { total: Math.min(counted, countLimit), notes }
}

/** If a list shows its whole collection, the metadata count is correct. */
function isWholeCollection({ plan, filter }: Query): boolean {
  return filter === null && !plan.localized && !plan.draftAndPublish
}

function estimate(database: Database, { plan }: Query): Promise<number> {
  return versionsOf(database, plan).estimatedDocumentCount({ maxTimeMS: database.countTimeoutMs })
}

async function countEach(
  database: Database,
  query: Query,
  conditions: readonly Conditions[],
): Promise<number> {
  const counts = await Promise.all(conditions.map((one) => countUpTo(database, query, one)))
  return counts.reduce((total, count) => total + count, 0)
}

function countUpTo(database: Database, query: Query, conditions: Conditions): Promise<number> {
  const which = matchAll([matchNamed(query.filter, query.version), matchVersions(query.version)])
  const options = { maxTimeMS: database.countTimeoutMs }
  const chosen = fallbackStages(query.plan, query.version, conditions)
  const isWhole = conditions.lookups.length + Object.keys(conditions.match).length === 0
  // A document shows one version and has one per locale, so this limit loses no document that counts.
  const versions = { $limit: database.countLimit * query.version.locales.length + 1 }
  const one = isWhole && chosen.length > 0 ? [versions, BY_DOCUMENT] : chosen
  const stages = [...matchStages(which, conditions), ...one]
  const count = async (): Promise<number> => {
    const pipeline = [...stages, { $limit: database.countLimit + 1 }, COUNT]
    let counted = 0
    await visitAggregated(database, query.plan, pipeline, options, (bytes) => {
      counted = Number(BSON.deserialize(bytes)['n'])
    })
    return counted
  }
  return database.shareCounts(keyOf(query.plan.collectionName, stages), count)
}

const BY_DOCUMENT = { $group: { _id: '$documentId' } }
const COUNT = { $group: { _id: 1, n: { $sum: 1 } } }

/** BSON, because it keeps values of different types distinct. */
function keyOf(collection: string, stages: readonly Document[]): string {
  return Buffer.from(BSON.serialize({ collection, stages })).toString('latin1')
}

/** Returns null after the timeout. An abandoned count ends by its own `maxTimeMS`. */
async function inTime(timeoutMs: number, counting: Promise<number>): Promise<number | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, null)
  })
  try {
    return await Promise.race([counting, late])
  } catch (error) {
    if (error instanceof GatewayTimeoutError) return null
    throw error
  } finally {
    clearTimeout(timer)
  }
}
