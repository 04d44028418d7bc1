import type { Attribute, Attributes, Components } from '../api/attributes.ts'
import { isDeepEqual } from './deep-equal.ts'
import { withoutTargetUrls } from './entry-target.ts'
import {
  type ComponentValue,
  componentUid,
  type FileValue,
  type LinkMove,
  type Links,
  listOf,
  type FormValues,
} from './values.ts'

/** Whether two values are the same to the server. Links and files compare by identity and order. */
export function isSameValue(
  attribute: Attribute,
  one: unknown,
  other: unknown,
  components: Components,
): boolean {
  if (one === other) return true
  switch (attribute.type) {
    case 'relation':
      return isSameList(linkIds(one), linkIds(other)) && isDeepEqual(movesOf(one), movesOf(other))
    case 'media':
      return isSameList(fileIds(one), fileIds(other))
    case 'component':
    case 'dynamiczone':
      return isSameComponents(attribute, one, other, components)
    case 'blocks':
      return isDeepEqual(withoutTargetUrls(one), withoutTargetUrls(other))
    default:
      return isDeepEqual(one, other)
  }
}

export function isSameEntry(
  attributes: Attributes,
  one: FormValues,
  other: FormValues,
  components: Components,
): boolean {
  return Object.entries(attributes).every(([name, attribute]) =>
    isSameValue(attribute, one[name], other[name], components),
  )
}

/** Compares keys as well, because two components with equal values are different components. */
function isSameComponents(
  attribute: Attribute,
  one: unknown,
  other: unknown,
  components: Components,
): boolean {
  const mine = listOf(one) as readonly ComponentValue[]
  const theirs = listOf(other) as readonly ComponentValue[]
  if (mine.length !== theirs.length) return false
  return mine.every((element, index) => {
    const beside = theirs[index]
    if (beside === undefined || element.$key !== beside.$key) return false
    const uid = componentUid(attribute, element)
    return isSameEntry(components.get(uid)?.attributes ?? {}, element, beside, components)
  })
}

export function linkIds(value: unknown): readonly string[] {
  const links = value as Links | null | undefined
  return links?.items.map(({ documentId }) => documentId) ?? []
}

function movesOf(value: unknown): readonly LinkMove[] {
  return (value as Links | null | undefined)?.moves ?? []
}

function fileIds(value: unknown): readonly string[] {
  return (listOf(value) as readonly FileValue[]).map(({ documentId }) => documentId)
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index])
}
