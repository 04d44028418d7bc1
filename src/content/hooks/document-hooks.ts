import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { WriteVerb } from '../write-rules.ts'

export interface HookedWrite {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly key: VersionKey
  readonly operation: WriteVerb | 'unpublish'
  readonly origin: WriteOrigin
  /** Undefined if it was not read. See `readIfAsked`. */
  readonly previous: StoredVersion | null | undefined
  readonly dryRun?: boolean
}

export interface HookDataOptions {
  /** Whether defaults and generated values complete the data, as for a new version. */
  readonly fill: boolean
  readonly isTrusted?: boolean
}

/** The hooks of a content-type. Call them without locks and queue slots. */
export interface WriteHooks {
  /** Returns the data to write. @throws ValidationError, ExtensionFailedError, ServiceUnavailableError */
  hookData(write: HookedWrite, data: unknown, options: HookDataOptions): Promise<Data>
  /** For operations without data. @throws like `hookData` */
  assertAccepted(write: HookedWrite): Promise<void>
  /** Reads the stored version only if a hook asks for it, and then for every later call. */
  readIfAsked<T>(work: (isRead: boolean) => Promise<T>): Promise<T>
}

export interface DocumentHooks {
  readonly isEmpty: boolean
  /** Null for content-types without hooks. */
  of(plan: ContentTypePlan): WriteHooks | null
}

export function hooksOf(
  { hooks }: { readonly hooks?: DocumentHooks | undefined },
  plan: ContentTypePlan,
): WriteHooks | null {
  return hooks?.of(plan) ?? null
}
