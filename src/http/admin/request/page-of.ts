import { PaginationError } from '../../../base/errors.ts'
import type { Data } from '../../../schema/definition.ts'

export interface ListPage {
  readonly page: number
  readonly pageSize: number
  readonly start: number
  show(total: number, capped: boolean): object
}

const DEFAULT_SIZE = 25
const MAX_SIZE = 100

export function readPage({ pagination }: Data): ListPage {
  const given = (typeof pagination === 'object' && pagination !== null ? pagination : {}) as Data
  const page = readWhole(given['page'], 'page', 1, 1_000_000)
  const pageSize = readWhole(given['pageSize'], 'pageSize', DEFAULT_SIZE, MAX_SIZE)
  return {
    page,
    pageSize,
    start: (page - 1) * pageSize,
    show: (total, capped) => ({
      page,
      pageSize,
      pageCount: Math.ceil(total / pageSize),
      total,
      ...(capped && { capped }),
    }),
  }
}

function readWhole(given: unknown, name: string, otherwise: number, most: number): number {
  if (given === undefined) return otherwise
  const value = typeof given === 'string' && /^[1-9]\d{0,6}$/.test(given) ? Number(given) : 0
  if (value >= 1 && value <= most) return value
  throw new PaginationError(`pagination.${name}: expected a whole number from 1 to ${most}`)
}
