import type { GroupKey } from '../../query/query.ts'
import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'

export function showGroupKey(key: GroupKey, stored: unknown): unknown {
  if (stored === null) return null
  switch (key.kind) {
    case 'value':
      return SCALAR_KINDS[key.attribute.type].toJson(stored)
    case 'day':
      return dayText(Number(stored))
    case 'month':
      return monthText(Number(stored))
    case 'relation':
      return stored
  }
}

const DAY_MS = 86_400_000

function dayText(day: number): string {
  const iso = new Date(day * DAY_MS).toISOString()
  return iso.slice(0, iso.indexOf('T'))
}

/** Years as in ISO 8601: a sign and six digits before the year 0 and after 9999. */
function monthText(months: number): string {
  const year = Math.floor(months / 12)
  const month = String(months - year * 12 + 1).padStart(2, '0')
  if (year >= 0 && year <= 9999) return `${String(year).padStart(4, '0')}-${month}`
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}-${month}`
}
