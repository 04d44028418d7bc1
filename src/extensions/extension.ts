import type { Collection, Document } from 'mongodb'
import type { ComputedDefinition, Data, Uid } from '../schema/definition.ts'
import type { AfterCommit } from './commit-follower.ts'
import type { ContentService } from './content-service.ts'
import type { ExtensionJob } from './extension-job.ts'
import type { ExtensionLog } from './extension-log.ts'
import type { ExtensionRouter } from './extension-route.ts'
import type { ProjectTypes } from './project-types.ts'
import type { Providers } from './providers.ts'
import type { BeforeWrite } from './write-hook.ts'

export interface ContentTypeExtension<Entry = Data, Payload = Data> {
  /** Runs before each write through the API, the Studio and the CLI. */
  readonly beforeWrite?: BeforeWrite<Entry, Payload>
  /** Attributes by name. */
  readonly computed?: Readonly<Record<string, ComputedAttribute<Entry>>>
  readonly afterCommit?: AfterCommit
}

/** See `ComputedDefinition`. */
export interface ComputedAttribute<Entry = Data> extends Omit<
  ComputedDefinition,
  'from' | 'value'
> {
  readonly from: readonly (keyof Entry & string)[]
  value(from: Readonly<Entry>): unknown
}

type ContentTypeExtensions = keyof ProjectTypes extends never
  ? Readonly<Record<Uid, ContentTypeExtension>>
  : {
      readonly [Name in keyof ProjectTypes]?: ProjectTypes[Name] extends {
        readonly entry: infer Entry
        readonly payload: infer Payload
      }
        ? ContentTypeExtension<Entry, Payload>
        : never
    }

export interface StartEvent {
  readonly content: ContentService
  /** Collections of the project. Those of Quire and of content-types are refused. */
  readonly database: ExtensionDatabase
  readonly log: ExtensionLog
}

export interface ExtensionDatabase {
  /** A collection of the MongoDB driver. */
  collection<T extends Document = Document>(name: string): Collection<T>
}

/** Code of a project. It runs in the process of the server and is trusted. */
export interface Extension {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string
  /** By uid, such as `api::article.article`. */
  readonly contentTypes?: ContentTypeExtensions
  readonly providers?: Providers
  readonly jobs?: readonly ExtensionJob[]
  /** Called once, at the start of the server. */
  routes?(router: ExtensionRouter): void
  start?(event: StartEvent): void | Promise<void>
  /** Called when the server stops, in reverse order of the starts. */
  stop?(): void | Promise<void>
}

/** Returns the extension unchanged. TypeScript infers the types of its functions. */
export function defineExtension(extension: Extension): Extension {
  return extension
}
