import {
  type ComponentValue,
  componentUid,
  isComponentValue,
  type KeyRing,
  listOf,
  type FormValues,
} from './values.ts'
import type { Conflict } from './merge.ts'
import type { Attributes, Components } from '../api/attributes.ts'

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

export interface KeptWork {
  readonly base: FormValues
  readonly mine: FormValues
  /** The undecided conflicts. `base` has the values of the other author. */
  readonly conflicts?: readonly Conflict[]
}

/**
 * The key includes the administrator, so that another one in the same browser does not see the
 * changes.
 */
export interface KeptFor {
  readonly administrator: string
  readonly uid: string
  readonly documentId: string | null
  readonly locale: string | null
  /** A new entry in a drawer; stored apart from a new entry on its own page. */
  readonly isAside?: boolean
}

function storageKeyOf({
  administrator,
  uid,
  documentId,
  locale,
  isAside = false,
}: KeptFor): string {
  const which = documentId ?? (isAside ? 'aside' : 'new')
  return ['quire.unsaved', administrator, uid, which, locale ?? ''].join(' ')
}

/** Null removes the stored changes. Returns false if the browser refuses to store them. */
export function keepWork(store: Store, of: KeptFor, work: KeptWork | null): boolean {
  try {
    if (work === null) store.removeItem(storageKeyOf(of))
    else store.setItem(storageKeyOf(of), JSON.stringify(work))
    return true
  } catch {
    return false // full or forbidden
  }
}

export function findKeptWork(store: Store, of: KeptFor): KeptWork | null {
  try {
    const kept = JSON.parse(store.getItem(storageKeyOf(of)) ?? 'null') as unknown
    return isKeptWork(kept) ? kept : null
  } catch {
    return null
  }
}

/** Gives components of the entry the keys that they had when the changes were stored. */
export function learnKeptKeys(
  attributes: Attributes,
  kept: FormValues,
  components: Components,
  keys: KeyRing,
): void {
  for (const [name, attribute] of Object.entries(attributes)) {
    if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') continue
    for (const element of (listOf(kept[name]) as readonly ComponentValue[]).filter(
      isComponentValue,
    )) {
      const uid = componentUid(attribute, element)
      if (element.id !== undefined) keys.learn(uid, element.id, element.$key)
      learnKeptKeys(components.get(uid)?.attributes ?? {}, element, components, keys)
    }
  }
}

function isKeptWork(kept: unknown): kept is KeptWork {
  if (!isObject(kept) || !isObject(kept['base']) || !isObject(kept['mine'])) return false
  const { conflicts = [] } = kept
  return Array.isArray(conflicts) && conflicts.every(isConflict)
}

function isConflict(one: unknown): boolean {
  if (!isObject(one) || !Array.isArray(one['address'])) return false
  return one['address'].every((step) => typeof step === 'string')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
