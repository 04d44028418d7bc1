import type { Attribute, Attributes, AttributeType } from '../../api/content-types.ts'
import { ENTRY_STATES, type EntryState } from '../../api/entries.ts'
import type { QueryValue } from '../../api/query-string.ts'

/** The words between an attribute and a value, in the order in which they are offered. */
export const OPERATORS = [
  'is',
  'isNot',
  'contains',
  'begins',
  'above',
  'atLeast',
  'below',
  'atMost',
  'after',
  'before',
  'isEmpty',
  'isNotEmpty',
] as const

export type OperatorWord = (typeof OPERATORS)[number]

/** One filter: `Author` `is` `Grace Hopper`. */
export interface FilterWord {
  /** The name of an attribute. */
  readonly at: string
  readonly is: OperatorWord
  /** As text; of a relation a documentId. */
  readonly to?: string
  /** What is shown instead of the value. */
  readonly as?: string
}

/** Attributes that every type has. */
export const OWN_ATTRIBUTES: Attributes = {
  createdAt: { type: 'datetime' },
  updatedAt: { type: 'datetime' },
  publishedAt: { type: 'datetime' },
}

/** Not an attribute, but filtered by like one. */
export const STATE = '$state'

const EMPTY = ['isEmpty', 'isNotEmpty'] as const
const TEXT = ['contains', 'is', 'isNot', 'begins', ...EMPTY] as const
const NUMBER = ['is', 'isNot', 'above', 'atLeast', 'below', 'atMost', ...EMPTY] as const
const TIME = ['after', 'before', ...EMPTY] as const

const OPERATORS_OF: Readonly<Record<AttributeType, readonly OperatorWord[]>> = {
  string: TEXT,
  text: TEXT,
  richtext: TEXT,
  email: TEXT,
  uid: TEXT,
  enumeration: ['is', 'isNot', ...EMPTY],
  integer: NUMBER,
  biginteger: NUMBER,
  decimal: NUMBER,
  float: NUMBER,
  boolean: ['is', ...EMPTY],
  date: ['is', ...TIME],
  time: ['is', ...TIME],
  datetime: TIME,
  timestamp: TIME,
  relation: ['is', ...EMPTY],
  media: EMPTY,
  blocks: EMPTY,
  json: EMPTY,
  component: [],
  dynamiczone: [],
  password: [],
}

/** Which words can stand behind an attribute; none where it cannot be filtered by. */
export function operatorsOf(attribute: Attribute): readonly OperatorWord[] {
  return OPERATORS_OF[attribute.type]
}

export function takesValue(operator: OperatorWord): boolean {
  return operator !== 'isEmpty' && operator !== 'isNotEmpty'
}

const CONDITIONS: Readonly<Record<OperatorWord, (value: string) => QueryValue>> = {
  is: (value) => ({ $eq: value }),
  isNot: (value) => ({ $ne: value }),
  contains: (value) => ({ $containsi: value }),
  begins: (value) => ({ $startsWithi: value }),
  above: (value) => ({ $gt: value }),
  atLeast: (value) => ({ $gte: value }),
  below: (value) => ({ $lt: value }),
  atMost: (value) => ({ $lte: value }),
  after: (value) => ({ $gt: value }),
  before: (value) => ({ $lt: value }),
  isEmpty: () => ({ $null: true }),
  isNotEmpty: () => ({ $notNull: true }),
}

const IGNORING_CASE: Readonly<Partial<Record<OperatorWord, string>>> = { is: '$eqi', isNot: '$nei' }
const TEXTUAL: ReadonlySet<AttributeType> = new Set(['string', 'text', 'richtext', 'email'])

/**
 * What the API is asked: every word holds. Words about attributes that there are no longer, or without
 * the value that they need, count for nothing.
 */
export function toFilters(words: readonly FilterWord[], attributes: Attributes): QueryValue {
  const conditions = words.flatMap((word) => conditionOf(word, attributes))
  return conditions.length === 0 ? undefined : { $and: conditions }
}

function conditionOf({ at, is, to = '' }: FilterWord, attributes: Attributes): QueryValue[] {
  const type = attributes[at]?.type
  if (type === undefined || !OPERATORS_OF[type].includes(is)) return []
  if (takesValue(is) && to === '') return []
  if (type === 'relation' || type === 'media') {
    const key = type === 'media' ? 'id' : 'documentId'
    return [{ [at]: { [key]: CONDITIONS[is](to) } }]
  }
  return [{ [at]: scalarCondition(is, to, type) }]
}

function scalarCondition(is: OperatorWord, to: string, type: AttributeType): QueryValue {
  const folded = TEXTUAL.has(type) ? IGNORING_CASE[is] : undefined
  return folded === undefined ? CONDITIONS[is](toOperand(to, type)) : { [folded]: to }
}

/** A moment is written without a zone, as the person means it. */
function toOperand(value: string, type: AttributeType): string {
  if (type !== 'datetime' && type !== 'timestamp') return value
  const moment = new Date(value)
  return Number.isNaN(moment.getTime()) ? value : moment.toISOString()
}

/** The state that the words narrow a list down to; undefined where they say nothing of it. */
export function stateOf(words: readonly FilterWord[]): EntryState | undefined {
  const to = words.findLast(({ at }) => at === STATE)?.to
  return ENTRY_STATES.find((state) => state === to)
}

export function isFilterWord(given: unknown): given is FilterWord {
  if (given === null || typeof given !== 'object') return false
  const { at, is, to, as } = given as Partial<Record<keyof FilterWord, unknown>>
  return (
    typeof at === 'string' &&
    OPERATORS.some((one) => one === is) &&
    [to, as].every((one) => one === undefined || typeof one === 'string')
  )
}
