import type { Logger } from 'pino'
import { openRateLimits, type RateLimits } from '../../people/access/rate-limit.ts'
import {
  type IdempotentCreations,
  openIdempotentCreations,
} from '../../content/write/idempotent-creation.ts'
import type { DocumentContext } from '../../content/context.ts'
import type { Extension } from '../../extensions/extension.ts'
import type { RegisteredRoute } from '../../extensions/collect-routes.ts'
import type { ExtensionRegistry } from '../../extensions/extension-registry.ts'
import type { Locales } from '../../content/locales/locales.ts'
import type { TranslationService } from '../../content/translation/suggest-translations.ts'
import { type FileAddresses, openFileAddresses } from '../../media/file-addresses.ts'
import type { Folders } from '../../media/folders.ts'
import type { PrincipalSource } from '../../content/service/acting-principal.ts'
import { principalOfAdministrator } from '../../people/administrators/principals.ts'
import {
  compileRouteValidators,
  type RouteValidators,
} from '../../http/extensions/route-validators.ts'
import {
  type Followers,
  type FollowersOptions,
  openFollowers,
} from '../../changes/extensions/open-followers.ts'
import { guardContent } from '../../content/hooks/run-hooks.ts'
import { clearSpool } from '../../media/receive-upload.ts'
import type { MediaStorage } from '../../media/storage/storage.ts'
import { type ChangeClock, openChangeClock } from '../../mongo/commits/change-clock.ts'
import {
  type CommandMonitor,
  createCommandMonitor,
} from '../../mongo/connection/command-monitor.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { ProcessRow } from '../../mongo/connection/process-sessions.ts'
import { openPushClients, type PushClients } from '../../mongo/system/push-clients.ts'
import { adviseQueries, declaredIndexes } from '../../mongo/indexes/advise-queries.ts'
import {
  type Explainer,
  openExplainer,
  type QueryPlan,
} from '../../mongo/observe/explain-command.ts'
import { watchQueries } from '../../mongo/observe/watch-queries.ts'
import type { ObservedCommand } from '../../base/observed.ts'
import { compileQueries, type NamedQueries } from '../../query/named/compile-queries.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { Definitions } from '../../schema/definition.ts'
import { editorsView } from '../../schema/editors-view.ts'
import type { Schema } from '../../schema/plan.ts'
import { documentContext } from './document-context.ts'
import { planDeclarations, type SchemaPlan } from './plan-schema.ts'
import { assertDeployment, fitContent } from './fit-content.ts'
import { announceEntered } from './announce-entered.ts'
import { assertRulesAtStart } from './assert-rules-at-start.ts'
import { secretOf } from './deployment-secret.ts'
import { type AccessControl, openAccessControl } from './open-access-control.ts'
import { type Base, type BaseOptions, openBase, SERVER_START } from './open-base.ts'
import { type LoadedProject, loadProject } from './load-schema.ts'
import { extensionDatabase } from '../extensions/extension-database.ts'
import { hostExtensions } from '../extensions/host-extensions.ts'
import { openExtensionJobs } from '../extensions/open-jobs.ts'
import { startExtensions } from '../extensions/start-extensions.ts'
import { type Media, openMedia } from './open-media.ts'
import { openSearch } from './open-search.ts'
import { openTranslate } from './open-translate.ts'
import { reportFailedCall } from './report-failed-call.ts'
import { type Background, closeBackground, startBackground } from './start-background.ts'

export interface ServicesOptions extends BaseOptions {
  readonly log: Logger
  readonly extensions?: readonly Extension[] | undefined
}

export interface Services extends AccessControl, Background {
  readonly schema: Schema
  readonly definitions: Definitions
  readonly queries: NamedQueries
  readonly extensions: ExtensionRegistry
  readonly validators: ReadonlyMap<RegisteredRoute, RouteValidators>
  readonly editorsSchema: Schema
  readonly database: Database
  readonly documents: DocumentContext
  readonly editorsDocuments: DocumentContext
  readonly creations: IdempotentCreations
  readonly pushClients: PushClients
  readonly translation: TranslationService | null
  readonly limits: RateLimits | null
  readonly locales: Locales
  readonly storage: MediaStorage
  readonly media: Media
  readonly addresses: FileAddresses
  readonly folders: Folders
  readonly spoolFolder: string
  readonly monitor: CommandMonitor
  readonly changes: ChangeClock
  readonly release: OwnRelease
  /** @throws SchemaError for values that a start with these declarations would lose */
  /** @throws SchemaError for declarations that the next start would refuse */
  readonly planDeclarations: (definitions: Definitions) => Promise<SchemaPlan>
  /** Query plan of a slow command. Null if there is none. */
  readonly explain: (command: ObservedCommand) => Promise<QueryPlan | null>
  close(): Promise<void>
}

