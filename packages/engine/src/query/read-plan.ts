import type { Filter } from '../filter/filter.ts'
import type { Index } from '../storage/collection.ts'
import type { Interval } from '../storage/view.ts'

export interface IndexPlan {
  readonly kind: 'index'
  readonly index: Index
  readonly intervals: readonly Interval[]
  readonly reverse: boolean
  readonly isSorted: boolean
  /** The parts of the filter that the intervals do not decide. */
  readonly open: readonly Filter[]
  readonly score: number
}

export interface UnionPlan {
  readonly kind: 'union'
  readonly branches: readonly IndexPlan[]
  readonly isSorted: false
  readonly score: number
}

export type ReadPlan = IndexPlan | UnionPlan
