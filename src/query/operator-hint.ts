import { didYouMean } from '../base/near-miss.ts'
import type { ScalarType } from '../schema/definition.ts'
import { operatorsOf } from './parse-comparison.ts'

/** Operators of SQL, MongoDB and Sequelize, by the operators that do the same here. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['$like', '$contains'],
  ['$ilike', '$containsi'],
  ['$regex', '$contains'],
  ['$nin', '$notIn'],
  ['$neq', '$ne'],
  ['$not_in', '$notIn'],
  ['$exists', '$notNull'],
])

/** The names of the operators of an attribute of this type. */
export function operatorNames(type: ScalarType): readonly string[] {
  return [...operatorsOf(type).map((operator) => `$${operator}`), '$not']
}

/** `; did you mean $contains?` if the key is nearly one of the operators, or names one of them in SQL, MongoDB or Sequelize. */
export function operatorHint(key: string, operators: readonly string[]): string {
  const meant = [ALIASES.get(key.toLowerCase()), `$${key}`].find(
    (name) => name !== undefined && operators.includes(name),
  )
  return didYouMean(meant ?? key, operators)
}
