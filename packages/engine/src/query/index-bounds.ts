import { Double } from 'bson'
import { compareValues } from '../bson/compare.ts'
import { encodeKey } from '../bson/encode-key.ts'
import { TYPE_RANKS } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import type { Condition } from '../filter/filter.ts'
import type { Index } from '../storage/collection.ts'
import { keyPrefix, MAX_KEY_BYTES } from '../storage/index-keys.ts'
import { bandOf, FIRST_BAND, LAST_BAND } from '../storage/place-bands.ts'
import type { Interval } from '../storage/view.ts'
import { getBounds } from './bounds.ts'
import type { Bounds, RangeEnd, ValueRange } from './bounds.ts'

/** A longer list of points is treated as unbounded. */
const MAX_POINTS = 2000

interface Component {
  readonly points: readonly Value[] | null
  readonly ranges: readonly ValueRange[]
  /** True if the points or ranges fully express the conditions on the path. */
  readonly isExact: boolean
}

export function boundComponent(
  conditions: readonly Condition[],
  path: string,
  isMultikey: boolean,
): Component {
  const all = conditions
    .filter((condition) => condition.path === path)
    .map((condition) => getBounds(condition))
  const bounds = all.filter((found): found is Bounds => found !== null)
  const points = bounds
    .filter((found) => found.kind === 'points')
    .sort((a, b) => a.values.length - b.values.length)
  const ranges = bounds.filter((found) => found.kind === 'range').map(({ range }) => range)
  // Different elements may satisfy two conditions, so only one condition can bound the scan.
  const isAll = !isMultikey && bounds.length === all.length
  return {
    points: points[0]?.values ?? null,
    ranges: isMultikey ? ranges.slice(0, 1) : ranges,
    isExact:
      isAll &&
      (points.length === 0 ? ranges.every(({ prefix }) => prefix === null) : all.length === 1),
  }
}

function prefixed(head: Buffer, tail: Buffer): Buffer {
  return Buffer.concat([head, tail])
}

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

const MAX_BOUND_BYTES = MAX_KEY_BYTES - 12

function isTooLong(key: Buffer): boolean {
  return key.length > MAX_BOUND_BYTES
}

// Cut keys sort by their prefix, so longer bounds are cut in the same way.
function cut(key: Buffer): Buffer {
  return key.subarray(0, MAX_BOUND_BYTES)
}

function interval(low: Buffer, high: Buffer): Interval {
  return {
    low: cut(low),
    high: isTooLong(high) ? after(cut(high)) : high,
    ...((isTooLong(low) || isTooLong(high)) && { isWider: true }),
  }
}

function beginning(text: string, direction: number): Buffer {
  return encodeKey([text], [direction]).subarray(0, -2)
}

// NaN sorts below all numbers and is in no range of numbers.
function lowestOf(rank: number): RangeEnd | null {
  return rank === TYPE_RANKS.int ? { value: new Double(-Infinity), isOpen: false } : null
}

function innermost(ends: readonly (RangeEnd | null)[], inwards: 1 | -1): RangeEnd | null {
  let best: RangeEnd | null = null
  for (const end of ends) {
    const order: number = end && best ? compareValues(end.value, best.value) * inwards : 0
    if (end && (!best || order > 0 || (order === 0 && end.isOpen))) best = end
  }
  return best
}

/** Returns no interval for ranges of several types: only an array could match them all. */
function rangeIntervals(
  head: Buffer,
  ranges: readonly ValueRange[],
  direction: number,
): readonly Interval[] {
  const [first] = ranges
  if (!first || ranges.some(({ rank }) => rank !== first.rank)) return []
  const { prefix, regex, rank } = first
  if (prefix !== null && ranges.length === 1)
    return [beginning(prefix, direction), encodeKey([regex], [direction])].map((key) =>
      whole(prefixed(head, key)),
    )
  const lows = [...ranges.map(({ low }) => low), lowestOf(rank)]
  const highs = ranges.map(({ high }) => high)
  const ends = [innermost(lows, 1), innermost(highs, -1)] as const
  return [endsInterval(head, direction === 1 ? ends : [ends[1], ends[0]], rank, direction)]
}

