import type { Uid } from '../schema/definition.ts'
import type { ContentService, ExtensionPrincipal } from './content-service.ts'

export interface CommittedChange {
  readonly operation: 'put' | 'delete'
  readonly contentType: Uid
  readonly documentId: string
  /** Null for types without locales. */
  readonly locale: string | null
  readonly status: 'draft' | 'published'
}

/** The changes of one document by one commit. Content is read as it is now. */
export interface AfterCommitEvent {
  readonly contentType: Uid
  readonly documentId: string
  readonly changes: readonly CommittedChange[]
  /** Identifies the commit. It is equal for repeated deliveries. */
  readonly commit: string
  readonly committedAt: Date
  readonly by: ExtensionPrincipal
  readonly content: ContentService
  readonly signal: AbortSignal
}

/** Called at least once per commit and document, in order per document. A failure is retried. */
export type AfterCommit = (event: AfterCommitEvent) => void | Promise<void>
