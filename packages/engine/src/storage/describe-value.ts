import { ObjectId } from 'bson'
import { isNumber } from '../bson/numbers.ts'
import { isDocument, getType } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'

export function describeValue(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === null || value === undefined) return 'null'
  if (isNumber(value) || typeof value === 'boolean') return value.toString()
  if (value instanceof Date) return `new Date(${value.getTime()})`
  if (Array.isArray(value))
    return `[ ${value.map((element) => describeValue(element)).join(', ')} ]`
  if (isDocument(value)) {
    return `{ ${Object.keys(value)
      .map((field) => `${field}: ${describeValue(value[field])}`)
      .join(', ')} }`
  }
  return value instanceof ObjectId ? `ObjectId('${value.toHexString()}')` : getType(value)
}
