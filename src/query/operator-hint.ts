import { didYouMean } from '../base/near-miss.ts'
import type { ScalarType } from '../schema/definition.ts'
import { operatorsOf } from './parse-comparison.ts'

/** Operators of SQL, MongoDB and Sequelize, with their equivalents. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['$like', '$contains'],
  ['$ilike', '$containsi'],
  ['$regex', '$contains'],
  ['$nin', '$notIn'],
  ['$neq', '$ne'],
  ['$not_in', '$notIn'],
  ['$exists', '$notNull'],
])

export function operatorNames(type: ScalarType): readonly string[] {
  return [...operatorsOf(type).map((operator) => `$${operator}`), '$not']
}

export function operatorHint(key: string, operators: readonly string[]): string {
  const meant = [ALIASES.get(key.toLowerCase()), `$${key}`].find(
    (name) => name !== undefined && operators.includes(name),
  )
  return didYouMean(meant ?? key, operators)
}
