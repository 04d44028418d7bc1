import type { Index } from '../storage/collection.ts'
import type { Interval } from '../storage/view.ts'

export interface IndexPlan {
  readonly kind: 'index'
  readonly index: Index
  readonly intervals: readonly Interval[]
  readonly reverse: boolean
  readonly isSorted: boolean
  readonly isWhole: boolean
  readonly score: number
}

/** Reads each branch of an `$or` by its own index. */
export interface UnionPlan {
  readonly kind: 'union'
  readonly branches: readonly IndexPlan[]
  readonly isSorted: false
  readonly score: number
}

/** How the records of a query are found. The query still tests every record. */
export type ReadPlan = IndexPlan | UnionPlan
