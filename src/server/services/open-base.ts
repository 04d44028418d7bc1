import { join } from 'node:path'
import type { Passwords } from '../../people/accounts/passwords.ts'
import type { Config } from '../../base/config/config.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DocumentContext } from '../../content/context.ts'
import { type Locales, openLocales } from '../../content/locales/locales.ts'
import { type FileRecords, openFileRecords } from '../../media/file-records.ts'
import { type Folders, openFolders } from '../../media/folders.ts'
import type { MediaStorage } from '../../media/storage/storage.ts'
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from '../../mongo/connection/database.ts'
import { once } from '../../base/once.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { documentContext, processPasswords } from './document-context.ts'
import { openStorage } from './open-storage.ts'

/**
 * What every process opens: the server, a command, a script. What is a function is opened by its first call, once, so
 * that a command opens no more than it needs.
 */
export interface Base {
  readonly config: Config
  readonly schema: Schema
  readonly database: Database
  readonly documents: DocumentContext
  readonly passwords: () => Passwords
  readonly locales: () => Promise<Locales>
  /** @throws ConfigError for a bucket that cannot be reached */
  readonly storage: () => Promise<MediaStorage>
  readonly folders: () => Promise<Folders>
  readonly fileType: ContentTypePlan
  readonly fileRecords: FileRecords
  /** Where uploads lie until they are stored: beside the stored ones, which they join by a rename. */
  readonly spoolFolder: string
}

export interface BaseOptions {
  readonly config: Config
  readonly deployment: Pick<Deployment, 'uri'>
  /** Those of the process unless given. */
  readonly passwords?: Passwords
}

type MoreOptions = Pick<
  DatabaseOptions,
  'monitor' | 'onLostProcess' | 'transactionTimeoutMs' | 'conflictTimeoutMs'
>

/**
 * For a process that nobody waits for with a deadline: a command that was killed leaves a transaction that a database
 * may keep for 60 s (`transactionLifetimeLimitSeconds`), and the command that is run again waits for its end.
 */
export const PATIENT: MoreOptions = { transactionTimeoutMs: 90_000, conflictTimeoutMs: 90_000 }

/** Of SOCKET_TIMEOUT_MS, so that a write that waits in vain is answered before its connection is closed. */
const WAITING_SHARE = 0.9

/** The database of an installation, whatever is declared. @throws ConfigError, ServiceUnavailableError */
export function openDatabaseOf(
  { config, deployment }: BaseOptions,
  more: MoreOptions = {},
): Promise<Database> {
  const conflictTimeoutMs = WAITING_SHARE * config.http.connections.silenceTimeoutMs
  return openDatabase({ ...config.database, uri: deployment.uri, conflictTimeoutMs, ...more })
}

/** @throws ConfigError, ServiceUnavailableError */
export async function openBase(
  options: BaseOptions,
  schema: Schema,
  more: MoreOptions = {},
): Promise<Base> {
  const { config, passwords: given } = options
  const database = await openDatabaseOf(options, more)
  const passwords = given === undefined ? processPasswords : (): Passwords => given
  const documents = documentContext(database, schema, passwords)
  const fileType = documents.contentType('plugin::upload.file')
  return {
    config,
    schema,
    database,
    documents,
    passwords,
    fileType,
    locales: once(() => openLocales(database)),
    storage: once(() => openStorage(config, database)),
    folders: once(() => openFolders(database, fileType, documents.now)),
    fileRecords: openFileRecords(database, fileType, documents),
    spoolFolder: join(config.dataDir, 'incoming'),
  }
}
