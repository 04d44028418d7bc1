import type { KeptWork } from './autosave.ts'
import {
  type ComponentValue,
  componentUid,
  isComponentValue,
  type KeyRing,
  listOf,
  type Values,
} from './values.ts'
import type { Attributes, Components } from './declaration.ts'

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Of whom and of which entry it is: nobody finds another person's work in a browser that both use. */
export interface KeptFor {
  readonly administrator: string
  readonly uid: string
  readonly documentId: string | null
  readonly locale: string | null
}

function nameOf({ administrator, uid, documentId, locale }: KeptFor): string {
  return ['quire.unsaved', administrator, uid, documentId ?? 'new', locale ?? ''].join(' ')
}

/** Keeps what is not at the server yet; null says that there is nothing. False where the browser does not take it. */
export function keepWork(store: Store, of: KeptFor, work: KeptWork | null): boolean {
  try {
    if (work === null) store.removeItem(nameOf(of))
    else store.setItem(nameOf(of), JSON.stringify(work))
    return true
  } catch {
    return false // full, or forbidden
  }
}

/** What was kept of an entry; null where there is nothing that can be read. */
export function findKeptWork(store: Store, of: KeptFor): KeptWork | null {
  try {
    const kept = JSON.parse(store.getItem(nameOf(of)) ?? 'null') as KeptWork | null
    return kept !== null && isObject(kept.base) && isObject(kept.mine) ? kept : null
  } catch {
    return null
  }
}

/** Components that were kept with an id are those of the entry, under the keys that they had. */
export function learnKeptKeys(
  attributes: Attributes,
  kept: Values,
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

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
