import type { Page } from '../collection.ts'
import type { Call } from '../call.ts'
import { loadingUploads } from '../uploads/load-uploads.ts'
import type { ContentPlan, SyncedContent, SyncName, TypePlan } from './content-plan.ts'
import { type FileQueue, FILE_TYPE, openFileQueue } from './file-queue.ts'
import { type Following, openFollowing } from './follow-changes.ts'
import { type HeldCopy, openHeldCopy } from './held-copy.ts'
import { type Outbox, openOutbox } from './outbox.ts'
import { openSingleWrites, openWrites, type OutboxControls, withOutbox } from './outbox-controls.ts'
import { openPusher } from './push-changes.ts'
import type { QueryContext } from './query-context.ts'
import { type AnyQuery, getEntry, runQuery } from './run-query.ts'
import { openShownTables } from './shown-tables.ts'
import type { StoreStorage } from './storage.ts'
import type { Store, StoreControls, SyncFilters } from './store-types.ts'
import { readLines, toCommitStep } from './sync-page.ts'
import { openFileOutbox } from './upload-files.ts'
import { openTables, recordReads } from './tables.ts'

export interface StoreOptions<
  C extends SyncedContent,
  Name extends SyncName<C>,
  Locale extends C['locales'],
  Version extends 'draft' | 'published' | undefined = 'draft' | 'published' | undefined,
> {
  /** The plan that `quire client ts` generates. */
  readonly content: ContentPlan<C>
  /** Sends requests with the session of the user: the result of `createClient`. */
  readonly client: { readonly $send: (call: Call) => Promise<unknown> }
  /** The content-types to hold, by the name in their path. `$files` are the files. */
  readonly types: readonly Name[]
  /** One or several locales. Queries use the first by default. */
  readonly locale: Locale | readonly [Locale, ...Locale[]]
  readonly storage: StoreStorage
  /** Drafts need their own permission. @default published */
  readonly status?: Version
  /** The documentId of the signed-in user. Without it the store is for reading only. */
  readonly user?: string
  /** Limits the entries of a type, by its own attributes. */
  readonly filters?: SyncFilters<C, Name>
  /** Items per page, 1 to 1,000. @default 500 */
  readonly limit?: number
  /** Loads the output of `quire snapshot` for the same types and locales into an empty store. */
  readonly snapshot?: () => Promise<string>
  /** Milliseconds after the first failure. Doubles after each further failure. @default 1,000 */
  readonly pauseMs?: number
}

/**
 * The content of the last session. `$sync` or `$follow` updates it.
 * @throws the error of the storage if it is not readable; Error if it has changes of another user
 */
export async function createStore<
  C extends SyncedContent,
  const Name extends SyncName<C>,
  const Locale extends C['locales'],
  const Version extends 'draft' | 'published' | undefined = undefined,
>(options: StoreOptions<C, Name, Locale, Version>): Promise<Store<C, Name, Locale, Version>> {
  const { content, storage, snapshot, client, pauseMs = 1_000 } = options
  const plans = plansOf(content, options.types)
  const locales = typeof options.locale === 'string' ? [options.locale] : options.locale
  const [locale = ''] = locales
  const { tables, outbox, files, copy, scope } = await openCopy(options, plans, locales)
  const { user, status = 'published' } = options
  assertUser(outbox, files, user)
  const { parts } = storage
  const send = loadingUploads((call) => client.$send(call), user)
  const showsFiles = Object.values(plans).some(({ name }) => name === FILE_TYPE)
  const pusher = openPusher({ send, copy, outbox, files, parts, showsFiles, tables, status })
  const source = { send, scope, outbox, files }
  const following = openFollowing(source, copy, pusher, { name: storage.name, pauseMs })
  if (snapshot !== undefined && copy.mark().version === 0) {
    await unpack(copy, snapshot, plans).catch(following.failed)
  }
  const plan = { ...content, types: plans }
  const reach: QueryContext = { plan, tables }
  const now = (): Date => new Date()
  const writes = { plan, tables, outbox, files, copy, user, status, now }
  const types = Object.entries(plans).map(([name, { kind, name: type }]) => {
    if (kind === 'single') {
      return [
        name,
        { ...openSingle(reach, name, locale), ...openSingleWrites(writes, name, locale) },
      ]
    }
    const reads = openType(reach, copy, { name, locale })
    return [name, type === FILE_TYPE ? reads : { ...reads, ...openWrites(writes, name, locale) }]
  })
  const byName = Object.fromEntries(types) as Readonly<Record<string, object>>
  const uploads = openFileOutbox({ files, copy, user, storage, now })
  // Assigned to the object with the getter: a spread would evaluate it.
  const $files = Object.assign(uploads, byName['$files'])
  const store = { ...byName, $files, ...controlsOf(copy, following) }
  return withOutbox(store, writes) as unknown as Store<C, Name, Locale, Version>
}

