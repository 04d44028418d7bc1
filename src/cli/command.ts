import type { ParseArgsConfig } from 'node:util'
import type { Config } from '../base/config/config.ts'
import type { UserManagement } from '../people/accounts/manage-users.ts'
import type { AdministratorsContext } from '../people/administrators/administrators.ts'
import type { Access } from '../people/access/access.ts'
import type { DocumentContext } from '../content/context.ts'
import type { FileStore } from '../transfer/file-store.ts'
import type { ImportDestination, SourceImport } from '../transfer/import/import-from-source.ts'
import type { ApiFacts } from '../describe/openapi/describe-api.ts'
import type { Extension } from '../extensions/extension.ts'
import type { Locales } from '../content/locales/locales.ts'
import type { MediaStores } from '../media/check-media.ts'
import type { Folders } from '../media/folders.ts'
import type { MediaStorage } from '../media/storage/storage.ts'
import type { Deployment } from '../server/deployment/deployment.ts'
import type { Schema } from '../schema/plan.ts'
import type { LocaleRename, RenamedLocale } from '../server/locale-rename/rename-locale.ts'
import type { Compaction } from '../server/compaction/compact-schema.ts'
import type { Continued } from '../server/services/open-base.ts'
import type { SchemaPlan } from '../server/services/plan-schema.ts'
import type { WebhooksContext } from '../changes/webhooks/manage-webhooks.ts'
import type { TestParts } from '../changes/webhooks/test-webhook.ts'

export interface Installation {
  readConfig(): Config | Promise<Config>
  readExtensions(): Promise<readonly Extension[]>
  startDeployment(config: Config): Promise<Pick<Deployment, 'uri' | 'reason' | 'close'>>
}

/** The same objects as in the management API, so that both apply the same rules. */
export interface CommandContext {
  readonly access: () => Promise<Access>
  readonly locales: () => Promise<Locales>
  readonly users: () => Promise<UserManagement>
  readonly administrators: () => Promise<AdministratorsContext>
  readonly publicUrl: string
  readonly api: () => Promise<ApiFacts>
  readonly content: () => Promise<CommandContent>
  readonly media: () => Promise<MediaStores>
  readonly webhooks: () => Promise<WebhookParts>
  readonly planSchema: () => Promise<SchemaPlan>
  readonly compactSchema: (options: { readonly isPlan: boolean }) => Promise<Compaction>
  readonly renameLocale: (
    rename: LocaleRename,
    options: { readonly isPlan: boolean },
  ) => Promise<RenamedLocale>
  readonly restartLog: () => Promise<{ readonly log: string; readonly seq: number }>
  /** No destination in a dry run. @throws ApplicationError unless the indexes match */
  openImport(options: OpenImportOptions): Promise<OpenedImport>
}

export interface OpenImportOptions {
  readonly dryRun: boolean
  /** Creates collections and indexes if no server has ever started on the database. */
  readonly prepares?: boolean
}

export interface CommandContent {
  readonly documents: DocumentContext
  readonly schema: Schema
}

export interface WebhookParts extends WebhooksContext, TestParts {}

export interface OpenedImport extends Omit<SourceImport, 'source' | 'destination' | 'schema'> {
  readonly schema: Schema
  readonly documents: DocumentContext
  readonly destination: (ImportDestination & OpenedFiles) | null
  readonly maxFileBytes: number
  readonly contentTypesDir: string
}

interface OpenedFiles {
  readonly files: FileStore
  readonly locales: Locales
  readonly storage: MediaStorage
  readonly folders: Folders
  readonly spoolFolder: string
}

export interface Report {
  readonly data: unknown
  readonly text: string
  readonly failed?: boolean
  readonly warning?: string
}

/** Options by name. A command declares its options, and others are refused. */
export type OptionValues = Readonly<Record<string, unknown>>

export type Command = CommandWith<'nothing', Installation> | CommandWith<'database', CommandContext>

interface CommandWith<Needs, Context> {
  /** The words after `quire`, such as `locale add <code> [--name <name>]`. */
  readonly usage: string
  readonly summary: string
  /** The paragraph of `--help`, if it says more than the summary. */
  readonly help?: string
  readonly options: NonNullable<ParseArgsConfig['options']>
  readonly words: { readonly min: number; readonly max: number }
  readonly needs: Needs
  /** Works while this is unfinished. */
  readonly continues?: Continued
  run(context: Context, words: readonly string[], options: OptionValues): Promise<Report>
}

export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UsageError'
  }
}

export function wordAt(words: readonly string[], index: number): string {
  const word = words[index]
  if (word === undefined) throw new UsageError('Missing argument')
  return word
}

export function textOption(options: OptionValues, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}
