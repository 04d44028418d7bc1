import { join } from 'node:path'
import type { Passwords } from '../../people/sign-in/passwords.ts'
import type { Config } from '../../base/config/config.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DocumentContext } from '../../content/context.ts'
import { type Locales, openLocales } from '../../content/locales/locales.ts'
import { type FileRecords, openFileRecords } from '../../media/file-records.ts'
import { type Folders, openFolders } from '../../media/folders.ts'
import type { MediaStorage } from '../../media/storage/storage.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { type DatabaseOptions, openDatabase } from '../../mongo/connection/open-database.ts'
import { once } from '../../base/once.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { documentContext, processPasswords } from './document-context.ts'
import { openStorage } from './open-storage.ts'

/**
 * Services of the server, CLI commands and scripts. Functions open their service on the first call.
 */
export interface Base {
  readonly config: Config
  readonly schema: Schema
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
  /** Defaults to the queue of the process. */
  readonly passwords?: Passwords
}

type MoreOptions = Pick<
  DatabaseOptions,
  'monitor' | 'onLostProcess' | 'transactionTimeoutMs' | 'conflictTimeoutMs'
>

/**
 * After a killed command, MongoDB may keep its transaction for 60 s
 * (`transactionLifetimeLimitSeconds`), and the next command must wait for that.
 */
export const PATIENT: MoreOptions = { transactionTimeoutMs: 90_000, conflictTimeoutMs: 90_000 }

/**
 * Share of `SOCKET_TIMEOUT_MS`, so that a blocked write gets a response before its connection is
 * closed.
 */
const WAITING_SHARE = 0.9

/** @throws ConfigError, ServiceUnavailableError */
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
