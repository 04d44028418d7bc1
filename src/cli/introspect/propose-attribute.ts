import {
  type FieldProfile,
  MAX_MEMBERS,
  MAX_TEXTS,
  type ValueKind,
} from '../../mongo/adopted/field-profile.ts'
import type { AttributeDefinition } from '../../schema/definition.ts'

/** A field with too few values of one type becomes JSON. */
const LEAST_SHARE = 0.9
const LEAST_VALUES_OF_ENUMERATION = 30
const REPETITIONS = 5
const LONGEST_VALUE = 40
const LONGEST_STRING = 255

export interface Proposed {
  readonly attribute: AttributeDefinition
  /** The number of values that fit. */
  readonly fitting: number
  /** Why the values have no better type than JSON. */
  readonly reason?: string
}

/** The content-type whose documents the values refer to. Null for other values. */
export type FindTarget = (profile: FieldProfile) => Promise<string | null>

const JSON_TYPE = { type: 'json' } as const

/** The attribute of a field whose values are neither documents nor lists of documents. */
export async function proposeAttribute(
  profile: FieldProfile,
  findTarget: FindTarget,
): Promise<Proposed> {
  const { elements } = profile
  if (isMostly(profile, ['list']) && elements !== null && isMostly(elements, REFERENCES)) {
    const target = await findTarget(elements)
    const fitting = countOf(profile, ['list'])
    if (target !== null) return { attribute: relationTo('manyToMany', target), fitting }
  }
  if (isMostly(profile, REFERENCES) || isMostly(profile, ['text'])) {
    const target = await findTarget(profile)
    const fitting = countOf(profile, [...REFERENCES, 'text'])
    if (target !== null) return { attribute: relationTo('manyToOne', target), fitting }
  }
  return proposeScalar(profile)
}

const REFERENCES: readonly ValueKind[] = ['objectId', 'uuid']
const WHOLE: readonly ValueKind[] = ['integer', 'long']
const NUMBERS: readonly ValueKind[] = [...WHOLE, 'float', 'decimal']

function relationTo(relation: 'manyToOne' | 'manyToMany', target: string): AttributeDefinition {
  return { type: 'relation', relation, target }
}

/** In this order. The first row with most of the values counts. */
const SCALARS: readonly (readonly [readonly ValueKind[], AttributeDefinition['type']])[] = [
  [['integer'], 'integer'],
  [WHOLE, 'biginteger'],
  [['integer', 'float'], 'float'],
  [NUMBERS, 'decimal'],
  [['boolean'], 'boolean'],
  [['date'], 'datetime'],
]

function proposeScalar(profile: FieldProfile): Proposed {
  const texts: readonly ValueKind[] = ['text', 'objectId']
  if (isMostly(profile, texts)) {
    return { attribute: textAttribute(profile), fitting: countOf(profile, texts) }
  }
  // All numbers count before the first rows, which would hide the others.
  const numbers = NUMBERS.filter((kind) => profile.kinds.has(kind))
  const row = SCALARS.find(
    ([kinds]) => isMostly(profile, kinds) && numbers.every((kind) => kinds.includes(kind)),
  )
  if (row === undefined) return proposeJson(profile)
  const [kinds, type] = row
  return { attribute: { type } as AttributeDefinition, fitting: countOf(profile, kinds) }
}

const WORDS: Readonly<Record<ValueKind, string>> = {
  text: 'texts',
  objectId: 'ObjectIds',
  uuid: 'UUIDs',
  integer: 'integers',
  long: 'longs',
  float: 'doubles',
  decimal: 'decimals',
  boolean: 'booleans',
  date: 'dates',
  object: 'documents',
  list: 'lists',
  reference: 'references with $ref',
  other: 'other values',
}

/** Every value fits. The reason names the kinds that no other type holds together. */
function proposeJson(profile: FieldProfile): Proposed {
  const json = { attribute: JSON_TYPE, fitting: profile.given }
  const { kinds, elements } = profile
  const inLists = elements === null ? null : kindsIn(elements)
  if (kinds.size > 1) return { ...json, reason: kindsIn(profile) ?? '' }
  if (kinds.has('reference')) return { ...json, reason: WORDS.reference }
  if (elements === null || inLists === null) return json
  const isNamed = elements.kinds.size > 1 || elements.kinds.has('reference')
  return isNamed ? { ...json, reason: `lists of ${inLists}` } : json
}

/** The kinds of the values, the most frequent first. Null without values. */
function kindsIn({ kinds }: FieldProfile): string | null {
  const sorted = [...kinds].sort(([, one], [, other]) => other - one)
  const names = sorted.map(([kind]) => WORDS[kind])
  if (names.length < 2) return names[0] ?? null
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`
}

function textAttribute({ kinds, texts, given, longestText }: FieldProfile): AttributeDefinition {
  const isEnumeration =
    texts.size <= MAX_TEXTS / 2 &&
    given >= LEAST_VALUES_OF_ENUMERATION &&
    given >= texts.size * REPETITIONS &&
    !kinds.has('objectId') &&
    longestText <= LONGEST_VALUE
  if (isEnumeration) return { type: 'enumeration', enum: [...texts.keys()].sort() }
  return { type: longestText > LONGEST_STRING ? 'text' : 'string' }
}

/** Whether the values are documents with fields that components can have. */
export function isComponent({ members }: FieldProfile): boolean {
  const isPoint = members.has('type') && members.has('coordinates')
  return !isPoint && members.size > 0 && members.size <= MAX_MEMBERS
}

export function isMostly(profile: FieldProfile, kinds: readonly ValueKind[]): boolean {
  return profile.given > 0 && countOf(profile, kinds) >= profile.given * LEAST_SHARE
}

export function countOf({ kinds }: FieldProfile, wanted: readonly ValueKind[]): number {
  return wanted.reduce((sum, kind) => sum + (kinds.get(kind) ?? 0), 0)
}