/** The declarations of this process. */
interface OwnRelease {
  /** Their first start, in milliseconds. */
  readonly at: number
  /** Names the running processes of other releases. */
  readonly findOthers: () => Promise<readonly string[]>
}

export async function openServices(options: ServicesOptions): Promise<Services> {
  const { config, log } = options
  const project = await loadProject(config.contentTypesDir, options.extensions)
  const validators = await checkLoaded(project, options)
  const monitor = createCommandMonitor(config.observe.commands)
  const onLostProcess = reportLost(log)
  const base = await openBase(options, project, { monitor, onLostProcess, log, ...SERVER_START })
  const { database, documents, schema, extensions, entered } = base
  logRenames(entered, log)
  try {
    const queries = compileQueries(schema, config.api)
    await assertDeployment(base, log)
    await assertRulesAtStart(base, queries, log)
    const assertValues = await announceEntered(base, log) // locks of a killed process may block the creation of indexes
    await database.clusterTime(false) // asks whether the database has one, so that no request does
    await fitContent(base, log)
    for (const advice of adviseQueries(queries, declaredIndexes(schema))) log.warn(advice)
    const control = await openAccessControl(base, log)
    const kept = { ...(await openAnswerCaches(base)), ...(await openProviders(base)) }
    await clearFiles(base, kept.media, log)
    openHostOf(base, control, log)
    const background = await startBackground(base, control, { ...kept, log })
    const changes = openChangeClock(background.commitLog)
    const { stats, explainer } = observeQueries(base, monitor, log)
    const running = await runExtensions(base, background, log)
    await assertValues()
    database.endStart()
    return {
      ...control,
      ...kept,
      ...background,
      schema,
      definitions: entered.definitions,
      queries,
      extensions,
      validators,
      ...declaredParts(base),
      database,
      documents,
      spoolFolder: base.spoolFolder,
      monitor,
      changes,
      explain: (command) => explainer.explain(command),
      close: () => closeAll({ ...control, ...background, stats, changes, database, running }),
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

function observeQueries(
  { database, schema }: Base,
  monitor: CommandMonitor,
  log: Logger,
): { readonly stats: ReturnType<typeof watchQueries>; readonly explainer: Explainer } {
  const explainer = openExplainer(database)
  const stats = watchQueries({ database, explainer }, monitor, schema, (err) => {
    log.debug({ err }, 'The statistics of queries could not be stored')
  })
  return { stats, explainer }
}

function logRenames({ renamedHolders, renamed }: Base['entered'], log: Logger): void {
  for (const renaming of renamedHolders) log.info(renaming, 'A type was renamed')
  for (const renaming of renamed) log.info(renaming, 'An attribute was renamed')
}

/** Finds faults before the database is opened. @throws SchemaError, ExtensionError */
async function checkLoaded(
  { schema, definitions, extensions }: LoadedProject,
  { config, log }: ServicesOptions,
): Promise<Services['validators']> {
  compileQueries(schema, config.api)
  for (const warning of definitions.warnings ?? []) log.warn(warning)
  return compileRouteValidators(extensions.routes)
}

async function clearFiles(
  { spoolFolder }: Base,
  { retired, trash }: Pick<Media, 'retired' | 'trash'>,
  log: Logger,
): Promise<void> {
  await clearSpool(spoolFolder, new Date())
  await trash.finish().catch((err: unknown) => {
    log.warn({ err }, 'The files of deleted records could not be moved')
  })
  await retired.finish().catch((err: unknown) => {
    log.warn({ err }, 'Files that no record uses could not be removed')
  })
}

async function stampedBy({
  access,
  administrators: { versionedCache },
}: AccessControl): Promise<ReadonlySet<string>> {
  const { stamped } = await versionedCache.current()
  return new Set([...(await access.stamped()), ...stamped])
}

function openHostOf(base: Base, control: AccessControl, log: Logger): void {
  const { access, administrators } = control
  base.documents.stamped?.readFrom(() => stampedBy(control))
  const principals: PrincipalSource = {
    access,
    principalOfAdministrator: (id) => principalOfAdministrator(administrators, id),
  }
  hostExtensions(
    base.extensions,
    { ...base, principals: () => Promise.resolve(principals) },
    reportFailedCall(log),
  )
}

function declaredParts({
  database,
  documents: { stamped },
  passwords,
  extensions,
  entered,
  schema,
}: Base): Pick<Services, 'editorsSchema' | 'editorsDocuments' | 'planDeclarations' | 'release'> {
  const editorsSchema = compileSchema(
    editorsView(entered.definitions),
    entered.storedNames,
    extensions.computed,
    schema.contentTypes,
  )
  const opened = documentContext(database, editorsSchema, { passwords, extensions })
  const editorsDocuments = { ...opened, ...(stamped !== undefined && { stamped }) }
  return {
    editorsSchema,
    editorsDocuments,
    planDeclarations: (definitions) => planDeclarations(database, definitions),
    release: {
      at: entered.releasedAt.getTime(),
      findOthers: () => database.findOtherReleases(entered.digest),
    },
  }
}

/** Calls `start` of the extensions, then runs their jobs and calls them after commits. @throws ExtensionError */
async function runExtensions(
  { database, documents, extensions, schema }: Base,
  { commitLog }: Pick<Background, 'commitLog'>,
  log: Logger,
): Promise<{ close(): Promise<void> }> {
  if (extensions.extensions.length === 0) return { close: () => Promise.resolve() }
  const collections = extensionDatabase(database, schema)
  const started = await startExtensions({ extensions, database: collections, log })
  const { now } = documents
  const jobs = await openExtensionJobs({ database, extensions, log, now })
  const followers = await followAs(extensions, { database, commitLog, now }, log)
  return {
    close: async () => {
      await followers.close()
      await jobs.close()
      await started.close()
    },
  }
}

function followAs(
  { afterCommit, host }: ExtensionRegistry,
  parts: Pick<FollowersOptions, 'database' | 'commitLog' | 'now'>,
  log: Logger,
): Promise<Followers> {
  return openFollowers({
    ...parts,
    extensions: { afterCommit },
    content: ({ extension, depth, signal }) =>
      guardContent(host.content({ extension, depth }), { signal, dryRun: false }),
    onFailure: ({ extension, type, error }) =>
      host.report({ extension, call: `afterCommit of ${type}`, requestId: null, error }),
    onMissed: (missed) =>
      log.warn(missed, 'An extension missed commits that the log no longer holds'),
    onBackgroundError: (err) => log.warn({ err }, 'Following the log for extensions failed'),
    times: host.followerTimes,
  })
}

async function openProviders(base: Base) {
  return { writer: await openSearch(base), translation: await openTranslate(base) }
}

async function openAnswerCaches(
  base: Base,
): Promise<
  Pick<
    Services,
    | 'locales'
    | 'creations'
    | 'pushClients'
    | 'limits'
    | 'storage'
    | 'media'
    | 'addresses'
    | 'folders'
  >
> {
  const { config, database, documents } = base
  const { now } = documents
  const storage = await base.storage()
  return {
    locales: await base.locales(),
    creations: await openIdempotentCreations({ database, now }),
    pushClients: await openPushClients(database, now, config.database.pushClientDays),
    limits: config.http.rateLimit ? await openRateLimits(database, now) : null,
    storage,
    media: await openMedia(base, storage),
    addresses: openFileAddresses({ secret: await secretOf(config), now, storage }),
    folders: await base.folders(),
  }
}

interface Opened extends AccessControl, Background {
  readonly running: { close(): Promise<void> }
  readonly stats: ReturnType<typeof watchQueries>
  readonly changes: ChangeClock
  readonly database: Database
}

async function closeAll(opened: Opened): Promise<void> {
  const { access, accounts, stats, changes, running, ...others } = opened
  await running.close()
  await Promise.all([access.close(), accounts.close(), stats?.close()])
  changes.close()
  await closeBackground(others)
  await others.database.close()
}

function reportLost(log: Logger): (lost: ProcessRow) => void {
  return ({ host, pid }) =>
    log.warn({ host, pid }, 'A process was lost: its transactions were ended')
}