function endsInterval(
  head: Buffer,
  [from, to]: readonly [RangeEnd | null, RangeEnd | null],
  rank: number,
  direction: number,
): Interval {
  const typeKey = Buffer.from([direction === 1 ? rank : 255 - rank])
  const keyOf = (end: RangeEnd | null): Buffer =>
    prefixed(head, end ? encodeKey([end.value], [direction]) : typeKey)
  return interval(
    from?.isOpen === true ? after(keyOf(from)) : keyOf(from),
    to?.isOpen === true ? keyOf(to) : after(keyOf(to)),
  )
}

export interface BoundedIndex {
  readonly intervals: readonly Interval[]
  readonly points: number
  readonly isSingle: boolean
  readonly hasRange: boolean
  readonly isComplete: boolean
  readonly exact: ReadonlySet<string>
}

const NO_COMPONENT: Component = { points: null, ranges: [], isExact: false }

function componentsOf(index: Index, conditions: readonly Condition[]): readonly Component[] {
  let hasArray = false
  return index.fields.map(({ path }, i) => {
    const isMultikey = index.multikey[i] === true
    // Two multikey components may run through the same array.
    const isBound = !isMultikey || !hasArray
    hasArray ||= isMultikey
    return isBound ? boundComponent(conditions, path, isMultikey) : NO_COMPONENT
  })
}

/** One per band that can hold matches. Null if the conditions do not bound the longitude. */
function prefixesOf(index: Index, conditions: readonly Condition[]): readonly Buffer[] | null {
  if (index.places === null) return [keyPrefix(index, null)]
  const longitude = index.fields[index.places.east]?.path ?? ''
  if (index.multikey.includes(true)) return null
  const { points, ranges } = boundComponent(conditions, longitude, false)
  const bands = points ? new Set(points.map((point) => bandOf(point))) : bandsOf(ranges)
  return bands && [...bands].map((band) => keyPrefix(index, band))
}

function bandsOf(ranges: readonly ValueRange[]): readonly number[] | null {
  if (ranges.length === 0 || ranges.some(({ rank }) => rank !== TYPE_RANKS.int)) return null
  const first = Math.max(...ranges.map(({ low }) => (low ? bandOf(low.value) : FIRST_BAND)))
  const last = Math.min(...ranges.map(({ high }) => (high ? bandOf(high.value) : LAST_BAND)))
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => first + place)
}

function unbounded(index: Index): BoundedIndex {
  return {
    intervals: [whole(keyPrefix(index, null))],
    points: 0,
    isSingle: false,
    hasRange: false,
    isComplete: false,
    exact: new Set(),
  }
}

export function boundIndex(index: Index, conditions: readonly Condition[]): BoundedIndex {
  const prefixes = prefixesOf(index, conditions)
  return prefixes === null ? unbounded(index) : boundKeys(index, conditions, prefixes)
}

function boundKeys(
  index: Index,
  conditions: readonly Condition[],
  prefixes: readonly Buffer[],
): BoundedIndex {
  const components = componentsOf(index, conditions)
  let heads = prefixes
  let at = 0
  for (const { direction } of index.fields) {
    const values = components[at]?.points
    if (!values || heads.length * values.length > MAX_POINTS) break
    const keys = values.map((value) => encodeKey([value], [direction]))
    heads = heads.flatMap((head) => keys.map((key) => prefixed(head, key)))
    at++
  }
  const ranged = rangedIntervals(heads, components[at]?.ranges ?? [], index.directions[at] ?? 1)
  const intervals = ranged ?? heads.map((head) => whole(head))
  const isWider = intervals.some((found) => found.isWider === true)
  const bound = isWider ? [] : components.slice(0, at + Number(ranged !== null))
  return {
    intervals: inOrder(intervals),
    points: at,
    isSingle: heads.length === prefixes.length,
    hasRange: ranged !== null,
    isComplete: at === index.fields.length,
    exact: new Set(
      index.fields.filter((_, i) => bound[i]?.isExact === true).map(({ path }) => path),
    ),
  }
}

function rangedIntervals(
  heads: readonly Buffer[],
  ranges: readonly ValueRange[],
  direction: number,
): readonly Interval[] | null {
  const intervals = heads.flatMap((head) => rangeIntervals(head, ranges, direction))
  return intervals.length > 0 ? intervals : null
}

function whole(head: Buffer): Interval {
  return interval(head, after(head))
}

function inOrder(intervals: readonly Interval[]): readonly Interval[] {
  const sorted = [...intervals].sort((a, b) => a.low.compare(b.low))
  return sorted.filter(
    (found, i) => i === 0 || !found.low.equals(sorted[i - 1]?.low ?? Buffer.alloc(0)),
  )
}
