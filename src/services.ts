import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Access, openAccess } from './access/access.ts'
import { compileActions } from './access/actions.ts'
import { keptJwtSecret } from './access/jwt-secret.ts'
import { openMailer } from './accounts/open-mailer.ts'
import { type Accounts, openAccounts } from './accounts/open-accounts.ts'
import { openPasswords } from './accounts/passwords.ts'
import { openRateLimits, type RateLimits } from './access/rate-limit.ts'
import { openSessions } from './accounts/sessions.ts'
import { openUserTokens } from './accounts/user-tokens.ts'
import { openEndUsers, USER } from './accounts/users.ts'
import type { Config } from './config/config.ts'
import type { Deployment } from './deployment/deployment.ts'
import { judgeStandalone } from './deployment/refuse-standalone.ts'
import type { DocumentContext } from './documents/context.ts'
import {
  type IdempotentCreations,
  openIdempotentCreations,
} from './documents/write/idempotent-creation.ts'
import { type Locales, openLocales } from './locales/locales.ts'
import { ConfigError } from './errors.ts'
import { openGridFsStorage } from './media/storage/gridfs-storage.ts'
import { openLocalStorage } from './media/storage/local-storage.ts'
import { type Folders, openFolders } from './media/folders.ts'
import { clearSpool } from './media/receive-upload.ts'
import type { MediaStorage } from './media/storage/storage.ts'
import { adviseQueries, declaredIndexes } from './mongo/indexes/advise-queries.ts'
import { compileCollections } from './mongo/indexes/collection-plan.ts'
import { type CommandMonitor, createCommandMonitor } from './mongo/connection/command-monitor.ts'
import { type Database, openDatabase } from './mongo/connection/database.ts'
import type { ProcessRow } from './mongo/connection/process-sessions.ts'
import { readServerVersion, refusalOf } from './mongo/connection/server-version.ts'
import { findUnjoinable, unjoinableWarning } from './mongo/connection/sharded-joins.ts'
import { newDocumentId } from './mongo/versions/document-id.ts'
import { type ChangeClock, openChangeClock } from './mongo/commits/change-clock.ts'
import { type CommitLog, openCommitLog } from './mongo/commits/commit-log.ts'
import { openIdAllocator } from './mongo/system/id-allocator.ts'
import { watchQueries } from './mongo/observe/watch-queries.ts'
import { syncDrafts } from './mongo/indexes/sync-drafts.ts'
import { syncIndexes } from './mongo/indexes/sync-indexes.ts'
import { openPlanning, type Planning } from './planning/open-planning.ts'
import { ensureTrash } from './mongo/trash/trash-rows.ts'
import { syncReservations } from './mongo/indexes/sync-reservations.ts'
import { openPurger, type Purger } from './purges/purger.ts'
import { openWebhooks, type Webhooks } from './webhooks/open-webhooks.ts'
import { readVersion } from './config/version.ts'
import type { AdministratorsContext } from './administrators/administrators.ts'
import { openAdministrators } from './administrators/open-administrators.ts'
import type { ApiFacts } from './openapi/describe-api.ts'
import { compileQueries, type NamedQueries } from './query/named/compile-queries.ts'
import { compileSchema } from './schema/compile.ts'
import type { Definitions, Uid } from './schema/definition.ts'
import { editorsView } from './schema/editors-view.ts'
import { readDefinitions } from './schema/read-definitions.ts'
import { once } from './schema/once.ts'
import type { ContentTypePlan, Schema } from './schema/plan.ts'

export interface ServicesOptions {
  readonly config: Config
  readonly deployment: Pick<Deployment, 'uri'>
  readonly log: Logger
}

/** What stands between whoever works on content and the database: routes, commands, scripts. */
export interface Services {
  readonly schema: Schema
  /** What was declared, and as who writes content sees it. */
  readonly definitions: Definitions
  readonly queries: NamedQueries
  readonly editorsSchema: Schema
  readonly database: Database
  readonly access: Access
  readonly administrators: AdministratorsContext
  readonly accounts: Accounts
  readonly creations: IdempotentCreations
  /** Null where attempts are not counted. */
  readonly limits: RateLimits | null
  readonly locales: Locales
  readonly storage: MediaStorage
  readonly folders: Folders
  readonly monitor: CommandMonitor
  readonly commitLog: CommitLog
  /** What the log says has changed, for who keeps what was read. */
  readonly changes: ChangeClock
  readonly webhooks: Webhooks
  readonly purger: Purger
  readonly planning: Planning
  close(): Promise<void>
}

/** @throws SchemaError, for named queries too */
export async function loadSchema(contentTypesDir: string): Promise<Schema> {
  const schema = compileSchema(await readDefinitions(contentTypesDir))
  compileQueries(schema)
  return schema
}

