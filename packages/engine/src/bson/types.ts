import { badValue } from '../errors.ts'
import { isNumber, toDouble } from './numbers.ts'
import { getType } from './values.ts'
import type { TypeName, Value } from './values.ts'

const CODES: Readonly<Record<number, TypeName>> = {
  1: 'double', 2: 'string', 3: 'object', 4: 'array', 5: 'binData', 7: 'objectId', 8: 'bool', 9: 'date',
  10: 'null', 11: 'regex', 13: 'javascript', 14: 'symbol', 15: 'javascriptWithScope', 16: 'int',
  17: 'timestamp', 18: 'long', 19: 'decimal', [-1]: 'minKey', 127: 'maxKey', 255: 'minKey',
} // prettier-ignore

const NAMES: ReadonlySet<string> = new Set(Object.values(CODES))
const NUMBERS: readonly TypeName[] = ['int', 'long', 'double', 'decimal']

export type TypeTest = ReadonlySet<TypeName>

function parseType(type: Value): readonly TypeName[] {
  if (type === 'number') return NUMBERS
  if (typeof type === 'string') {
    if (!NAMES.has(type)) throw badValue(`Unknown type name alias: ${type}`)
    return [type as TypeName]
  }
  const name = isNumber(type) ? CODES[toDouble(type)] : undefined
  if (!name) throw badValue('Invalid numerical type code or type name')
  return [name]
}

export function parseTypes(operand: Value): TypeTest {
  const types = Array.isArray(operand) ? operand : [operand]
  if (types.length === 0) throw badValue('$type must match at least one type')
  return new Set(types.flatMap((type) => parseType(type)))
}

export function hasType(types: TypeTest, value: Value): boolean {
  return types.has(getType(value))
}
