import { compareValues } from '../bson/compare.ts'
import { encodeKey } from '../bson/encode-key.ts'
import { LONGEST_KEY } from '../storage/index-keys.ts'
import type { Collection, Index } from '../storage/collection.ts'
import type { Interval } from '../storage/view.ts'
import type { Value } from '../bson/values.ts'
import type { Variables } from '../expression/evaluate.ts'
import { boundsOf, conjuncts } from './bounds.ts'
import type { Bounds, Range } from './bounds.ts'
import type { Condition, Filter } from '../filter/filter.ts'
import { expressionConditions } from './expression-conditions.ts'
import { implies } from './implies.ts'
import { bestUnion } from './union-plan.ts'
import type { IndexPlan, ReadPlan } from './read-plan.ts'
import type { Sort } from '../filter/sort.ts'

/** Beyond this many places to look, a list of points counts as no bound. */
const MOST_POINTS = 2000

interface Component {
  readonly points: readonly Value[] | null
  readonly ranges: readonly Range[]
}

function componentOf(
  conditions: readonly Condition[],
  path: string,
  isMultikey: boolean,
): Component {
  const all = conditions
    .filter((condition) => condition.path === path)
    .map((condition) => boundsOf(condition))
  const bounds = all.filter((found): found is Bounds => found !== null)
  const points = bounds
    .filter((found) => found.kind === 'points')
    .sort((a, b) => a.values.length - b.values.length)
  const ranges = bounds.filter((found) => found.kind === 'range').map(({ range }) => range)
  // Different elements of an array may satisfy two conditions: only one of them can bound the scan.
  return { points: points[0]?.values ?? null, ranges: isMultikey ? ranges.slice(0, 1) : ranges }
}

const prefixed = (head: Buffer, tail: Buffer): Buffer => Buffer.concat([head, tail])

/** The lowest key above all that begin with these bytes. */
function after(bytes: Buffer): Buffer {
  const next = Buffer.from(bytes)
  for (let i = next.length - 1; i >= 0; i--) {
    const byte = next[i] ?? 0
    if (byte < 255) {
      next[i] = byte + 1
      return next.subarray(0, i + 1)
    }
  }
  return Buffer.from([255, 255, 255, 255, 255])
}

// A key that was cut sorts by its head alone: bounds beyond that length are cut alike.
const cut = (key: Buffer): Buffer => key.subarray(0, LONGEST_KEY - 12)

const interval = (low: Buffer, high: Buffer): Interval => ({
  low: cut(low),
  high: high.length > LONGEST_KEY - 12 ? after(cut(high)) : high,
})

function rangeInterval(head: Buffer, ranges: readonly Range[], direction: number): Interval | null {
  const [first] = ranges
  if (!first || ranges.some(({ rank }) => rank !== first.rank)) return null
  const lows = ranges
    .map(({ low }) => low)
    .filter((low) => low !== undefined)
    .sort(compareValues)
  const highs = ranges
    .map(({ high }) => high)
    .filter((high) => high !== undefined)
    .sort(compareValues)
  const typeKey = Buffer.from([direction === 1 ? first.rank : 255 - first.rank])
  const key = (value: Value): Buffer => encodeKey([value], [direction])
  const lowest = lows.at(-1)
  const highest = highs[0]
  const ends = [
    lowest === undefined ? typeKey : key(lowest),
    highest === undefined ? typeKey : key(highest),
  ] as const
  const [from, to] = direction === 1 ? ends : [ends[1], ends[0]]
  return interval(prefixed(head, from), after(prefixed(head, to)))
}

interface Bounded {
  readonly intervals: readonly Interval[]
  /** Components bound to one value or several, and whether a range follows. */
  readonly points: number
  readonly isSingle: boolean
  readonly hasRange: boolean
  readonly isComplete: boolean
}

function boundIndex(index: Index, conditions: readonly Condition[]): Bounded {
  const prefix = Buffer.allocUnsafe(4)
  prefix.writeUInt32BE(index.id, 0)
  let heads: Buffer[] = [prefix]
  let points = 0
  let hasArray = false
  for (const [i, { path, direction }] of index.fields.entries()) {
    const isMultikey = index.multikey[i] === true
    // Two components that run through arrays might do so through the same one.
    const component = isMultikey && hasArray ? null : componentOf(conditions, path, isMultikey)
    hasArray ||= isMultikey
    const values = component?.points
    if (!values || heads.length * values.length > MOST_POINTS) {
      const ranges = component?.ranges ?? []
      const ranged = heads.map((head) => rangeInterval(head, ranges, direction))
      const intervals = ranged.map((found, at) => found ?? whole(heads[at] ?? prefix))
      return {
        intervals: inOrder(intervals),
        points,
        isSingle: heads.length === 1,
        hasRange: ranged[0] !== null,
        isComplete: false,
      }
    }
    heads = heads.flatMap((head) =>
      values.map((value) => prefixed(head, encodeKey([value], [direction]))),
    )
    points++
  }
  return {
    intervals: inOrder(heads.map((head) => whole(head))),
    points,
    isSingle: heads.length === 1,
    hasRange: false,
    isComplete: true,
  }
}

