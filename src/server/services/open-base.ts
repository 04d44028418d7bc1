import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Passwords } from '../../people/sign-in/passwords.ts'
import type { Config } from '../../base/config/config.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DocumentContext } from '../../content/context.ts'
import { type Locales, openLocales } from '../../content/locales/locales.ts'
import { type FileRecords, openFileRecords } from '../../media/file-records.ts'
import { type Folders, openFolders } from '../../media/folders.ts'
import { type ExtensionRegistry, withStoredTypes } from '../../extensions/extension-registry.ts'
import type { MediaStorage } from '../../media/storage/storage.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { type DatabaseOptions, openDatabase } from '../../mongo/connection/open-database.ts'
import { once } from '../../base/once.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { documentContext, processPasswords } from './document-context.ts'
import { assertNoCompaction } from '../../mongo/conversions/compaction-row.ts'
import { finishCompaction } from '../compaction/compact-schema.ts'
import { readLedger } from '../../mongo/system/schema-ledger.ts'
import { assertNoLocaleRename } from '../../mongo/conversions/locale-rename-row.ts'
import { revisionKeyOf } from './deployment-secret.ts'
import type { LoadedProject } from './load-schema.ts'
import { type EnteredSchema, enterSchema, readStoredNames } from './enter-schema.ts'
import { openStorage } from './open-storage.ts'

/** Services of the server, CLI commands and scripts. Functions open their service on the first call. */
export interface Base {
  readonly config: Config
  readonly schema: Schema
  readonly extensions: ExtensionRegistry
  readonly entered: EnteredSchema
  readonly database: Database
  readonly documents: DocumentContext
  readonly passwords: () => Passwords
  readonly locales: () => Promise<Locales>
  /** @throws ConfigError if the bucket is unreachable */
  readonly storage: () => Promise<MediaStorage>
  readonly folders: () => Promise<Folders>
  readonly fileType: ContentTypePlan
  readonly fileRecords: FileRecords
  /** On the same file system as the stored files, so that a rename suffices. */
  readonly spoolFolder: string
}

export interface BaseOptions {
  readonly config: Config
  readonly deployment: Pick<Deployment, 'uri'>
  readonly passwords?: Passwords
}

type MoreOptions = Pick<
  DatabaseOptions,
  | 'monitor'
  | 'onLostProcess'
  | 'transactionTimeoutMs'
  | 'conflictTimeoutMs'
  | 'startQueueTimeoutMs'
  | 'revisionKey'
  | 'processes'
>

/** On a busy machine, a start may wait for connections longer than a request. */
const START_QUEUE_TIMEOUT_MS = 30_000

/** After a killed command, MongoDB may keep its transaction for 60 s (`transactionLifetimeLimitSeconds`). */
export const CLI_TIMEOUTS: MoreOptions = {
  transactionTimeoutMs: 90_000,
  conflictTimeoutMs: 90_000,
  startQueueTimeoutMs: START_QUEUE_TIMEOUT_MS,
}

/** A server start stores new declarations. */
export const SERVER_START = { enters: true, startQueueTimeoutMs: START_QUEUE_TIMEOUT_MS } as const

/** Share of `SOCKET_TIMEOUT_MS`, so that a blocked write gets a response before its connection is closed. */
const WAITING_SHARE = 0.9

export function openDatabaseOf(
  { config, deployment }: BaseOptions,
  more: MoreOptions = {},
): Promise<Database> {
  const conflictTimeoutMs = WAITING_SHARE * config.http.connections.silenceTimeoutMs
  return openDatabase({ ...config.database, uri: deployment.uri, conflictTimeoutMs, ...more })
}

/** Unfinished work on all rows that a command continues. */
export type Continued = 'locale rename' | 'compaction'

interface Opening {
  /** Stores new declarations and finishes a compaction, like a server start. */
  readonly enters?: boolean
  readonly continues?: Continued
  readonly log?: Pick<Logger, 'info'>
}

/** @throws ConfigError, ServiceUnavailableError, SchemaError */
export async function openBase(
  options: BaseOptions,
  { definitions, extensions }: Pick<LoadedProject, 'definitions' | 'extensions'>,
  more: MoreOptions & Opening = {},
): Promise<Base> {
  const { enters = false, continues, log, ...connection } = more
  const isKeyed = definitions.contentTypes.some(({ adopt }) => adopt?.write === true)
  const keyed = isKeyed ? { revisionKey: await revisionKeyOf(options.config) } : {}
  const database = await openDatabaseOf(options, { ...connection, ...keyed })
  try {
    if (enters) await finishCompaction(database, (facts, message) => log?.info(facts, message))
    else {
      // Before the look at unfinished work, because such work looks for processes after its row is stored. A database
      // without a ledger has nothing to move, and a dry run must not create it.
      if ((await readLedger(database)).version > 0) await database.announce()
      await assertFinished(database, continues)
    }
    const entered = await (enters ? enterSchema : readStoredNames)(database, definitions)
    const registry = withStoredTypes(extensions, entered.definitions)
    const schema = compileSchema(entered.definitions, entered.storedNames, registry.computed)
    return openParts(options, { database, schema, extensions: registry, entered })
  } catch (error) {
    await database.close()
    throw error
  }
}

async function assertFinished(database: Database, continues?: Continued): Promise<void> {
  if (continues !== 'locale rename') await assertNoLocaleRename(database)
  if (continues !== 'compaction') await assertNoCompaction(database)
}

function openParts(
  { config, passwords: given }: BaseOptions,
  parts: Pick<Base, 'database' | 'schema' | 'extensions' | 'entered'>,
): Base {
  const { database, schema, extensions } = parts
  const passwords = given === undefined ? processPasswords : (): Passwords => given
  const documents = documentContext(database, schema, { passwords, extensions })
  const fileType = documents.contentType('plugin::upload.file')
  return {
    ...parts,
    config,
    documents,
    passwords,
    fileType,
    locales: once(() => openLocales(database)),
    storage: once(() => openStorage(config, database, extensions)),
    folders: once(() => openFolders(database, fileType, documents.now)),
    fileRecords: openFileRecords(database, fileType, documents),
    spoolFolder: join(config.dataDir, 'incoming'),
  }
}
