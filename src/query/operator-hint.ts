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

/** `; did you mean $contains?` when an operator of the type is nearly the key, or does what the key does elsewhere. */
export function operatorHint(key: string, type: ScalarType): string {
  const operators = [...operatorsOf(type).map((operator) => `$${operator}`), '$not']
  const meant = [ALIASES.get(key.toLowerCase()), `$${key}`].find(
    (name) => name !== undefined && operators.includes(name),
  )
  return didYouMean(meant ?? key, operators)
}
