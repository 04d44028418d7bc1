import type { ComputedByType, ComputedDefinition, Definitions, Uid } from '../schema/definition.ts'
import { ExtensionError } from '../base/errors.ts'
import { checkExtensions } from './check-extensions.ts'
import { collectRoutes, type RegisteredRoute, routePermissionsOf } from './collect-routes.ts'
import type { AfterCommit } from './commit-follower.ts'
import type { ContentTypeExtension, Extension } from './extension.ts'
import { type ExtensionHost, openHost } from './extension-host.ts'
import type { ExtensionJob } from './extension-job.ts'
import { guardComputed } from './guard-computed.ts'
import type { MailProvider, StorageProvider } from './providers.ts'
import type { SearchProvider } from './search-provider.ts'
import type { TranslateProvider } from './translate-provider.ts'
import type { Registered, RegisteredHooks } from './write-hook.ts'

export interface RegisteredJob {
  readonly extension: string
  readonly job: ExtensionJob
}

/** All extensions of the process, by content-type, in the order of the configuration. */
export interface ExtensionRegistry extends RegisteredHooks {
  readonly extensions: readonly Extension[]
  readonly computed: ComputedByType
  readonly afterCommit: ReadonlyMap<Uid, readonly Registered<AfterCommit>[]>
  readonly jobs: readonly RegisteredJob[]
  readonly routes: readonly RegisteredRoute[]
  /** Actions of routes. Roles and tokens can be granted them. */
  readonly permissions: readonly string[]
  /** Null for the built-in provider, or for none. */
  readonly storage: Registered<() => StorageProvider | Promise<StorageProvider>> | null
  readonly mailer: Registered<() => MailProvider | Promise<MailProvider>> | null
  readonly search: Registered<() => SearchProvider | Promise<SearchProvider>> | null
  readonly translate: Registered<() => TranslateProvider | Promise<TranslateProvider>> | null
}

export const NO_EXTENSIONS: ExtensionRegistry = Object.freeze({
  extensions: [],
  beforeWrite: new Map(),
  computed: new Map(),
  afterCommit: new Map(),
  jobs: [],
  routes: [],
  permissions: [],
  host: openHost(),
  storage: null,
  mailer: null,
  search: null,
  translate: null,
})

export function registerExtensions(
  extensions: readonly Extension[],
  definitions: Definitions,
): ExtensionRegistry {
  if (extensions.length === 0) return NO_EXTENSIONS
  checkExtensions(extensions, definitions)
  const host = openHost()
  const { routes, faults } = collectRoutes(extensions, definitions)
  if (faults.length > 0) throw new ExtensionError(faults)
  return {
    extensions,
    beforeWrite: collect(extensions, ({ beforeWrite }) => beforeWrite),
    computed: collectComputed(extensions, host),
    afterCommit: collect(extensions, ({ afterCommit }) => afterCommit),
    jobs: extensions.flatMap(({ name, jobs = [] }) =>
      jobs.map((job) => ({ extension: name, job })),
    ),
    routes,
    permissions: routePermissionsOf(routes),
    host,
    storage: firstOf(extensions, ({ providers }) => providers?.storage),
    mailer: firstOf(extensions, ({ providers }) => providers?.mailer),
    search: firstOf(extensions, ({ providers }) => providers?.search),
    translate: firstOf(extensions, ({ providers }) => providers?.translate),
  }
}

/** Hooks and computed attributes of renamed content-types move to the uids of the database. */
export function withStoredTypes(
  registry: ExtensionRegistry,
  { contentTypes }: Definitions,
): ExtensionRegistry {
  const stored = new Map(
    contentTypes.flatMap(({ uid, declaredUid }): readonly (readonly [Uid, Uid])[] =>
      declaredUid === undefined ? [] : [[declaredUid, uid]],
    ),
  )
  if (stored.size === 0) return registry
  const declaredOf = new Map([...stored].map(([declared, uid]) => [uid, declared]))
  const byStored = <T>(byType: ReadonlyMap<Uid, T>): ReadonlyMap<Uid, T> =>
    new Map([...byType].map(([uid, one]) => [stored.get(uid) ?? uid, one]))
  const { beforeWrite, computed, afterCommit } = registry
  return {
    ...registry,
    beforeWrite: byStored(beforeWrite),
    computed: byStored(computed),
    afterCommit: byStored(
      new Map(
        [...afterCommit].map(([uid, all]) => [uid, all.map((one) => named(one, declaredOf))]),
      ),
    ),
  }
}

/** The event names content-types as the project declares them. */
function named(
  { extension, run }: Registered<AfterCommit>,
  declaredOf: ReadonlyMap<Uid, Uid>,
): Registered<AfterCommit> {
  const renamed = <T extends { readonly contentType: Uid }>(one: T): T => {
    return { ...one, contentType: declaredOf.get(one.contentType) ?? one.contentType }
  }
  return {
    extension,
    run: (event) => run(renamed({ ...event, changes: event.changes.map(renamed) })),
  }
}

function typesOf({
  contentTypes = {},
}: Extension): readonly (readonly [Uid, ContentTypeExtension])[] {
  return Object.entries(contentTypes)
}

function firstOf<T>(
  extensions: readonly Extension[],
  pick: (extension: Extension) => T | undefined,
): Registered<T> | null {
  for (const extension of extensions) {
    const run = pick(extension)
    if (run !== undefined) return { extension: extension.name, run }
  }
  return null
}

function collect<T>(
  extensions: readonly Extension[],
  pick: (members: ContentTypeExtension) => T | undefined,
): ReadonlyMap<Uid, readonly Registered<T>[]> {
  const byType = new Map<Uid, Registered<T>[]>()
  for (const extension of extensions) {
    for (const [uid, members] of typesOf(extension)) {
      const run = pick(members)
      if (run === undefined) continue
      const registered = byType.get(uid) ?? []
      byType.set(uid, registered)
      registered.push({ extension: extension.name, run })
    }
  }
  return byType
}

function collectComputed(extensions: readonly Extension[], host: ExtensionHost): ComputedByType {
  const byType = new Map<Uid, Map<string, ComputedDefinition>>()
  for (const extension of extensions) {
    for (const [uid, { computed = {} }] of typesOf(extension)) {
      const attributes = byType.get(uid) ?? new Map<string, ComputedDefinition>()
      if (Object.keys(computed).length > 0) byType.set(uid, attributes)
      for (const [name, definition] of Object.entries(computed)) {
        const place = { extension: extension.name, uid, name }
        attributes.set(name, guardComputed(place, definition, host))
      }
    }
  }
  return byType
}
