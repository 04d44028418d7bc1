import Joi from 'joi'

export interface Paging {
  readonly cursor?: string
  readonly pageSize?: number
}

export function pagingRule(cursor: RegExp, most: number): Joi.ObjectSchema<Paging> {
  return Joi.object<Paging>({
    cursor: Joi.string().pattern(cursor).message('{{#label}} is not a cursor of this list'),
    pageSize: Joi.number().integer().min(1).max(most),
  })
}

export function pageOf<T>(
  found: readonly T[],
  pageSize: number,
  cursorOf: (last: T) => string,
): { readonly rows: readonly T[]; readonly nextCursor: string | null } {
  const rows = found.slice(0, pageSize)
  const last = rows.at(-1)
  const isOver = last === undefined || found.length === rows.length
  return { rows, nextCursor: isOver ? null : cursorOf(last) }
}
