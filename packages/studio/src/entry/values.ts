import type { Data } from './data.ts'
import type { FileEntry } from '../api/file-entry.ts'
import {
  type Attribute,
  type Attributes,
  type Components,
  isComponentList,
} from '../api/attributes.ts'

/** Form values by attribute. `toFormValues` defines the value of each type. */
export type FormValues = Readonly<Record<string, unknown>>

/** `$key` identifies a component while the form is open, even after it moves. */
export interface ComponentValue extends FormValues {
  readonly $key: string
  readonly id?: number
  readonly __component?: string
}

export interface Link {
  readonly documentId: string
  readonly title: string
}

/** A move in a partly read relation: the new position of an entry, or null to remove it. */
export interface LinkMove {
  readonly link: Link
  readonly to: 'start' | 'end' | { readonly after: string } | null
}

/**
 * A relation: the linked entries in order, and whether more exist. If more exist, `items` stays as
 * read and `moves` has the changes in their order.
 */
export interface Links {
  readonly items: readonly Link[]
  readonly more: boolean
  readonly moves?: readonly LinkMove[]
}

export type FileValue = FileEntry

export const NO_LINKS: Links = { items: [], more: false }

/** One more entry is requested, to find out whether there are more. */
export const INITIAL_LINKS = 50

/** Gives each component a key that stays the same while the form is open. */
export class KeyRing {
  readonly #known = new Map<string, string>()
  readonly #session: string
  #made = 0

  /** `session` distinguishes the keys of this form from those of earlier forms. */
  constructor(session: string) {
    this.#session = session
  }

  keyOf(component: string, id: number): string {
    return this.#known.get(`${component}:${id}`) ?? `${component}:${id}`
  }

  /** A new component keeps its key when the server gives it an id. */
  learn(component: string, id: number, key: string): void {
    this.#known.set(`${component}:${id}`, key)
  }

  newKey(): string {
    this.#made += 1
    return `${this.#session}:${this.#made}`
  }
}

export interface Reading {
  readonly components: Components
  readonly keys: KeyRing
  readonly titleFieldOf: (uid: string) => string | null
}

/**
 * Converts an entry to form values: components get a key, relations become `Links`, media becomes a
 * list of files, a password is null until one is typed. Other values are unchanged.
 */
export function toFormValues(attributes: Attributes, entry: Data, reading: Reading): FormValues {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, attribute]) => [
      name,
      toFormValue(attribute, entry[name], reading),
    ]),
  )
}

function toFormValue(attribute: Attribute, value: unknown, reading: Reading): unknown {
  switch (attribute.type) {
    case 'password':
      return null
    case 'media':
      return listOf(value)
    case 'relation':
      return toLinks(attribute.target, value, reading)
    case 'component':
    case 'dynamiczone': {
      const elements = listOf(value).map((one) => toComponent(attribute, one as Data, reading))
      return isComponentList(attribute) ? elements : (elements[0] ?? null)
    }
    default:
      return value ?? null
  }
}

function toComponent(attribute: Attribute, data: Data, reading: Reading): ComponentValue {
  const uid = componentUid(attribute, data)
  const id = data['id'] as number
  const values = toFormValues(reading.components.get(uid)?.attributes ?? {}, data, reading)
  const named = attribute.type === 'dynamiczone' ? { __component: uid } : {}
  return { ...values, ...named, $key: reading.keys.keyOf(uid, id), id }
}

function toLinks(target: string, value: unknown, { titleFieldOf }: Reading): Links {
  const titleField = titleFieldOf(target)
  const all = (listOf(value) as readonly Data[]).map((entry) => toLink(entry, titleField))
  return { items: all.slice(0, INITIAL_LINKS), more: all.length > INITIAL_LINKS }
}

/** The title of the link is the title of the entry, or its documentId. */
export function toLink(entry: Data, titleField: string | null): Link {
  const documentId = String(entry['documentId'])
  const title = titleField === null ? undefined : entry[titleField]
  const hasTitle = (typeof title === 'string' && title !== '') || typeof title === 'number'
  return { documentId, title: hasTitle ? String(title) : documentId }
}

export function newComponentValue(
  attribute: Attribute,
  uid: string,
  reading: Reading,
): ComponentValue {
  const declared = reading.components.get(uid)?.attributes ?? {}
  const defaults = Object.fromEntries(
    Object.entries(declared).map(([name, one]) => [
      name,
      'default' in one ? one.default : undefined,
    ]),
  )
  const named = attribute.type === 'dynamiczone' ? { __component: uid } : {}
  return { ...toFormValues(declared, defaults, reading), ...named, $key: reading.keys.newKey() }
}

export function newValues(attributes: Attributes, reading: Reading): FormValues {
  const defaults = Object.fromEntries(
    Object.entries(attributes).map(([name, one]) => [
      name,
      'default' in one ? one.default : undefined,
    ]),
  )
  return toFormValues(attributes, defaults, reading)
}

/** The copy and its nested components are new to the server. */
export function copyComponent(value: ComponentValue, keys: KeyRing): ComponentValue {
  const { id: _, ...rest } = value
  const copied = Object.entries(rest).map(([name, held]) => [name, copyValue(held, keys)])
  return { ...Object.fromEntries(copied), $key: keys.newKey() } as ComponentValue
}

/** Components in the copy are new to the server. */
export function copyValue(held: unknown, keys: KeyRing): unknown {
  if (isComponentValue(held)) return copyComponent(held, keys)
  if (Array.isArray(held)) return held.map((one) => copyValue(one, keys))
  return held
}

/** Whether a value contains a relation with more entries than were read. */
export function isPartlyRead(held: unknown): boolean {
  if (Array.isArray(held)) return held.some(isPartlyRead)
  if (isComponentValue(held)) return Object.values(held).some(isPartlyRead)
  return typeof held === 'object' && held !== null && 'more' in held && held.more === true
}

export function isComponentValue(value: unknown): value is ComponentValue {
  return typeof value === 'object' && value !== null && '$key' in value
}

export function componentUid(attribute: Attribute, value: Data): string {
  return attribute.type === 'component' ? attribute.component : String(value['__component'])
}

/** Wraps a single value in a list; null becomes an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? (value as unknown[]) : [value]
}
