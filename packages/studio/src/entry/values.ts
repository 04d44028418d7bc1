import type { FileEntry } from '../api/upload.ts'
import {
  type Attribute,
  type Attributes,
  type Components,
  type Data,
  isComponentList,
} from './declaration.ts'

/** What the form holds, by attribute: see `toFormValues` for what each type is. */
export type Values = Readonly<Record<string, unknown>>

/** A component in the form. `$key` names it while the form is open, wherever it is moved. */
export interface ComponentValue extends Values {
  readonly $key: string
  readonly id?: number
  readonly __component?: string
}

/** An entry at the other end of a relation. */
export interface Link {
  readonly documentId: string
  readonly title: string
}

/** A change of a relation that is read in part: the new place of an entry; null removes it. */
export interface LinkMove {
  readonly link: Link
  readonly to: 'start' | 'end' | { readonly after: string } | null
}

/**
 * A relation: the entries that were read, or added, in order, and whether there are more than those. Then `items` stay as
 * they were read, and what is done stands in `moves`, in the order in which it was done.
 */
export interface Links {
  readonly items: readonly Link[]
  readonly more: boolean
  readonly moves?: readonly LinkMove[]
}

export type FileValue = FileEntry

export const NO_LINKS: Links = { items: [], more: false }

/** How many entries of a relation are read with an entry; one more says that there are more. */
export const LINKS_READ = 50

/** Gives each component its key, the same one for as long as the form is open. */
export class KeyRing {
  readonly #known = new Map<string, string>()
  readonly #session: string
  #made = 0

  /** `session` sets the keys of this form apart from those of one that was open before. */
  constructor(session: string) {
    this.#session = session
  }

  keyOf(component: string, id: number): string {
    return this.#known.get(`${component}:${id}`) ?? `${component}:${id}`
  }

  /** A component that got its id at the server keeps the key that it was made with. */
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
  /** The attribute that titles entries of a content-type, where it has one. */
  readonly titleFieldOf: (uid: string) => string | null
}

/**
 * An entry as the form holds it: components with a key, relations as `Links`, media as a list of files, a password as
 * null until one is typed, every other value as it came.
 */
export function toFormValues(attributes: Attributes, entry: Data, reading: Reading): Values {
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
  return { items: all.slice(0, LINKS_READ), more: all.length > LINKS_READ }
}

/** An entry as a link to it: by its title, else by its documentId. */
export function toLink(entry: Data, titleField: string | null): Link {
  const documentId = String(entry['documentId'])
  const title = titleField === null ? undefined : entry[titleField]
  const hasTitle = (typeof title === 'string' && title !== '') || typeof title === 'number'
  return { documentId, title: hasTitle ? String(title) : documentId }
}

/** An added component: its defaults only. */
export function newComponent(attribute: Attribute, uid: string, reading: Reading): ComponentValue {
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

/** What a new entry begins with. */
export function newValues(attributes: Attributes, reading: Reading): Values {
  const defaults = Object.fromEntries(
    Object.entries(attributes).map(([name, one]) => [
      name,
      'default' in one ? one.default : undefined,
    ]),
  )
  return toFormValues(attributes, defaults, reading)
}

/** A copy of a component to stand beside it: new to the server, and so is all in it. */
export function copyComponent(value: ComponentValue, keys: KeyRing): ComponentValue {
  const { id: _, ...rest } = value
  const copied = Object.entries(rest).map(([name, held]) => [name, copyHeld(held, keys)])
  return { ...Object.fromEntries(copied), $key: keys.newKey() } as ComponentValue
}

function copyHeld(held: unknown, keys: KeyRing): unknown {
  if (isComponentValue(held)) return copyComponent(held, keys)
  if (Array.isArray(held)) return held.map((one) => copyHeld(one, keys))
  return held
}

export function isComponentValue(value: unknown): value is ComponentValue {
  return typeof value === 'object' && value !== null && '$key' in value
}

/** The uid of the component that a value of this attribute is. */
export function componentUid(attribute: Attribute, value: Data): string {
  return attribute.type === 'component' ? attribute.component : String(value['__component'])
}

/** A list as it is, one value as a list of it, nothing as none. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? (value as unknown[]) : [value]
}
