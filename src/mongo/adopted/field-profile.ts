import { Binary, DBRef, Decimal128, type Document, ObjectId } from 'mongodb'
import { uuidText } from '../versions/adopted-rows.ts'

export type ValueKind =
  | 'text'
  | 'objectId'
  | 'uuid'
  | 'integer'
  | 'long'
  | 'float'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'object'
  | 'list'
  | 'reference'
  | 'other'

/** The values of a sample at a path. */
export interface FieldProfile {
  /** The number of values that are not null. */
  given: number
  readonly kinds: Map<ValueKind, number>
  /** Distinct texts with their numbers, until there are too many for an enumeration. */
  readonly texts: Map<string, number>
  longestText: number
  /** Values that may be ids of other documents. */
  readonly references: Map<string, unknown>
  readonly members: Map<string, FieldProfile>
  /** All elements of all lists. */
  elements: FieldProfile | null
}

export const MAX_TEXTS = 20
const MAX_REFERENCES = 20
/** More members are keys of data, and no fields. */
export const MAX_MEMBERS = 100
const MAX_LEVELS = 6
/** The elements of a list that are looked at. */
const MAX_ELEMENTS = 50

export function emptyProfile(): FieldProfile {
  return {
    given: 0,
    kinds: new Map(),
    texts: new Map(),
    longestText: 0,
    references: new Map(),
    members: new Map(),
    elements: null,
  }
}

export function noteMembers(profile: FieldProfile, document: Document, level = 0): void {
  if (level > MAX_LEVELS) return
  for (const [name, value] of Object.entries(document) as [string, unknown][]) {
    if (profile.members.size > MAX_MEMBERS && !profile.members.has(name)) return
    const member = profile.members.get(name) ?? emptyProfile()
    profile.members.set(name, member)
    noteValue(member, value, level)
  }
}

function noteValue(profile: FieldProfile, value: unknown, level: number): void {
  if (value === null || value === undefined) return
  const kind = kindOf(value)
  profile.given += 1
  profile.kinds.set(kind, (profile.kinds.get(kind) ?? 0) + 1)
  if (typeof value === 'string') noteText(profile, value)
  if (REFERENCES.has(kind)) noteReference(profile, value as Reference)
  if (kind === 'object') noteMembers(profile, value, level + 1)
  if (Array.isArray(value)) noteElements(profile, value, level)
}

type Reference = string | number | bigint | ObjectId | Binary

const REFERENCES: ReadonlySet<ValueKind> = new Set(['objectId', 'uuid', 'text', 'integer'])

function noteReference({ references }: FieldProfile, value: Reference): void {
  if (references.size < MAX_REFERENCES) references.set(value.toString(), value)
}

function noteElements(profile: FieldProfile, list: readonly unknown[], level: number): void {
  profile.elements ??= emptyProfile()
  for (const element of list.slice(0, MAX_ELEMENTS)) noteValue(profile.elements, element, level)
}

function noteText(profile: FieldProfile, text: string): void {
  profile.longestText = Math.max(profile.longestText, text.length)
  if (profile.texts.size > MAX_TEXTS) return
  profile.texts.set(text, (profile.texts.get(text) ?? 0) + 1)
}

function kindOf(value: unknown): ValueKind {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? 'integer' : 'long'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'float'
  if (Array.isArray(value)) return 'list'
  return kindOfObject(value)
}

function kindOfObject(value: unknown): ValueKind {
  if (value instanceof Date) return 'date'
  if (value instanceof ObjectId) return 'objectId'
  if (value instanceof Decimal128) return 'decimal'
  if (value instanceof DBRef) return 'reference'
  if (value instanceof Binary) return uuidText(value) === null ? 'other' : 'uuid'
  const isPlain = Object.getPrototypeOf(value) === Object.prototype
  return isPlain ? 'object' : 'other'
}
