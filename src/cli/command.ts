import type { ParseArgsConfig } from 'node:util'
import type { UserManagement } from '../people/accounts/manage-users.ts'
import type { AdministratorsContext } from '../people/administrators/administrators.ts'
import type { Access } from '../people/access/access.ts'
import type { DocumentContext } from '../content/context.ts'
import type { ImportDestination, SourceImport } from '../transfer/import/import-from-source.ts'
import type { ApiFacts } from '../describe/openapi/describe-api.ts'
import type { Locales } from '../content/locales/locales.ts'
import type { MediaStores } from '../media/check-media.ts'
import type { Folders } from '../media/folders.ts'
import type { MediaStorage } from '../media/storage/storage.ts'
import type { Schema } from '../schema/plan.ts'
import type { WebhooksContext } from '../changes/webhooks/manage-webhooks.ts'
import type { TestParts } from '../changes/webhooks/test-webhook.ts'

/**
 * What the commands work on: the same objects as the management API, so that both keep the same rules. Each is
 * opened when it is asked for: opening may write the rows that exist from the start.
 */
export interface CommandContext {
  readonly access: () => Promise<Access>
  readonly locales: () => Promise<Locales>
  readonly users: () => Promise<UserManagement>
  readonly administrators: () => Promise<AdministratorsContext>
  /** Where browsers reach the server. */
  readonly publicUrl: string
  /** What there is to describe. */
  readonly api: () => Promise<ApiFacts>
  /** What content is read with. */
  readonly content: () => Promise<CommandContent>
  /** It may be on another machine. */
  readonly media: () => Promise<MediaStores>
  readonly webhooks: () => Promise<WebhookParts>
  /** Makes the commit log another one. */
  readonly restartLog: () => Promise<{ readonly log: string; readonly seq: number }>
  /**
   * What an import reads of this installation and writes to; a dry run has nothing to write to.
   * @throws ApplicationError unless indexes are what the content-types declare: no command changes them.
   */
  openImport(options: { readonly dryRun: boolean }): Promise<OpenedImport>
}

export interface CommandContent {
  readonly documents: DocumentContext
  readonly schema: Schema
}

/** To manage webhooks, and to try them. */
export interface WebhookParts extends WebhooksContext, TestParts {}

/** What imports work with. */
export interface OpenedImport extends Omit<SourceImport, 'source' | 'destination' | 'schema'> {
  readonly schema: Schema
  /** For a dry run to read with. */
  readonly documents: DocumentContext
  readonly destination: (ImportDestination & OpenedFiles) | null
  /** What one file may have. */
  readonly maxFileBytes: number
  /** Where the content-types are declared. */
  readonly contentTypesDir: string
}

interface OpenedFiles {
  readonly locales: Locales
  readonly storage: MediaStorage
  readonly folders: Folders
  /** Of files that are on their way. */
  readonly spoolFolder: string
}

/** What a command has to say: `--json` prints `data`, otherwise `text` is printed. */
export interface Report {
  readonly data: unknown
  readonly text: string
  /** The command did its work, but what it found is not as it should be: status 1. */
  readonly failed?: boolean
  /** What was done but is hardly meant; it goes to standard error, whatever is printed. */
  readonly warning?: string
}

/** Options by name as they were given; a command declares which, so that others are refused. */
export type OptionValues = Readonly<Record<string, unknown>>

export interface Command {
  /** The words after `quire`, such as `locale add <code> [--name <name>]`. */
  readonly usage: string
  readonly summary: string
  readonly options: NonNullable<ParseArgsConfig['options']>
  /** How many words it takes after its name. */
  readonly words: { readonly min: number; readonly max: number }
  run(context: CommandContext, words: readonly string[], options: OptionValues): Promise<Report>
}

/** A command line that cannot be understood; the message says what would be right. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UsageError'
  }
}

/** The nth word after a command; that it is there was checked by `words`. */
export function wordAt(words: readonly string[], index: number): string {
  const word = words[index]
  if (word === undefined) throw new UsageError('Missing argument')
  return word
}

export function textOption(options: OptionValues, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}
