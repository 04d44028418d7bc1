import { PaginationError, ValidationError } from '../base/errors.ts'
import type { Data } from '../schema/definition.ts'
import { booleanOf } from '../schema/values/attribute-kinds.ts'
import { parseCursor } from './cursor.ts'
import { invalidValue } from './query-error.ts'
import type { Page, QueryRules, SortKey, WithCount } from './query.ts'

/** Clamps sizes, the page and the start. @throws PaginationError for mixed kinds, ValidationError for bad numbers */
export function parsePagination(
  query: Data,
  sort: readonly SortKey[],
  rules: Pick<QueryRules, 'defaultLimit' | 'maxLimit'>,
): Page {
  if ('page' in query || 'pageSize' in query) {
    throw new PaginationError(
      'Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
    )
  }
  const input = objectOf(query['pagination'])
  const withCount = parseWithCount(input['withCount'])
  switch (kindOf(input)) {
    case 'cursor':
      return {
        kind: 'cursor',
        after: parseCursor(input['cursor'], sort),
        pageSize: parseSize(input['pageSize'], 'pageSize', rules),
        withCount,
      }
    case 'offset':
      return {
        kind: 'offset',
        start: Math.max(0, parsePosition(input['start'], 'start', 0)),
        limit: parseSize(input['limit'], 'limit', rules),
        withCount,
      }
    case 'page':
      return {
        kind: 'page',
        page: Math.max(1, parsePosition(input['page'], 'page', 1)),
        pageSize: parseSize(input['pageSize'], 'pageSize', rules),
        withCount,
      }
  }
}

function kindOf({ page, pageSize, start, limit, cursor }: Data): Page['kind'] {
  const isOffset = start !== undefined || limit !== undefined
  if (isOffset && [page, pageSize, cursor].some((value) => value !== undefined)) {
    throw new PaginationError('Cannot use both page & offset pagination in the same query')
  }
  if (cursor === undefined) return isOffset ? 'offset' : 'page'
  if (page === undefined) return 'cursor'
  throw new PaginationError('Cannot use both page & cursor pagination in the same query')
}

function objectOf(input: unknown): Data {
  if (input === undefined) return {}
  if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    throw invalidValue('pagination', 'expected an object such as pagination[page]=1')
  }
  return input as Data // an object that is not an array
}

function parsePosition(input: unknown, name: string, fallback: number): number {
  if (input === undefined) return fallback
  const value = integerOf(input)
  if (value === null) throw notA('an integer', name, input)
  return value
}

function parseSize(
  input: unknown,
  name: string,
  { defaultLimit, maxLimit }: Pick<QueryRules, 'defaultLimit' | 'maxLimit'>,
): number {
  if (input === undefined) return defaultLimit
  const value = integerOf(input)
  if (value === null || value < 1) throw notA('a positive integer', name, input)
  return Math.min(value, maxLimit)
}

function notA(expected: string, name: string, input: unknown): ValidationError {
  const given = typeof input === 'string' ? input : 'a list'
  return invalidValue(`pagination[${name}]`, `expected ${expected} got ${given}`)
}

/** Null beyond the range of a 32-bit integer. */
function integerOf(input: unknown): number | null {
  if (typeof input !== 'string' || !/^[+-]?\d+$/.test(input)) return null
  const value = Number(input)
  return Math.abs(value) <= 2 ** 31 - 1 ? value : null
}

function parseWithCount(input: unknown): WithCount {
  if (input === undefined) return true
  if (input === 'estimate') return input
  const value = booleanOf(input)
  if (value === undefined) {
    throw new ValidationError(
      'Invalid withCount parameter. Expected "t","1","true","false","0","f","estimate"',
      {},
      { code: 'invalid_pagination' },
    )
  }
  return value
}
