import {
  type Attribute,
  type Attributes,
  isComponentList,
  isNumberType,
  isToMany,
  type MediaAttribute,
  type RelationAttribute,
} from '../api/attributes.ts'
import type { Data } from './data.ts'
import { isLocation } from './location-value.ts'
import {
  type ComponentValue,
  componentUid,
  type FileValue,
  type FormValues,
  INITIAL_LINKS,
  isComponentValue,
  type Link,
  type Links,
  newComponentValue,
  type Reading,
} from './values.ts'

const KIND = 'quire.component'

const MAX_TEXT_LENGTH = 1_000_000
const MAX_DEPTH = 10
const MAX_ITEMS = 500

type ListAttribute = Extract<Attribute, { readonly type: 'component' | 'dynamiczone' }>

/** The text of a component in the clipboard. */
export function toClip(uid: string, value: ComponentValue): string {
  return JSON.stringify({ [KIND]: uid, value: withoutIdentity(value) })
}

/** Without keys, ids and passwords, which belong to one form and one entry. */
function withoutIdentity(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIdentity)
  if (!isComponentValue(value)) return value
  const { $key: _key, id: _id, ...rest } = value
  return Object.fromEntries(
    Object.entries(rest).map(([name, held]) => [name, withoutIdentity(held)]),
  )
}

/** The value does not fit the declaration. */
class Misfit extends Error {}

/** A new component for the attribute. Null if the text is none of its components, or does not fit the declaration. */
export function readClip(
  text: string,
  attribute: ListAttribute,
  reading: Reading,
): ComponentValue | null {
  if (text.length > MAX_TEXT_LENGTH) return null
  try {
    const { [KIND]: uid, value } = recordOf(JSON.parse(text) as unknown)
    return readComponent(attribute, uid, value, { reading, depth: 0 })
  } catch {
    return null
  }
}

interface Scope {
  readonly reading: Reading
  readonly depth: number
}

function readComponent(
  attribute: ListAttribute,
  uid: unknown,
  value: unknown,
  { reading, depth }: Scope,
): ComponentValue {
  const offered = attribute.type === 'component' ? [attribute.component] : attribute.components
  const name = offered.find((one) => one === uid)
  const attributes = reading.components.get(name ?? '')?.attributes
  if (name === undefined || attributes === undefined || depth > MAX_DEPTH) throw new Misfit()
  const { __component: _uid, ...given } = recordOf(value)
  const read = readValues(attributes, given, { reading, depth: depth + 1 })
  return { ...newComponentValue(attribute, name, reading), ...read }
}

function readValues(attributes: Attributes, given: Data, scope: Scope): FormValues {
  if (Object.keys(given).some((name) => !Object.hasOwn(attributes, name))) throw new Misfit()
  return Object.fromEntries(
    Object.entries(attributes)
      .filter(([name, one]) => Object.hasOwn(given, name) && isCopied(one))
      .map(([name, one]) => [name, readValue(one, given[name], scope)]),
  )
}

function isCopied({ type, writable }: Attribute): boolean {
  return type !== 'password' && writable !== false
}

function readValue(attribute: Attribute, value: unknown, scope: Scope): unknown {
  switch (attribute.type) {
    case 'media':
      return readFiles(attribute, value)
    case 'relation':
      return readLinks(attribute, value)
    case 'component':
    case 'dynamiczone':
      return readComponents(attribute, value, scope)
    default:
      if (value !== null && !fitsScalar(attribute, value)) throw new Misfit()
      return value
  }
}

function fitsScalar(attribute: Attribute, value: unknown): boolean {
  const { type } = attribute
  if (type === 'json') return true
  if (type === 'blocks') return Array.isArray(value)
  if (type === 'boolean') return typeof value === 'boolean'
  if (type === 'location') return isLocation(value)
  if (isNumberType(type)) return typeof value === 'number' || typeof value === 'string'
  if (type === 'enumeration') return attribute.enum?.some((one) => one === value) === true
  return typeof value === 'string'
}

function readComponents(attribute: ListAttribute, value: unknown, scope: Scope): unknown {
  const read = (one: unknown): ComponentValue =>
    readComponent(attribute, componentUid(attribute, recordOf(one)), one, scope)
  if (isComponentList(attribute)) return itemsOf(value).map(read)
  return value === null ? null : read(value)
}

function readLinks(attribute: RelationAttribute, value: unknown): Links {
  const { items, more } = recordOf(value)
  const most = isToMany(attribute) ? INITIAL_LINKS : 1
  const links = itemsOf(items).map((one): Link => {
    const { documentId, title } = recordOf(one)
    return { documentId: textOf(documentId), title: textOf(title) }
  })
  if (more !== false || links.length > most) throw new Misfit()
  return { items: links, more: false }
}

function readFiles({ multiple }: MediaAttribute, value: unknown): readonly FileValue[] {
  const files = itemsOf(value).map(readFile)
  if (files.length > 1 && multiple !== true) throw new Misfit()
  return files
}

function readFile(value: unknown): FileValue {
  const { id, documentId, name, url, mime, alternativeText = null, formats } = recordOf(value)
  if (!Number.isSafeInteger(id)) throw new Misfit()
  const thumbnail = formats === null || formats === undefined ? {} : recordOf(formats)['thumbnail']
  const small = thumbnail === undefined ? undefined : recordOf(thumbnail)['url']
  return {
    id: Number(id),
    documentId: textOf(documentId),
    name: textOf(name),
    url: addressOf(url),
    mime: textOf(mime),
    alternativeText: alternativeText === null ? null : textOf(alternativeText),
    ...(small !== undefined && { formats: { thumbnail: { url: addressOf(small) } } }),
  }
}

function addressOf(value: unknown): string {
  const text = textOf(value)
  if (!/^(?:https?:\/\/|\/(?!\/))/.test(text)) throw new Misfit()
  return text
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Misfit()
  return value
}

function itemsOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length > MAX_ITEMS) throw new Misfit()
  return value as readonly unknown[]
}

function recordOf(value: unknown): Data {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Misfit()
  return value as Data
}