const whole = (head: Buffer): Interval => interval(head, after(head))

function inOrder(intervals: readonly Interval[]): readonly Interval[] {
  const sorted = [...intervals].sort((a, b) => a.low.compare(b.low))
  return sorted.filter(
    (found, i) => i === 0 || !found.low.equals(sorted[i - 1]?.low ?? Buffer.alloc(0)),
  )
}

type Direction = 1 | -1

/** 1 or -1 when the entries come in the wanted order forwards or backwards, else null. */
function orderOf(
  index: Index,
  bounded: Bounded,
  sort: Sort,
  fixed: ReadonlySet<string>,
): Direction | null {
  if (!bounded.isSingle || index.hasCutKeys || index.multikey.includes(true)) return null
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
      .filter((path) => componentOf(conditions, path, false).points?.length === 1),
  )
}

function planIndex(
  index: Index,
  filter: Filter,
  conditions: readonly Condition[],
  wants: Wants,
): IndexPlan | null {
  if (index.partial && !implies(filter, index.partial.filter)) return null
  // A sparse index leaves documents out: it only answers conditions that those cannot meet.
  if (index.sparse && !demandsPresence(index, conditions)) return null
  const bounded = boundIndex(index, conditions)
  const order = orderOf(index, bounded, wants.sort, fixedPaths(index, conditions, bounded.points))
  const isSorted = wants.sort.length > 0 && order !== null
  const isBounded = bounded.points > 0 || bounded.hasRange
  if (!isBounded && !(isSorted && wants.isLimited)) return null
  const score = scoreOf(index, bounded, isSorted, wants)
  return {
    kind: 'index',
    index,
    intervals: bounded.intervals,
    reverse: order === -1,
    isSorted,
    score,
  }
}

// What finds one document is best; then each bound component counts, and an order that saves sorting all for a page.
function scoreOf(index: Index, bounded: Bounded, isSorted: boolean, { isLimited }: Wants): number {
  const isExact = index.unique && bounded.isComplete && bounded.isSingle
  const order = isLimited ? 13 : 3
  return (
    bounded.points * 10 +
    Number(bounded.hasRange) * 6 +
    Number(bounded.isSingle) * 2 +
    Number(isSorted) * order +
    Number(isExact) * 1000
  )
}

const demandsPresence = (index: Index, conditions: readonly Condition[]): boolean =>
  index.fields.some(({ path }) =>
    conditions.some((condition) => {
      if (condition.path !== path) return false
      const bounds = boundsOf(condition)
      return (
        bounds !== null &&
        (bounds.kind === 'range' || bounds.values.every((value) => value !== null))
      )
    }),
  )

export interface Wants {
  readonly variables?: Variables | undefined
  /** The commit that is read: indexes built later are not in it. */
  readonly at: number
  readonly sort: Sort
  readonly isLimited: boolean
}

const isUsable = (wants: Wants): ((index: Index) => boolean) => {
  return ({ builtAt }) => builtAt <= wants.at
}

function bestIndex(indexes: readonly Index[], filter: Filter, wants: Wants): IndexPlan | null {
  const plain = conjuncts(filter)
  const compared = [...plain, ...expressionConditions(filter, wants.variables)]
  let best: IndexPlan | null = null
  for (const index of indexes) {
    const conditions = index.multikey.includes(true) ? plain : compared
    const plan = planIndex(index, filter, conditions, wants)
    if (plan && plan.score > (best?.score ?? 0)) best = plan
  }
  return best
}

/** The index to read by, or one for each branch of an `$or`; null for all records in natural order. */
export function choosePlan(collection: Collection, filter: Filter, wants: Wants): ReadPlan | null {
  const indexes = collection.indexes.filter(isUsable(wants))
  const single = bestIndex(indexes, filter, wants)
  const unordered = { ...wants, sort: [], isLimited: false }
  const union = bestUnion(filter, (branch) => bestIndex(indexes, branch, unordered))
  return union && union.score > (single?.score ?? 0) ? union : single
}
