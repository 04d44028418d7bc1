import type { DocumentHooks } from './hooks/document-hooks.ts'
import type { RuleContext } from './write-rules.ts'
import type { FileType } from '../media/find-file-types.ts'
import type { IdAllocator } from '../mongo/system/id-allocator.ts'
import type { ExistingDocuments, NamedDocuments } from '../mongo/write/find-existing.ts'
import type { Uid } from '../schema/definition.ts'
import type { ContentTypePlan } from '../schema/plan.ts'

export interface TargetLookup {
  existing(plan: ContentTypePlan, named: NamedDocuments): Promise<ExistingDocuments>
  fileTypes(
    plan: ContentTypePlan,
    documentIds: readonly string[],
  ): Promise<ReadonlyMap<string, FileType>>
}

export interface DocumentContext extends RuleContext {
  readonly ids: IdAllocator
  readonly contentType: (uid: Uid) => ContentTypePlan
  /** The type that links in blocks name (`linkableType`). If absent, no entry can be linked. */
  readonly linkable?: (type: string) => ContentTypePlan | null
  readonly now: () => Date
  /** @throws ForbiddenError for adopted types whose ids only another service makes */
  readonly newDocumentId: (plan: Pick<ContentTypePlan, 'singularName' | 'adopted'>) => string
  readonly hooks?: DocumentHooks
  /** @throws ServiceUnavailableError if too many passwords are waiting */
  readonly hashPassword: (password: string) => Promise<string>
  /** If absent, each payload looks up its targets outside of any transaction. */
  readonly targets?: TargetLookup
}
