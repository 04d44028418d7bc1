import { spend } from '../deadline.ts'
import { badValue } from '../errors.ts'
import type { Collection, Index } from '../storage/collection.ts'
import type { Variables } from '../expression/evaluate.ts'
import { getBounds, listConditions, listConjuncts } from './bounds.ts'
import { boundIndex, boundComponent } from './index-bounds.ts'
import type { BoundedIndex } from './index-bounds.ts'
import type { Condition, Filter } from '../filter/filter.ts'
import { findExpressionConditions } from './expression-conditions.ts'
import { findHintedIndex } from './hint.ts'
import type { Hint } from './hint.ts'
import { impliesPartial } from './implies.ts'
import { findBestUnion } from './union-plan.ts'
import type { IndexPlan, ReadPlan } from './read-plan.ts'
import type { Sort } from '../filter/sort.ts'
import type { Interval } from '../storage/view.ts'

type Direction = 1 | -1

function orderOf(
  index: Index,
  bounded: BoundedIndex,
  sort: Sort,
  fixed: ReadonlySet<string>,
): Direction | null {
  if (!bounded.isSingle || index.places || index.hasCutKeys) return null
  if (index.multikey.includes(true)) return null
  const wanted = sort.filter(({ path }) => !fixed.has(path))
  const offered = index.fields.filter(({ path }) => !fixed.has(path))
  const directions = wanted.map(({ path, direction }, i): Direction | null => {
    const field = offered[i]
    if (field?.path !== path) return null
    return field.direction === direction ? 1 : -1
  })
  const [first = 1] = directions
  return directions.every((direction) => direction === first) ? first : null
}

function fixedPaths(index: Index, conditions: readonly Condition[], points: number): Set<string> {
  return new Set(
    index.fields
      .slice(0, points)
      .map(({ path }) => path)
      .filter((path) => boundComponent(conditions, path, false).points?.length === 1),
  )
}

/** True if the documents outside of a partial or sparse index cannot match. */
export function containsMatches(
  index: Index,
  filter: Filter,
  conditions: readonly Condition[],
): boolean {
  if (index.partial && !impliesPartial(filter, index.partial.filter)) return false
  return !index.sparse || demandsPresence(index, conditions)
}

const isLimited = ({ most }: PlanRequest): boolean => most !== Infinity

const CONDITIONS_PER_STEP = 16

function planIndex(
  index: Index,
  filter: Filter,
  conditions: readonly Condition[],
  wants: PlanRequest,
): IndexPlan | null {
  spend(1 + conditions.length / CONDITIONS_PER_STEP)
  if (!containsMatches(index, filter, conditions)) return null
  const bounded = boundIndex(index, conditions)
  const order = orderOf(index, bounded, wants.sort, fixedPaths(index, conditions, bounded.points))
  const isSorted = wants.sort.length > 0 && order !== null
  const isBounded = bounded.points > 0 || bounded.hasRange
  if (!isBounded && !(isSorted && isLimited(wants))) return null
  const score = scorePlan(index, bounded) + Number(isSorted) * (isLimited(wants) ? 13 : 3)
  return {
    kind: 'index',
    index,
    intervals: bounded.intervals,
    reverse: order === -1,
    isSorted,
    open: listConjuncts(filter).filter((part) => !('path' in part && bounded.exact.has(part.path))),
    score,
  }
}

/** The minimum score of a plan that finds at most one document per value. */
const EXACT = 1000

/**
 * A unique match scores best. Then each bound component counts, and an order that avoids a sort.
 */
export function scorePlan(index: Index, bounded: BoundedIndex): number {
  const isExact = index.unique && bounded.isComplete
  return (
    bounded.points * 10 +
    Number(bounded.hasRange) * 6 +
    Number(bounded.isSingle) * 2 +
    Number(isExact) * EXACT
  )
}

function demandsPresence(index: Index, conditions: readonly Condition[]): boolean {
  return index.fields.some(({ path }) =>
    conditions.some((condition) => {
      if (condition.path !== path) return false
      const bounds = getBounds(condition)
      return (
        bounds !== null &&
        (bounds.kind === 'range' || bounds.values.every((value) => value !== null))
      )
    }),
  )
}

export interface PlanRequest {
  readonly variables?: Variables | undefined
  /** The commit that is read: later indexes do not contain it. */
  readonly at: number
  readonly sort: Sort
  readonly most: number
  /** The number of records of the collection. */
  readonly size: number
  readonly hint: Hint | null
  /** Counts the entries of the intervals up to a maximum. Null if entries are not counted. */
  readonly countKeys: CountKeys | null
  readonly memory?: PlanMemory | null
}

/** The index that earlier executions of a query chose for other values, as in the plan cache of MongoDB. */
export interface PlanMemory {
  index: Index | null
  /** The number of executions in a row that chose the index. */
  times: number
}

/** From then on, the choice is not repeated. */
const TRUSTED_TIMES = 16

