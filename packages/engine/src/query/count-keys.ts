import { spend } from '../deadline.ts'
import { collectPaths } from '../filter/filter.ts'
import type { Filter } from '../filter/filter.ts'
import type { Index } from '../storage/collection.ts'
import { readRange } from '../storage/store.ts'
import { countKeys, STEPS_PER_ENTRY } from '../storage/view.ts'
import type { Interval } from '../storage/view.ts'
import { getBounds, listConditions, listConjuncts } from './bounds.ts'
import { impliesPartial } from './implies.ts'
import { boundIndex } from './index-bounds.ts'
import { compileKeyTest } from './key-filter.ts'
import type { KeyTest } from './key-filter.ts'
import { containsMatches, scorePlan } from './plan.ts'
import type { Query, QuerySource } from './run-query.ts'

export interface CountPlan {
  readonly index: Index
  readonly intervals: readonly Interval[]
  readonly test: KeyTest | null
  readonly isMultikey: boolean
  readonly score: number
}

/** The parts of the filter that the partial filter of the index does not already imply. */
function openParts(index: Index, filter: Filter): readonly Filter[] {
  const { partial } = index
  const parts = listConjuncts(filter)
  if (!partial) return parts
  return parts.filter((part) => !('path' in part) || !impliesPartial(partial.filter, part))
}

// Two conditions may match different elements of an array, which have different entries or none.
function isSafe(index: Index, parts: readonly Filter[]): boolean {
  const arrays = new Set(index.fields.filter((_, i) => index.multikey[i]).map(({ path }) => path))
  if (arrays.size === 0) return true
  const touching = parts.filter((part) => {
    const paths = new Set<string>()
    return !collectPaths(part, paths) || [...paths].some((path) => arrays.has(path))
  })
  const [only, ...others] = touching
  if (!only) return true
  if (others.length > 0 || !('path' in only)) return false
  const bounds = getBounds(only)
  // An element without the field has the key null but does not match the condition.
  return bounds?.kind === 'range'
    ? bounds.range.prefix === null
    : (bounds?.values.every((value) => value !== null && value !== undefined) ?? false)
}

function planCount(index: Index, filter: Filter): CountPlan | null {
  const conditions = listConditions(filter)
  if (index.hasCutKeys || !containsMatches(index, filter, conditions)) return null
  const parts = openParts(index, filter)
  if (!isSafe(index, parts)) return null
  const test = compileKeyTest({ kind: 'all', of: parts }, index)
  if (!test) return null
  const bounded = boundIndex(index, conditions)
  const isMultikey = index.multikey.includes(true)
  const isExact =
    !isMultikey && parts.every((part) => 'path' in part && bounded.exact.has(part.path))
  const score = scorePlan(index, bounded)
  return { index, intervals: bounded.intervals, test: isExact ? null : test, isMultikey, score }
}

/** @param at the commit that is read: later indexes do not contain it */
export function chooseCountPlan(
  indexes: readonly Index[],
  filter: Filter,
  at: number,
): CountPlan | null {
  let best: CountPlan | null = null
  for (const index of indexes) {
    const plan =
      index.builtAt <= at && index.spec['hidden'] !== true ? planCount(index, filter) : null
    if (plan && (best === null || plan.score > best.score)) best = plan
  }
  return best
}

function* matchingIds({ data, view }: QuerySource, plan: CountPlan): Generator<number> {
  const { intervals, test } = plan
  for (const interval of intervals) {
    for (const { key, value } of readRange(data.store.entries, {
      ...interval,
      snapshot: view.snapshot ?? undefined,
    })) {
      spend(STEPS_PER_ENTRY)
      if (test?.(key) !== false) yield value.readUInt32BE(0)
    }
  }
}

function countTested(source: QuerySource, plan: CountPlan, most: number): number {
  const seen = plan.isMultikey ? new Set<number>() : null
  let count = 0
  for (const id of matchingIds(source, plan)) {
    if (seen?.has(id)) continue
    seen?.add(id)
    if (++count >= most) break
  }
  return count
}

export function countByPlan(
  source: QuerySource,
  plan: CountPlan,
  { skip, limit }: Pick<Query, 'skip' | 'limit'>,
): number {
  const most = limit + skip
  const count =
    plan.test || plan.isMultikey
      ? countTested(source, plan, most)
      : countKeys(source.data, source.view, plan.intervals, most)
  return Math.max(Math.min(count, most) - skip, 0)
}
