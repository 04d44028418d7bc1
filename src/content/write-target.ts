import type { Session } from '../mongo/connection/database.ts'
import type { VersionKey } from '../query/query.ts'
import type { Uid } from '../schema/definition.ts'
import type { WriteOrigin } from '../mongo/connection/authorship.ts'
import type { StoredVersion } from '../mongo/versions/stored-version.ts'
import type { WriteItem } from '../mongo/write/write-path.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import type { WritePermit, WriteRules } from './write-rules.ts'

export type FilledUids = 'required' | 'all'

export interface Writer {
  /** Content-types that the principal cannot read are rejected as targets. */
  mayRead(uid: Uid): boolean
  /** Private files that the principal cannot see are treated as missing. If absent, it sees none. */
  maySeePrivate?(file: { readonly uploadedBy?: string | null }): boolean
  /** The requested or default locale, for owners that are written through an inverse side without locales. */
  readonly locale: string
  /** The permissions of the principal. Absent for writers that may do everything. */
  readonly rules?: WriteRules
}

export type Revisions = ReadonlySet<string> | '*'

/** Null means no condition. */
export interface WriteCondition {
  readonly match: Revisions | null
  readonly noneMatch: Revisions | null
}

export interface WriteTarget {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly key: VersionKey
  readonly writer: Writer
  readonly condition?: WriteCondition | undefined
  /** The data was stored before, so it may include attributes that clients cannot write. */
  readonly isTrusted?: boolean
  /** The document whose links to entries the payload may have, also to hidden entries. By default the written one. */
  readonly linksFrom?: string
  /** The missing uids of a new document to generate. The default is `required`. */
  readonly filledUids?: FilledUids
  /** Whether the principal needs `publish` as well, because the write publishes. */
  readonly publishes?: boolean
  /** If absent, the write needs no guard and the server sets no values. */
  readonly permit?: WritePermit
  /**
   * The version that hooks or the caller have read. Null if they have seen none. The write throws `PreviousChanged` if it
   * replaces another one. If absent, it is not compared.
   */
  readonly seen?: StoredVersion | null
}

/** Runs in the transaction of a write, after it. The version is null after a deletion. */
export type AfterWrite = (version: StoredVersion | null, session: Session) => Promise<void>

export interface WriteRequest extends WriteTarget {
  readonly origin: WriteOrigin
  readonly after?: AfterWrite
}

/** A write that is checked and not stored yet. */
export interface PreparedWrite {
  readonly item: WriteItem<StoredVersion>
  /** Whether it writes versions of its document only, so that writes of other documents can share its transaction. */
  readonly isShareable: boolean
}