/**
 * Everything but the routes: content-types compiled, database connected, indexes in place.
 * @throws SchemaError, ConfigError, ServiceUnavailableError
 */
export async function openServices({
  config,
  deployment,
  log,
}: ServicesOptions): Promise<Services> {
  const definitions = await readDefinitions(config.contentTypesDir)
  const schema = compileSchema(definitions)
  const queries = compileQueries(schema, config.api)
  for (const warning of schema.warnings) log.warn(warning)
  const monitor = createCommandMonitor(config.observe.commands)
  const database = await openDatabase({
    ...config.database,
    uri: deployment.uri,
    monitor,
    onLostProcess: reportLost(log),
  })
  try {
    assertTransactions(database, config, log)
    await assertVersion(database, schema, log)
    await database.announce() // what a lost process has locked may keep the indexes from being built
    await fitContent(database, schema, log)
    for (const advice of adviseQueries(queries, declaredIndexes(schema))) log.warn(advice)
    const who = await openAccessControl({ config, log }, schema, database)
    const files = documentContext(database, schema).contentType('plugin::upload.file')
    const beside = await openBeside(config, database, files)
    await clearSpool(spoolFolder(config), new Date())
    const parts = { ...beside, ...who, database, schema }
    const background = await startBackground({ config, log }, parts)
    const changes = openChangeClock(background.commitLog)
    const stats = watchQueries(database, monitor, schema, (err) => {
      log.debug({ err }, 'The statistics of queries could not be stored')
    })
    const close = async (): Promise<void> => {
      await Promise.all([who.access.close(), who.accounts.close(), stats?.close()])
      changes.close()
      await background.planning.close()
      await background.purger.close()
      await background.webhooks.close()
      await background.commitLog.close()
      await database.close()
    }
    const editorsSchema = compileSchema(editorsView(definitions))
    const opened = { ...who, ...beside, ...background, monitor, changes, close }
    return { schema, definitions, queries, editorsSchema, database, ...opened }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function openBeside(
  config: Config,
  database: Database,
  files: ContentTypePlan,
): Promise<Pick<Services, 'locales' | 'creations' | 'limits' | 'storage' | 'folders'>> {
  return {
    locales: await openLocales(database),
    creations: await openIdempotentCreations({ database, now }),
    limits: config.http.rateLimit ? await openRateLimits(database, now) : null,
    storage: await openStorage(config, database),
    folders: await openFolders(database, files, now),
  }
}

function reportLost(log: Logger): (lost: ProcessRow) => void {
  return ({ host, pid }) =>
    log.warn({ host, pid }, 'A process was lost: its transactions were ended')
}

/** Makes what is stored fit what is declared: a start alone does so. @throws SchemaError where that cannot be */
async function fitContent(database: Database, schema: Schema, log: Logger): Promise<void> {
  const plans = [...schema.contentTypes.values()]
  const { built, replaced, strays } = await syncIndexes(database, [
    ...compileCollections(schema).values(),
  ])
  if (built.length + replaced.length > 0) {
    log.info(`Indexes synced: ${built.length} built, ${replaced.length} replaced`)
    log.debug({ built, replaced }, 'Index changes')
  }
  for (const name of strays) log.warn(`Unknown index ${name} left untouched`)
  await syncReservations(database, plans)
  await ensureTrash(database)
  const drafts = await syncDrafts(database, openIdAllocator(database), plans, now)
  if (drafts > 0)
    log.info({ drafts }, 'Draft & publish was turned on: drafts of published entries were created')
}

/** The last to be opened: what works on its own from then on. */
async function startBackground(
  { config, log }: Pick<ServicesOptions, 'config' | 'log'>,
  parts: Pick<Services, 'database' | 'schema' | 'locales' | 'access' | 'administrators'>,
): Promise<Pick<Services, 'commitLog' | 'webhooks' | 'planning' | 'purger'>> {
  const { logRetentionDays: retentionDays, historyDays } = config.database
  const keeping = { retentionDays, historyDays, onBackgroundError: warnOf(log, 'The commit log') }
  const commitLog = await openCommitLog({ ...parts, ...keeping })
  const send = { ...config.webhooks, version: readVersion() }
  const onMissed = (missed: object): void => log.warn(missed, 'A webhook missed commits: too old')
  const telling = { send, bounds: config.api.answer, onBackgroundError: warnOf(log, 'Webhooks') }
  const webhooks = await openWebhooks({ ...parts, ...telling, onMissed, commitLog, now })
  const documents = documentContext(parts.database, parts.schema)
  const onBackgroundError = warnOf(log, 'Schedules')
  const planning = await openPlanning({ ...parts, documents, now, onBackgroundError })
  const purging = { ...config.cache, commitLog, now, onBackgroundError: warnOf(log, 'Purges') }
  return { commitLog, webhooks, planning, purger: await openPurger({ ...parts, ...purging }) }
}

function warnOf(log: Logger, what: string): (error: unknown) => void {
  return (err) => log.warn({ err }, `${what} could not be kept going`)
}

async function openAccessControl(
  { config, log }: Pick<ServicesOptions, 'config' | 'log'>,
  schema: Schema,
  database: Database,
): Promise<Pick<Services, 'access' | 'accounts' | 'administrators'>> {
  const { contentType, ids } = documentContext(database, schema)
  const secret = config.secrets.jwtSecret ?? (await keptJwtSecret(config.dataDir))
  const { emailConfirmation, sessions: lifespans } = config.endUsers
  const tokens = openUserTokens(secret, now, lifespans?.accessSeconds)
  const sessions =
    lifespans === null ? null : await openSessions({ db: database, secret, lifespans, now })
  const users = { db: database, plan: contentType(USER), ids, now }
  const onBackgroundError = warnOf(log, 'Background work')
  const actions = compileActions(schema)
  const { oidc, http } = config
  const kept = { passwords: passwords(), secret, publicUrl: http.publicUrl, oidc, now }
  const administrators = await openAdministrators({ db: database, actions, ...kept })
  const access = await openAccess(database, actions, {
    rootApiToken: config.secrets.rootApiToken,
    identifyPreview: (token) => administrators.previews.identify(token),
    users: openEndUsers({ ...users, tokens, sessions }),
    onBackgroundError,
  })
  const accounts = openAccounts({
    ...users,
    tokens,
    sessions,
    emailConfirmation,
    passwords: passwords(),
    roles: access.roles,
    mailer: await openMailer(config.mail, log),
    links: {
      resetPassword: config.mail.resetPasswordUrl,
      emailConfirmation: `${config.http.publicUrl}/api/auth/email-confirmation`,
    },
    onBackgroundError,
  })
  return { access, accounts, administrators }
}

/**
 * Where the bytes of files are kept. The SDK for s3 takes its time to load, and is only where it is used.
 * @throws ConfigError for a bucket that cannot be reached.
 */
export async function openStorage(
  { upload: { storage, s3 }, dataDir }: Config,
  database: Database,
): Promise<MediaStorage> {
  switch (storage) {
    case 'local':
      return openLocalStorage(join(dataDir, 'uploads'))
    case 'gridfs':
      return openGridFsStorage(database)
    case 's3': {
      if (s3 === null) throw new Error('readConfig gives what s3 needs')
      const { openS3Storage } = await import('./media/storage/s3-storage.ts')
      return openS3Storage(s3)
    }
  }
}

/** @throws ConfigError for a standalone mongod, unless it was accepted. */
function assertTransactions(database: Database, config: Config, log: Logger): void {
  const verdict = judgeStandalone(database.hasTransactions, config.database.allowStandalone)
  if (verdict.kind === 'refused') throw new ConfigError([verdict.why])
  if (verdict.kind === 'accepted') log.warn(verdict.why)
}

/**
 * Notes the collections that this MongoDB cannot join, too.
 * @throws ConfigError for a MongoDB that is too old.
 */
async function assertVersion(database: Database, schema: Schema, log: Logger): Promise<void> {
  const version = await readServerVersion(database)
  const refusal = refusalOf(version)
  if (refusal !== null) throw new ConfigError([refusal])
  const collections = [...schema.contentTypes.values()].map(({ collectionName }) => collectionName)
  const unjoinable = await findUnjoinable(database, version, collections)
  for (const name of unjoinable) database.unjoinable.add(name)
  if (unjoinable.length > 0) log.warn({ collections: unjoinable }, unjoinableWarning(version))
}

/** Beside the uploads, so that a file gets there by a rename. */
export function spoolFolder({ dataDir }: Config): string {
  return join(dataDir, 'incoming')
}

function now(): Date {
  return new Date()
}

/** One queue for all hashes of the process, of end users and of content. */
const passwords = once(() => openPasswords())

/** What descriptions of the API are made of. */
export async function apiFacts(
  { api, http, endUsers }: Config,
  schema: Schema,
  locales: Pick<Locales, 'current'>,
): Promise<ApiFacts> {
  return {
    ...api,
    schema,
    locales: await locales.current(),
    serverUrl: http.publicUrl,
    refresh: endUsers.sessions !== null,
  }
}

/** What operations on documents are given outside of tests: the clock, and ids by chance. */
export function documentContext(
  database: Database,
  { contentTypes }: Pick<Schema, 'contentTypes'>,
): DocumentContext {
  const contentType = (uid: Uid): ContentTypePlan => {
    const plan = contentTypes.get(uid)
    if (plan === undefined) throw new Error(`there is no content-type ${uid}`)
    return plan
  }
  return {
    database,
    ids: openIdAllocator(database),
    contentType,
    now,
    newDocumentId,
    hashPassword: (password) => passwords().hash(password),
  }
}
