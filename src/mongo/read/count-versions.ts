import { BSON, type Document } from 'mongodb'
import { GatewayTimeoutError } from '../../errors.ts'
import type { Query } from '../../query/query.ts'
import { fallbackStages } from './fallback-stages.ts'
import { type Conditions, matchStages } from './conditions.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { visitAggregated } from './run-read.ts'
import { type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { matchAll } from './translate-filter.ts'
import { matchNamed } from './unique-conditions.ts'
import { matchVersions } from '../versions/version-match.ts'
import { optionsOf } from '../connection/commands.ts'

/** What is to be known about a total, by the key under which an answer says it. */
export type CountNote = 'capped' | 'estimated' | 'countTimedOut'

/** How many entries a list has on all of its pages. */
export interface Counted {
  /** Null when the request asked for no count, or it was not counted in time. */
  readonly total: number | null
  /** None where the total is exact. */
  readonly notes: readonly CountNote[]
}

export interface VersionPage<Version = StoredVersion> extends Counted {
  /** In the order asked for; of a page by cursor one more than it shows, see `buildFind`. */
  readonly versions: readonly Version[]
}

/** Of a list that was not asked to be counted. */
export const NOT_COUNTED: Counted = { total: null, notes: [] }

/**
 * Counts what a list has, as its request asks. Past the database's `countTimeoutMs` the count is given up,
 * whether it is the database that still counts or a connection that is still waited for.
 */
export async function countVersions(
  database: Database,
  query: Query,
  conditions: Conditions,
): Promise<Counted> {
  const { withCount } = query.page
  if (withCount === false) return NOT_COUNTED
  const isWhole = withCount === 'estimate' && isWholeCollection(query)
  const total = await inTime(
    database.countTimeoutMs,
    isWhole ? estimate(database, query) : countUpTo(database, query, conditions),
  )
  if (total === null) return { total, notes: ['countTimedOut'] }
  return isWhole ? { total, notes: ['estimated'] } : toCounted(database, query, total)
}

/** What a list that was read to its end has, as its request asks. */
export function countedOf(database: Database, query: Query, number: number): Counted {
  return query.page.withCount === false ? NOT_COUNTED : toCounted(database, query, number)
}

/** A count, at least to one beyond the cap, as an answer reports it. */
export function toCounted({ countLimit }: Database, { page }: Query, counted: number): Counted {
  const notes: CountNote[] = counted > countLimit ? ['capped'] : []
  if (page.withCount === 'estimate') notes.push('estimated')
  return { total: Math.min(counted, countLimit), notes }
}

/** Whether a list shows every version that its collection holds, so that the collection's own number will do. */
function isWholeCollection({ plan, filter }: Query): boolean {
  return filter === null && !plan.localized && !plan.draftAndPublish
}

function estimate(database: Database, { plan }: Query): Promise<number> {
  const options = { maxTimeMS: database.countTimeoutMs }
  return asCmsErrors(() => versionsOf(database, plan).estimatedDocumentCount(options))
}

function countUpTo(database: Database, query: Query, conditions: Conditions): Promise<number> {
  const which = matchAll([matchNamed(query.filter, query.version), matchVersions(query.version)])
  const options = { ...optionsOf(database), maxTimeMS: database.countTimeoutMs }
  const chosen = fallbackStages(query.plan, query.version)
  const isPlain = conditions.lookups.length + chosen.length === 0
  const stages = isPlain
    ? [{ $match: matchAll([which, conditions.match]) }]
    : [...matchStages(which, conditions), ...chosen]
  const count = async (): Promise<number> => {
    const pipeline = [...stages, { $limit: database.countLimit + 1 }, COUNT]
    let counted = 0
    await visitAggregated(database, query.plan, pipeline, options, (bytes) => {
      counted = Number(BSON.deserialize(bytes)['n'])
    })
    return counted
  }
  const key = keyOf(query.plan.collectionName, stages)
  return database.shareCounts(key, () => asCmsErrors(count))
}

/** As drivers count documents. */
const COUNT = { $group: { _id: 1, n: { $sum: 1 } } }

/** The bytes of a command: equal for equal commands, with values of different types distinct. */
function keyOf(collection: string, stages: readonly Document[]): string {
  return Buffer.from(BSON.serialize({ collection, stages })).toString('latin1')
}

/** Null when it takes longer. An abandoned count ends by its own `maxTimeMS`; its error is ignored. */
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
