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

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

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

/** Rows of earlier releases belong to no window. Their key ends before the name of the window. */
const NO_WINDOW = ''

function storageKeyOf(of: KeptFor, window: string): string {
  return window === NO_WINDOW ? entryKeyOf(of) : `${entryKeyOf(of)} ${window}`
}

function entryKeyOf({ administrator, uid, documentId, locale, isAside = false }: KeptFor): string {
  const which = documentId === null ? (isAside ? 'aside' : 'new') : encodeURIComponent(documentId)
  return ['quire.unsaved', administrator, uid, which, locale ?? ''].join(' ')
}

export interface WindowWork {
  readonly window: string
  readonly work: KeptWork | null
  /** In milliseconds since 1970. */
  readonly at: number
}

/**
 * Stores the changes of a window; null removes them. Returns false if the browser refuses to store
 * them.
 */
export function keepWork(store: Store, of: KeptFor, { window, work, at }: WindowWork): boolean {
  try {
    const key = storageKeyOf(of, window)
    if (work === null) store.removeItem(key)
    else store.setItem(key, JSON.stringify({ ...work, at }))
    return true
  } catch {
    return false // full or forbidden
  }
}

interface Taking {
  readonly window: string
  /** Open windows. Their changes stay with them. */
  readonly others: ReadonlySet<string>
  readonly at: number
}

/**
 * Moves the stored changes of closed windows into a window, and joins them with its own. If several
 * changed the same attribute, the changes of the window or else the newest are moved, and the others
 * remain for a later call. Changes of different new entries are not joined.
 */
export function takeKeptWork(
  store: Store,
  of: KeptFor,
  { window, others, at }: Taking,
): KeptWork | null {
  const found = storedWorks(store, of).filter((stored) => !others.has(stored.window))
  // The joined changes replace the row of the window.
  const own = found.filter((stored) => stored.window === window)
  const ordered = [...own, ...found.filter((stored) => stored.window !== window)]
  const taken = of.documentId === null ? ordered.slice(0, 1) : withoutOverlaps(ordered)
  if (taken.length === 0) return null
  const work = joinWorks(taken.map((one) => one.work))
  if (!keepWork(store, of, { window, work, at })) return work
  for (const one of taken) {
    if (one.window !== window) keepWork(store, of, { window: one.window, work: null, at })
  }
  return work
}

function withoutOverlaps(ordered: readonly StoredWork[]): readonly StoredWork[] {
  const taken: StoredWork[] = []
  const isTaken = (name: string): boolean => taken.some(({ work }) => name in work.mine)
  for (const stored of ordered) {
    if (!Object.keys(stored.work.mine).some(isTaken)) taken.push(stored)
  }
  return taken
}

function joinWorks(works: readonly KeptWork[]): KeptWork {
  const conflicts = works.flatMap((work) => work.conflicts ?? [])
  return {
    base: Object.assign({}, ...works.map(({ base }) => base)) as FormValues,
    mine: Object.assign({}, ...works.map(({ mine }) => mine)) as FormValues,
    ...(conflicts.length > 0 && { conflicts }),
  }
}

interface StoredWork extends WindowWork {
  readonly work: KeptWork
}

/** The newest comes first. */
function storedWorks(store: Store, of: KeptFor): readonly StoredWork[] {
  const start = entryKeyOf(of)
  try {
    return Array.from({ length: store.length }, (_, at) => store.key(at) ?? '')
      .filter((key) => key === start || key.startsWith(`${start} `))
      .flatMap((key) => {
        const stored = readWork(store.getItem(key))
        return stored === null ? [] : [{ window: key.slice(start.length + 1), ...stored }]
      })
      .toSorted((one, other) => other.at - one.at)
  } catch {
    return []
  }
}

function readWork(text: string | null): Omit<StoredWork, 'window'> | null {
  try {
    const read = JSON.parse(text ?? 'null') as unknown
    if (!isKeptWork(read)) return null
    const { at, ...work } = read as KeptWork & { readonly at?: unknown }
    return { work, at: typeof at === 'number' ? at : 0 }
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