export function newPlanMemory(): PlanMemory {
  return { index: null, times: 0 }
}

export type CountKeys = (intervals: readonly Interval[], most: number) => number

/** Expressions compare whole values, so their conditions do not bound a multikey index. */
function conditionsFor(index: Index, filter: Filter, wants: PlanRequest): readonly Condition[] {
  const plain = listConditions(filter)
  const isMultikey = index.multikey.includes(true)
  return isMultikey ? plain : [...plain, ...findExpressionConditions(filter, wants.variables)]
}

function bestIndex(
  indexes: readonly Index[],
  filter: Filter,
  wants: PlanRequest,
): IndexPlan | null {
  let best: IndexPlan | null = null
  const plans: IndexPlan[] = []
  for (const index of indexes) {
    const plan = planIndex(index, filter, conditionsFor(index, filter, wants), wants)
    if (plan) plans.push(plan)
    if (plan && plan.score > (best?.score ?? 0)) best = plan
  }
  return best && plans.length > 1 ? shortest(best, plans, wants) : best
}

/** More entries are not counted: the score decides. */
const MAX_COUNTED_KEYS = 200

/**
 * The score ignores selectivity, so the plan with the fewest entries is preferred, as MongoDB does
 * by trial runs. A page in index order reads as many entries as it has rows.
 */
function shortest(best: IndexPlan, plans: readonly IndexPlan[], wants: PlanRequest): IndexPlan {
  const { countKeys } = wants
  if (!countKeys || best.score >= EXACT) return best
  let found = best
  let fewest = entriesOf(best, wants, countKeys)
  for (const plan of plans) {
    const count = plan === best ? fewest : countFew(plan, fewest, countKeys)
    if (count < fewest) found = plan
    fewest = Math.min(count, fewest)
  }
  return found
}

function entriesOf(best: IndexPlan, wants: PlanRequest, countKeys: CountKeys): number {
  if (!best.isSorted || !isLimited(wants)) return countFew(best, MAX_COUNTED_KEYS, countKeys)
  if (best.open.length === 0) return Math.min(wants.most, MAX_COUNTED_KEYS)
  // If n of `size` records match, a page in order reads size * most / n, and the other index n.
  const most = Math.max(MAX_COUNTED_KEYS, Math.ceil(Math.sqrt(wants.size * wants.most)))
  return countFew(best, most, countKeys)
}

/** More intervals than `most` are not counted. */
function countFew({ intervals }: IndexPlan, most: number, countKeys: CountKeys): number {
  return intervals.length > most ? most : countKeys(intervals, most)
}

/** A sparse index then omits documents, as in MongoDB. */
function planHinted(index: Index, filter: Filter, wants: PlanRequest): IndexPlan {
  const conditions = conditionsFor(index, filter, wants)
  const plan = planIndex(index, filter, conditions, wants)
  if (plan) return plan
  if (index.partial && !impliesPartial(filter, index.partial.filter))
    throw badValue('planner returned error: bad hint')
  const { intervals } = boundIndex(index, index.sparse ? [] : conditions)
  return {
    kind: 'index',
    index,
    intervals,
    reverse: false,
    isSorted: false,
    open: listConjuncts(filter),
    score: 0,
  }
}

/** Null means natural order. @throws CommandError BadValue for an unusable hint */
export function choosePlan(
  collection: Collection,
  filter: Filter,
  wants: PlanRequest,
): ReadPlan | null {
  const indexes = collection.indexes.filter(
    ({ builtAt, spec }) => builtAt <= wants.at && spec['hidden'] !== true,
  )
  if (wants.hint) {
    const index = findHintedIndex(indexes, wants.hint)
    return index && planHinted(index, filter, wants)
  }
  const { memory } = wants
  if (!memory) return comparePlans(indexes, filter, wants)
  const known = recall(memory, indexes, filter, wants)
  if (known) return known
  const plan = comparePlans(indexes, filter, wants)
  remember(memory, plan?.kind === 'index' ? plan.index : null)
  return plan
}

function comparePlans(
  indexes: readonly Index[],
  filter: Filter,
  wants: PlanRequest,
): ReadPlan | null {
  const single = bestIndex(indexes, filter, wants)
  const unordered = { ...wants, sort: [], most: Infinity, countKeys: null }
  const union = findBestUnion(filter, (branch) => bestIndex(indexes, branch, unordered))
  return union && union.score > (single?.score ?? 0) ? union : single
}

/** Null if the executions before did not agree, or the index cannot find these values. */
function recall(
  { index, times }: PlanMemory,
  indexes: readonly Index[],
  filter: Filter,
  wants: PlanRequest,
): IndexPlan | null {
  if (index === null || times < TRUSTED_TIMES || !indexes.includes(index)) return null
  return planIndex(index, filter, conditionsFor(index, filter, wants), wants)
}

function remember(memory: PlanMemory, index: Index | null): void {
  memory.times = index === memory.index ? memory.times + 1 : 1
  memory.index = index
}
