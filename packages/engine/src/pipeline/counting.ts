import { isNumber } from '../bson/numbers.ts'
import { toDocument, isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { toCountValue } from './group.ts'

export type CountStage = ((count: number) => Document) | null

function isOne(value: Value): boolean {
  return (
    isDocument(value) &&
    Object.keys(value).length === 1 &&
    (value['$sum'] === 1 ||
      (isDocument(value['$count']) && Object.keys(value['$count']).length === 0))
  )
}

function isConstant(value: Value): boolean {
  return (
    value === null ||
    isNumber(value) ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && !value.startsWith('$'))
  )
}

/** Also the `$group` that drivers use to count: `{ _id: 1, n: { $sum: 1 } }`. */
export function parseCountStage(name: string, operand: Value): CountStage {
  if (name === '$count' && typeof operand === 'string')
    return (count) => toDocument({ [operand]: toCountValue(count) })
  if (name !== '$group' || !isDocument(operand) || !isConstant(operand['_id'])) return null
  const { _id: id, ...members } = operand
  if (!Object.values(members).every((member) => isOne(member))) return null
  const names = Object.keys(members)
  return (count) => {
    const values = names.map((member): [string, Value] => [member, toCountValue(count)])
    return toDocument({ _id: id, ...Object.fromEntries(values) })
  }
}
