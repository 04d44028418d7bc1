import { type CmsError, ForbiddenError, NotFoundError } from '../../base/errors.ts'
import type { DocumentContext } from '../../content/context.ts'
import { singleDocumentId } from '../../content/write/single-document-id.ts'
import type { Writer } from '../../content/write-target.ts'
import type { WriteRules } from '../../content/write-rules.ts'
import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import type { PushClient, PushClients } from '../../mongo/system/push-clients.ts'
import type { SignedInUser } from '../../people/access/principal.ts'
import { parseWriteKey } from '../../query/parse-version.ts'
import type { LocaleRules } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { PushConflict } from './push-conflict.ts'
import type { Mutation, PushRequest } from './push-request.ts'
import type { SettledOutcome } from './pushed-write.ts'
import { missingAction, pushedAttributes } from './pushed-type.ts'

export interface PushParts {
  readonly documents: DocumentContext
  /** The types that take pushes, by their singular names. */
  readonly types: ReadonlyMap<string, ContentTypePlan>
  readonly locales: LocaleRules
  readonly clients: PushClients
  /** The id of the commit log. */
  readonly log: string
  readonly principal: SignedInUser
  readonly origin: WriteOrigin
  readonly writerOf: (locale: string) => Writer
  readonly isOver: () => boolean
  /** The caller with its current permissions. @throws UnauthorizedError, ForbiddenError */
  readonly authorizeAgain: () => Promise<SignedInUser>
  readonly onUnexpected: (error: unknown) => void
}

export type PushAnswer = { readonly n: number } & (
  | { readonly outcome: 'retry' }
  | ({ readonly outcome: 'applied' | 'merged'; readonly replayed?: true } & SettledOutcome)
  | ({
      readonly outcome: 'conflict'
      readonly code: string
      readonly replayed?: true
    } & Omit<PushConflict, 'code'>)
  | { readonly outcome: 'refused'; readonly error: CmsError }
  | {
      readonly outcome: 'refused'
      readonly replayed: true
      readonly status: number
      readonly code: string
    }
)

/** Beyond it, the client must acknowledge outcomes first. */
export const MAX_OUTCOMES = 100

/** A mutation with its outcome, and the client after it. */
export interface EndedMutation {
  readonly client: PushClient
  readonly answer: PushAnswer
}

export function appliedAnswer(settled: SettledOutcome) {
  return { ...settled, outcome: settled.outcome === 'merged' ? 'merged' : 'applied' } as const
}

/** @throws ForbiddenError, NotFoundError, ValidationError for an unknown locale */
export function placeOf(
  { documents, locales, writerOf }: Pick<PushParts, 'documents' | 'locales' | 'writerOf'>,
  { head }: PushRequest,
  rules: WriteRules,
  plan: ContentTypePlan,
  mutation: Mutation,
) {
  const status = plan.draftAndPublish ? head.status : 'published'
  const action = missingAction(rules, plan, status)
  if (action !== null) throw new ForbiddenError('Forbidden', {}, { action })
  const isSingle = plan.kind === 'singleType'
  if (isSingle && mutation.documentId !== singleDocumentId(plan.uid)) {
    throw new NotFoundError('Not Found')
  }
  const { locale } = mutation
  const query: Data = { status, ...(locale !== null && { locale }) }
  const key = parseWriteKey(query, undefined, plan, locales)
  const attributes = pushedAttributes({ documents, rules }, plan, status)
  const writer = writerOf(plan.localized ? key.locale : locales.defaultCode)
  return { status, key, attributes, writer } as const
}
