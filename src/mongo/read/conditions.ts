import type { Document } from 'mongodb'
import { matchAll } from './translate-filter.ts'

export interface Conditions {
  readonly lookups: readonly Document[]
  readonly match: Document
}

export const NO_CONDITIONS: Conditions = { lookups: [], match: {} }

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

export function laterStages({ lookups, match }: Conditions): readonly Document[] {
  return lookups.length === 0 ? [] : [...lookups, { $match: match }]
}
