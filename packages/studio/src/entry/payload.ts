import type { Data } from './data.ts'
import {
  type Attribute,
  type Attributes,
  type Components,
  isComponentList,
  isToMany,
  type MediaAttribute,
  type RelationAttribute,
} from '../api/attributes.ts'
import { relationChange } from './relation-change.ts'
import { isSameValue } from './same-value.ts'
import {
  type ComponentValue,
  componentUid,
  type FileValue,
  type Links,
  listOf,
  NO_LINKS,
  type FormValues,
} from './values.ts'

/**
 * The `data` that turns `base` into `mine`. It has only the differences, so that two users can
 * change different attributes. Components that the server knows are sent with their id and their
 * differences.
 */
export function changedData(
  attributes: Attributes,
  base: FormValues,
  mine: FormValues,
  components: Components,
): Data {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, attribute]) => {
      if (attribute.writable === false) return []
      if (isSameValue(attribute, base[name], mine[name], components)) return []
      return [[name, changedValue(attribute, base[name], mine[name], components)]]
    }),
  )
}

/**
 * Every value of a new entry or component. Empty values are left out, so that the server's defaults
 * apply.
 */
function wholeData(attributes: Attributes, mine: FormValues, components: Components): Data {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, attribute]) => {
      if (attribute.writable === false) return []
      const value = changedValue(attribute, undefined, mine[name], components)
      const isEmptied = value === null && 'default' in attribute && attribute.default !== undefined
      return isEmpty(value) && !isEmptied ? [] : [[name, value]]
    }),
  )
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0)
}

function changedValue(
  attribute: Attribute,
  base: unknown,
  mine: unknown,
  components: Components,
): unknown {
  switch (attribute.type) {
    case 'media':
      return mediaData(attribute, mine)
    case 'relation':
      return relationData(attribute, base as Links | undefined, mine as Links | undefined)
    case 'component':
    case 'dynamiczone': {
      const known = listOf(base) as readonly ComponentValue[]
      const elements = (listOf(mine) as readonly ComponentValue[]).map((element) =>
        componentData(attribute, known, element, components),
      )
      return isComponentList(attribute) ? elements : (elements[0] ?? null)
    }
    default:
      return mine ?? null
  }
}

function mediaData({ multiple }: MediaAttribute, mine: unknown): unknown {
  const ids = (listOf(mine) as readonly FileValue[]).map(({ id }) => id)
  return multiple === true ? ids : (ids[0] ?? null)
}

function relationData(
  attribute: RelationAttribute,
  base: Links | undefined,
  mine: Links = NO_LINKS,
): unknown {
  const [one] = mine.items
  if (!isToMany(attribute)) return one === undefined ? null : { documentId: one.documentId }
  const change = relationChange(base ?? NO_LINKS, mine)
  return base === undefined && change.connect.length === 0 ? null : change
}

/** A component that the server does not have under this attribute is sent as a new one. */
function componentData(
  attribute: Attribute,
  known: readonly ComponentValue[],
  element: ComponentValue,
  components: Components,
): Data {
  const uid = componentUid(attribute, element)
  const attributes = components.get(uid)?.attributes ?? {}
  const named = attribute.type === 'dynamiczone' ? { __component: uid } : {}
  const before = known.find(({ $key }) => $key === element.$key)
  return before?.id === undefined
    ? { ...named, ...wholeData(attributes, element, components) }
    : { ...named, id: before.id, ...changedData(attributes, before, element, components) }
}
