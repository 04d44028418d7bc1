import type { Attributes } from '../../api/attributes.ts'
import type { QueryValue } from '../../api/request.ts'
import { conditionsOfWord, type FilterWord, isFilterWord, STAGE, STATE } from './filter-words.ts'

/** Joined the other way than the list: in a list of which all match, one of the group is enough. */
export interface FilterGroup {
  readonly of: readonly FilterWord[]
}

export type FilterItem = FilterWord | FilterGroup

/** Absent: all filters match. */
export type FilterMatch = 'any'

export function isFilterGroup(item: FilterItem): item is FilterGroup {
  return !('at' in item)
}

/** The filters outside of groups. */
export function wordsOf(items: readonly FilterItem[]): readonly FilterWord[] {
  return items.filter((item): item is FilterWord => !isFilterGroup(item))
}

/** The state and the stage narrow the whole list, so they are in no group and no list of alternatives. */
export function isOfList({ at }: FilterWord): boolean {
  return at === STATE || at === STAGE
}

export function mayMatchAny(items: readonly FilterItem[]): boolean {
  return items.length > 1 && !wordsOf(items).some(isOfList)
}

/** Changes the filters of the group at an index. A group without filters ends. */
export function withGroup(
  items: readonly FilterItem[],
  index: number,
  of: readonly FilterWord[],
): readonly FilterItem[] {
  return of.length === 0 ? items.toSpliced(index, 1) : items.with(index, { of })
}

export interface FilterContext {
  readonly attributes: Attributes
  /** The id of the user. */
  readonly me: string
  readonly match: FilterMatch | undefined
}

/** The filters of the API. Filters on missing attributes, or without a required value, are ignored. */
export function toFilters(items: readonly FilterItem[], context: FilterContext): QueryValue {
  const { attributes, me, match } = context
  const isAny = match === 'any'
  const conditions = items.flatMap((item): readonly QueryValue[] => {
    if (!isFilterGroup(item)) return conditionsOfWord(item, attributes, me)
    const of = item.of.flatMap((word) => conditionsOfWord(word, attributes, me))
    return of.length === 0 ? [] : [joined(of, !isAny)]
  })
  return conditions.length === 0 ? undefined : joined(conditions, isAny)
}

function joined(conditions: readonly QueryValue[], isAny: boolean): QueryValue {
  return { [isAny ? '$or' : '$and']: conditions }
}

/** Keeps the valid parts of filters from an address. */
export function readFilterItems(given: unknown): readonly FilterItem[] {
  return Array.isArray(given) ? given.flatMap(readFilterItem) : []
}

function readFilterItem(given: unknown): readonly FilterItem[] {
  if (isFilterWord(given)) return [given]
  const of = given !== null && typeof given === 'object' && 'of' in given ? given.of : undefined
  const words = Array.isArray(of) ? of.filter(isFilterWord).filter((one) => !isOfList(one)) : []
  return words.length === 0 ? [] : [{ of: words }]
}