async function openCopy(
  options: Pick<StoreOptions<SyncedContent, never, never>, 'storage' | 'status' | 'limit'>,
  plans: Readonly<Record<string, TypePlan>>,
  locales: readonly string[],
) {
  const { storage, status = 'published' } = options
  const tables = storage.openTables?.(plans) ?? openTables(plans)
  const outbox = openOutbox()
  const files = openFileQueue()
  const scope = scopeOf(options, plans, locales)
  const shown = openShownTables(plans, tables, { outbox, files }, status)
  const copy = await openHeldCopy(storage, shown, JSON.stringify(scope))
  return { tables, outbox, files, copy, scope }
}

/** @throws Error */
function assertUser(outbox: Outbox, files: FileQueue, user: string | undefined): void {
  const owners = files.list().map((file) => file.user)
  const state = outbox.state()
  if (state !== null) owners.push(state.user)
  if (user === undefined || owners.every((owner) => owner === user)) return
  throw new Error('The storage has changes of another user. Give each user a storage of their own')
}

/** @throws Error if the content has no type of that name */
function plansOf(
  { types }: ContentPlan<SyncedContent>,
  names: readonly string[],
): Readonly<Record<string, TypePlan>> {
  return Object.fromEntries(
    names.map((name) => {
      const plan = types[name]
      if (plan === undefined) throw new Error(`types: there is no ${name}`)
      return [name, plan]
    }),
  )
}

function scopeOf(
  {
    status,
    filters = {},
    limit,
  }: {
    readonly status?: string | undefined
    readonly filters?: Readonly<Record<string, unknown>>
    readonly limit?: number
  },
  plans: Readonly<Record<string, TypePlan>>,
  locales: readonly string[],
): Readonly<Record<string, unknown>> {
  const named = Object.entries(plans)
  return {
    types: named.map(([, { name }]) => name).join(','),
    locale: locales.join(','),
    status,
    limit,
    fields: Object.fromEntries(named.map(([, { name, fields }]) => [name, fields])),
    filters: Object.fromEntries(named.map(([path, { name }]) => [name, filters[path]])),
  }
}

/** @throws Error if the snapshot is invalid or has other types */
async function unpack(
  copy: HeldCopy,
  snapshot: () => Promise<string>,
  plans: Readonly<Record<string, TypePlan>>,
): Promise<void> {
  const page = readLines(await snapshot())
  const known = new Set(Object.values(plans).map(({ name }) => name))
  const strange = page.items.find(({ type }) => !known.has(type))
  if (strange !== undefined)
    throw new Error(`The snapshot holds ${strange.type}, the store does not`)
  const held = copy.mark()
  await copy.commit(held, () => toCommitStep(page, held))
}

function openSingle(reach: QueryContext, name: string, usual: string) {
  return {
    get: ({ locale = usual, ...query }: AnyQuery = {}) => {
      const { entries } = runQuery(reach, name, { ...query, locale }, usual)
      return entries[0] ?? null
    },
  }
}

function openType(
  reach: QueryContext,
  copy: HeldCopy,
  { name, locale: usual }: { readonly name: string; readonly locale: string },
) {
  const query = (asked: AnyQuery = {}): Page<object> => runQuery(reach, name, asked, usual)
  return {
    query,
    get: (documentId: string, { locale = usual, ...query }: AnyQuery = {}) =>
      getEntry(reach, name, documentId, { locale, query }),
    subscribe: (asked: AnyQuery, listener: (page: Page<object>) => void) => {
      let read: Set<string>
      const watch = (): Page<object> => {
        read = new Set([name])
        return runQuery({ ...reach, tables: recordReads(reach.tables, read) }, name, asked, usual)
      }
      watch()
      return copy.onChange((touched) => {
        if ([...touched].some((one) => read.has(one))) listener(watch())
      })
    },
  }
}

function controlsOf(
  copy: HeldCopy,
  following: Following,
): Omit<StoreControls, '$files' | keyof OutboxControls> {
  const closed = new AbortController()
  return {
    $status: () => following.status(),
    $sync: (signal) => following.sync(signal),
    $follow: () => {
      const stop = new AbortController()
      const end = (): void => stop.abort()
      closed.signal.addEventListener('abort', end)
      void following.follow(stop.signal).catch(following.failed)
      return end
    },
    $subscribe: (listener) => copy.onChange(listener),
    $close: async () => {
      closed.abort()
      await copy.close()
    },
  }
}
