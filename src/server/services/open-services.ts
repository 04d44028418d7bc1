import type { Logger } from 'pino'
import { openRateLimits, type RateLimits } from '../../people/access/rate-limit.ts'
import {
  type IdempotentCreations,
  openIdempotentCreations,
} from '../../content/write/idempotent-creation.ts'
import type { DocumentContext } from '../../content/context.ts'
import type { Locales } from '../../content/locales/locales.ts'
import type { Folders } from '../../media/folders.ts'
import { clearSpool } from '../../media/receive-upload.ts'
import type { MediaStorage } from '../../media/storage/storage.ts'
import { type ChangeClock, openChangeClock } from '../../mongo/commits/change-clock.ts'
import {
  type CommandMonitor,
  createCommandMonitor,
} from '../../mongo/connection/command-monitor.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { ProcessRow } from '../../mongo/connection/process-sessions.ts'
import { adviseQueries, declaredIndexes } from '../../mongo/indexes/advise-queries.ts'
import { explainCommand, type QueryPlan } from '../../mongo/observe/explain-command.ts'
import { watchQueries } from '../../mongo/observe/watch-queries.ts'
import type { ObservedCommand } from '../../base/observed.ts'
import { compileQueries, type NamedQueries } from '../../query/named/compile-queries.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { Definitions } from '../../schema/definition.ts'
import { editorsView } from '../../schema/editors-view.ts'
import type { Schema } from '../../schema/plan.ts'
import { readDefinitions } from '../../schema/read-definitions.ts'
import { documentContext } from './document-context.ts'
import { assertDeployment, fitContent } from './fit-content.ts'
import { type AccessControl, openAccessControl } from './open-access-control.ts'
import { type Base, type BaseOptions, openBase } from './open-base.ts'
import { type Media, openMedia } from './open-media.ts'
import { type Background, closeBackground, startBackground } from './start-background.ts'

export interface ServicesOptions extends BaseOptions {
  readonly log: Logger
}

export interface Services extends AccessControl, Background {
  readonly schema: Schema
  /** `editorsSchema` is their schema as editors see it. */
  readonly definitions: Definitions
  readonly queries: NamedQueries
  readonly editorsSchema: Schema
  readonly database: Database
  readonly documents: DocumentContext
  /** For the schema of editors. */
  readonly editorsDocuments: DocumentContext
  readonly creations: IdempotentCreations
  /** Null if rate limits are disabled. */
  readonly limits: RateLimits | null
  readonly locales: Locales
  readonly storage: MediaStorage
  readonly media: Media
  readonly folders: Folders
  readonly spoolFolder: string
  readonly monitor: CommandMonitor
  /** Reports changes from the commit log to caches. */
  readonly changes: ChangeClock
  /** Query plan of a slow command. Null if there is none. */
  readonly explain: (command: ObservedCommand) => Promise<QueryPlan | null>
  close(): Promise<void>
}

/**
 * Opens the services in stages: base, migration of content, caches and media, access, background
 * work.
 * @throws SchemaError, ConfigError, ServiceUnavailableError
 */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { config, log } = options
  const definitions = await readDefinitions(config.contentTypesDir)
  const schema = compileSchema(definitions)
  const queries = compileQueries(schema, config.api)
  for (const warning of schema.warnings) log.warn(warning)
  const monitor = createCommandMonitor(config.observe.commands)
  const base = await openBase(options, schema, { monitor, onLostProcess: reportLost(log) })
  const { database, documents } = base
  try {
    await assertDeployment(base, log)
    await database.announce() // locks of a killed process may block the creation of indexes
    await fitContent(base, log)
    for (const advice of adviseQueries(queries, declaredIndexes(schema))) log.warn(advice)
    const control = await openAccessControl(base, log)
    const kept = await openAnswerCaches(base)
    await clearSpool(base.spoolFolder, new Date())
    const background = await startBackground(base, control, { ...kept, log })
    const changes = openChangeClock(background.commitLog)
    const stats = watchQueries(database, monitor, schema, (err) => {
      log.debug({ err }, 'The statistics of queries could not be stored')
    })
    const editorsSchema = compileSchema(editorsView(definitions))
    const editorsDocuments = documentContext(database, editorsSchema, base.passwords)
    return {
      ...control,
      ...kept,
      ...background,
      schema,
      definitions,
      queries,
      editorsSchema,
      database,
      documents,
      editorsDocuments,
      spoolFolder: base.spoolFolder,
      monitor,
      changes,
      explain: (command) => explainCommand(database, command),
      close: () => closeAll({ ...control, ...background, stats, changes, database }),
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function openAnswerCaches(
  base: Base,
): Promise<Pick<Services, 'locales' | 'creations' | 'limits' | 'storage' | 'media' | 'folders'>> {
  const { config, database, documents } = base
  const { now } = documents
  const storage = await base.storage()
  return {
    locales: await base.locales(),
    creations: await openIdempotentCreations({ database, now }),
    limits: config.http.rateLimit ? await openRateLimits(database, now) : null,
    storage,
    media: openMedia(base, storage),
    folders: await base.folders(),
  }
}

interface Opened extends AccessControl, Background {
  readonly stats: ReturnType<typeof watchQueries>
  readonly changes: ChangeClock
  readonly database: Database
}

async function closeAll({ access, accounts, stats, changes, ...others }: Opened): Promise<void> {
  await Promise.all([access.close(), accounts.close(), stats?.close()])
  changes.close()
  await closeBackground(others)
  await others.database.close()
}

function reportLost(log: Logger): (lost: ProcessRow) => void {
  return ({ host, pid }) =>
    log.warn({ host, pid }, 'A process was lost: its transactions were ended')
}
