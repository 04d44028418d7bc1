import type { AttributeType } from '@quire/schema/attributes'
import type { Attribute, Attributes } from '../../api/attributes.ts'
import {
  AUTHOR_MEMBERS,
  type AuthorMember,
  ENTRY_STATES,
  type EntryState,
} from '../../api/entries.ts'
import type { QueryValue } from '../../api/request.ts'

/** The operators of a filter, in the order of the menu. */
export const OPERATORS = [
  'is',
  'isNot',
  'isOneOf',
  'isNoneOf',
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

/** One filter, such as `Author` `is` `Grace Hopper`. */
export interface FilterWord {
  readonly at: string
  readonly is: OperatorWord
  /** As text; a documentId for relations. */
  readonly to?: string
  readonly as?: string
  /** The values of `isOneOf` and `isNoneOf`. */
  readonly among?: readonly string[]
  /** In place of a value, such as `$user`. Only rules have variables. */
  readonly variable?: string
}

export const OWN_ATTRIBUTES: Attributes = {
  createdAt: { type: 'datetime' },
  updatedAt: { type: 'datetime' },
  publishedAt: { type: 'datetime' },
}

/** A filter on the publication state, which is no attribute. */
export const STATE = '$state'

/** The stage of the review, as a filter and a column. */
export const STAGE = '$stage'

/** The member of a filter or column such as `$createdBy`; undefined for others. */
export function authorMemberOf(name: string): AuthorMember | undefined {
  return AUTHOR_MEMBERS.find((member) => name === `$${member}`)
}

export const AUTHOR_NAMES = AUTHOR_MEMBERS.map((member) => `$${member}`)

/** The present user, as the value of a filter on authors. */
export const ME = '$me'

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
  enumeration: ['is', 'isNot', 'isOneOf', 'isNoneOf', ...EMPTY],
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
  location: EMPTY,
  component: [],
  dynamiczone: [],
  password: [],
}

/** The operators for an attribute; empty if it cannot be filtered. */
export function operatorsOf({
  type,
  computed = false,
}: Pick<Attribute, 'type' | 'computed'>): readonly OperatorWord[] {
  return computed ? [] : OPERATORS_OF[type]
}

/** The operators for an attribute, the state or the stage. */
export function operatorsAt(at: string, attributes: Attributes): readonly OperatorWord[] {
  if (at === STAGE) return STAGE_OPERATORS
  const attribute = attributes[at]
  return attribute === undefined ? [] : operatorsOf(attribute)
}

const STAGE_OPERATORS = ['is', 'isOneOf'] as const

export function takesValue(operator: OperatorWord): boolean {
  return operator !== 'isEmpty' && operator !== 'isNotEmpty'
}

type ListOperator = 'isOneOf' | 'isNoneOf'

export function takesList(operator: OperatorWord): operator is ListOperator {
  return operator === 'isOneOf' || operator === 'isNoneOf'
}

/** Whether the filter has its value, if it takes one. */
export function isCompleteWord({ is, to = '', among = [], variable }: FilterWord): boolean {
  if (!takesValue(is) || variable !== undefined) return true
  return takesList(is) ? among.length > 0 : to !== ''
}

const LIST_OPERATORS: Readonly<Record<ListOperator, string>> = {
  isOneOf: '$in',
  isNoneOf: '$notIn',
}

const CONDITIONS: Readonly<
  Record<Exclude<OperatorWord, ListOperator>, (value: string) => QueryValue>
> = {
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

/** The members by which entries and files are compared. */
const KEYS: Readonly<Partial<Record<AttributeType, string>>> = {
  relation: 'documentId',
  media: 'id',
}

/** Empty for a filter on a missing attribute, or without a required value. */
export function conditionsOfWord(
  word: FilterWord,
  attributes: Attributes,
  me: string,
): QueryValue[] {
  const { at, is, to = '', among } = word
  const author = authorMemberOf(at)
  if (author !== undefined) return authorCondition(author, word, me)
  const type = attributes[at]?.type
  const isKnown = type !== undefined && OPERATORS_OF[type].includes(is)
  if (!isKnown || !isCompleteWord(word)) return []
  if (takesList(is)) return [{ [at]: { [LIST_OPERATORS[is]]: among } }]
  const key = KEYS[type]
  const condition = key === undefined ? scalarCondition(is, to, type) : CONDITIONS[is](to)
  return [{ [at]: key === undefined ? condition : { [key]: condition } }]
}

function authorCondition(
  author: AuthorMember,
  { is, to = '' }: FilterWord,
  me: string,
): QueryValue[] {
  return is === 'is' && to !== '' ? [{ [author]: { $eq: to === ME ? me : to } }] : []
}

function scalarCondition(
  is: Exclude<OperatorWord, ListOperator>,
  to: string,
  type: AttributeType,
): QueryValue {
  const folded = TEXTUAL.has(type) ? IGNORING_CASE[is] : undefined
  return folded === undefined ? CONDITIONS[is](toOperand(to, type)) : { [folded]: to }
}

/** A datetime without a zone is local time. */
function toOperand(value: string, type: AttributeType): string {
  if (type !== 'datetime' && type !== 'timestamp') return value
  const moment = new Date(value)
  return Number.isNaN(moment.getTime()) ? value : moment.toISOString()
}

/** The state that the filters select; undefined if there is no filter on the state. */
export function filteredState(words: readonly FilterWord[]): EntryState | undefined {
  const to = words.findLast(({ at }) => at === STATE)?.to
  return ENTRY_STATES.find((state) => state === to)
}

/** The stages that the filters select; undefined if there is no filter on declared stages. */
export function filteredStages(
  words: readonly FilterWord[],
  stages: readonly string[] = [],
): readonly string[] | undefined {
  const word = words.findLast(
    ({ at, is }) => at === STAGE && STAGE_OPERATORS.some((one) => one === is),
  )
  const asked = word?.is === 'is' ? [word.to] : (word?.among ?? [])
  const known = stages.filter((stage) => asked.includes(stage))
  return known.length === 0 ? undefined : known
}

export function isFilterWord(given: unknown): given is FilterWord {
  if (given === null || typeof given !== 'object') return false
  const { at, is, to, as, among } = given as Partial<Record<keyof FilterWord, unknown>>
  return (
    typeof at === 'string' &&
    OPERATORS.some((one) => one === is) &&
    [to, as].every((one) => one === undefined || typeof one === 'string') &&
    (among === undefined || isTexts(among))
  )
}

function isTexts(given: unknown): given is readonly string[] {
  return Array.isArray(given) && given.every((one) => typeof one === 'string')
}
