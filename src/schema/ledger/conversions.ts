import { type AttributeType, membersWithout } from './type-of-attribute.ts'

/**
 * The effect of a new type on the stored values of an attribute.
 * - `equal`: the old and the new type store the same values in the same form.
 * - `checked`: each value is converted on its own. Some may need another form, and some may not fit.
 * - `none`: no value fits. The attribute gets a new stored name, so that a roll-back finds all values.
 */
export type ConversionKind = 'equal' | 'checked' | 'none'

type Targets = readonly (readonly [string, readonly string[]])[]

const TEXTS = ['string', 'text', 'richtext']
/** Texts of a certain form. */
const FORMED = ['email', 'uid', 'enumeration', 'time']
const ALL_TEXTS = [...TEXTS, ...FORMED]
const NUMBERS = ['integer', 'biginteger', 'float', 'decimal']
const MOMENTS = ['datetime', 'timestamp']
const LISTS: Targets = [
  ['component', ['component list']],
  ['media', ['media list']],
  ['relation to one', ['relation to many']],
]

const EQUAL = setsOf([
  ...ALL_TEXTS.map((from) => [from, [...TEXTS, 'json']] as const),
  ['blocks', ['json']],
  ['integer', ['float']],
  ...MOMENTS.map((from) => [from, MOMENTS] as const),
])

const CHECKED = setsOf([
  ...ALL_TEXTS.map((from) => [from, FORMED] as const),
  ['json', [...ALL_TEXTS, 'blocks']],
  ...NUMBERS.map((from) => [from, NUMBERS] as const),
  ['date', MOMENTS],
  ...MOMENTS.map((from) => [from, ['date']] as const),
  ...LISTS,
  ...LISTS.flatMap(([one, lists]) => lists.map((list) => [list, [one]] as const)),
])

function setsOf(targets: Targets): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(targets.map(([from, to]) => [from, new Set(to)]))
}

export function conversionKind(from: AttributeType, to: AttributeType): ConversionKind {
  const kind = kindOfTypes(from.type, to.type)
  if (kind === 'none' || membersWithout(from, to).length === 0) return kind
  // An element of a zone names its component. Ids and members of components fit no other target.
  return from.type === 'dynamiczone' || from.type === 'enumeration' ? 'checked' : 'none'
}

function kindOfTypes(from: string, to: string): ConversionKind {
  if (from === to || EQUAL.get(from)?.has(to) === true) return 'equal'
  return CHECKED.get(from)?.has(to) === true ? 'checked' : 'none'
}
