import type { Document } from 'mongodb'
import { matchAll } from './translate-filter.ts'

/** Conditions on stored versions: what must be looked up first, and what must match then. */
export interface Conditions {
  readonly lookups: readonly Document[]
  readonly match: Document
}

/** Every version meets them. */
export const NO_CONDITIONS: Conditions = { lookups: [], match: {} }

/** The beginning of a pipeline: which versions it is about, and of these which meet the conditions. */
export function matchStages(filter: Document, { lookups, match }: Conditions): Document[] {
  return lookups.length === 0
    ? [{ $match: matchAll([filter, match]) }]
    : [{ $match: filter }, ...lookups, { $match: match }]
}

export function bothConditions(one: Conditions, other: Conditions): Conditions {
  return {
    lookups: [...one.lookups, ...other.lookups],
    match: matchAll([one.match, other.match]),
  }
}

/** Conditions as stages that stand behind others; none where every version meets them. */
export function laterStages({ lookups, match }: Conditions): readonly Document[] {
  return lookups.length === 0 ? [] : [...lookups, { $match: match }]
}
