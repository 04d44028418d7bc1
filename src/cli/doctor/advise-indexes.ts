import type { CollectionIndexes } from '../../mongo/indexes/inspect-indexes.ts'
import { needsOf, remedyFor } from '../../mongo/indexes/index-needs.ts'
import type { QueryStat } from '../../mongo/observe/query-stats.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

export interface IndexAdvice {
  readonly contentType: string
  readonly attribute: string
  readonly use: 'filtered' | 'sorted'
  readonly count: number
  readonly totalMs: number
  readonly slowestMs: number
  readonly scanned: number | null
  readonly returned: number | null
  readonly isUrgent: boolean
  readonly remedy: string
}

const SLOW_MS = 100
const MIN_SCANNED = 1_000
const SCANNED_PER_RETURNED = 10

/** A sort needs an index that covers it completely. For filters one condition is enough. */
export function adviseIndexes(
  stats: readonly QueryStat[],
  contentTypes: Iterable<ContentTypePlan>,
  collections: readonly CollectionIndexes[],
): readonly IndexAdvice[] {
  const byCollection = new Map([...contentTypes].map((plan) => [plan.collectionName, plan]))
  const indexed = new Map(collections.map(({ name, keys }) => [name, keys]))
  const advice = new Map<string, IndexAdvice>()
  for (const stat of stats) {
    const plan = byCollection.get(stat.collection)
    if (plan === undefined) continue
    const contentType = plan.uid
    for (const { order, ...need } of needsOf(stat, indexed.get(stat.collection) ?? [])) {
      const remedy = remedyFor(plan, order)
      const key = [contentType, need.use, remedy].join(' ')
      advice.set(key, added(advice.get(key), { ...need, contentType, remedy }, stat))
    }
  }
  return [...advice.values()].sort((one, other) => other.totalMs - one.totalMs)
}

function added(
  known: IndexAdvice | undefined,
  need: Pick<IndexAdvice, 'attribute' | 'use' | 'contentType' | 'remedy'>,
  stat: QueryStat,
): IndexAdvice {
  const { scanned, returned } = worse(known ?? null, stat.plan)
  const slowestMs = Math.max(known?.slowestMs ?? 0, stat.slowestMs)
  return {
    ...need,
    count: (known?.count ?? 0) + stat.count,
    totalMs: (known?.totalMs ?? 0) + stat.totalMs,
    slowestMs,
    scanned,
    returned,
    isUrgent: slowestMs >= SLOW_MS || isWasteful({ scanned, returned }),
  }
}

type Effort = Pick<IndexAdvice, 'scanned' | 'returned'>

function worse(one: Effort | null, other: Effort | null): Effort {
  if ((other?.scanned ?? -1) > (one?.scanned ?? -1)) return other ?? NO_EFFORT
  return one ?? other ?? NO_EFFORT
}

const NO_EFFORT: Effort = { scanned: null, returned: null }

function isWasteful({ scanned, returned }: Effort): boolean {
  if (scanned === null || scanned < MIN_SCANNED) return false
  return scanned > SCANNED_PER_RETURNED * Math.max(1, returned ?? 0)
}
