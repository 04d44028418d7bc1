import type { Index } from '../storage/collection.ts'
import type { Interval } from '../storage/view.ts'

/** Reads a part of one index. */
export interface IndexPlan {
  readonly kind: 'index'
  readonly index: Index
  readonly intervals: readonly Interval[]
  readonly reverse: boolean
  /** Whether the entries come in the order asked for. */
  readonly isSorted: boolean
  /** Whether the intervals hold nothing but what matches. */
  readonly isWhole: boolean
  readonly score: number
}

/** Reads what each branch of an `$or` finds by an index of its own; nothing where there is no branch. */
export interface UnionPlan {
  readonly kind: 'union'
  readonly branches: readonly IndexPlan[]
  /** One branch comes after the other. */
  readonly isSorted: false
  readonly score: number
}

/** How the records of a query are found, which it tests after all. */
export type ReadPlan = IndexPlan | UnionPlan
