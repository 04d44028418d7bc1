import type { Access } from '../../people/access/access.ts'
import type { AdministratorsContext } from '../../people/administrators/administrators.ts'
import type { RecentWork } from '../../people/administrators/recent-work.ts'
import { contentAction, type ContentVerb } from '../../people/access/actions.ts'
import { singleDocumentId } from '../../content/write/single-document-id.ts'
import { NotFoundError } from '../../base/errors.ts'
import type { LocaleRules } from '../../query/query.ts'
import type { Data, Definitions } from '../../schema/definition.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { parameterOf } from '../body/read-request.ts'
import { administratorsUnderRule, type Guarded } from '../router/guarded-router.ts'
import type { Context } from '../router/state.ts'
import type { ContentRequest, ContentRouteDependencies } from './handlers.ts'

/** `schema` and `documents` are those of editors, which include private attributes. */
export interface EditorContentDependencies extends ContentRouteDependencies {
  readonly administrators: AdministratorsContext
  readonly access: Pick<Access, 'apiTokens'>
  readonly recent: RecentWork
  readonly definitions: Definitions
}

export type EditorHandler = (
  request: ContentRequest,
  dependencies: EditorContentDependencies,
) => Promise<void>

export function planOf(
  ctx: Context,
  { schema }: Pick<EditorContentDependencies, 'schema'>,
): ContentTypePlan {
  const uid = parameterOf(ctx, 'uid')
  const plan = uid.startsWith('api::') ? schema.contentTypes.get(uid) : undefined
  if (plan === undefined) throw new NotFoundError('There is no such content-type')
  return plan
}

export function contentPlans({
  contentTypes,
}: Pick<Schema, 'contentTypes'>): readonly ContentTypePlan[] {
  return [...contentTypes.values()].filter(({ uid }) => uid.startsWith('api::'))
}

/** Administrators who may find entries of the type in the path, perhaps under a rule. */
export function readersOfType(
  dependencies: Pick<EditorContentDependencies, 'schema'>,
  handler: Parameters<typeof administratorsUnderRule>[2],
): Guarded {
  const actionOf = (ctx: Context): string => contentAction(planOf(ctx, dependencies), 'find')
  return administratorsUnderRule('find', actionOf, handler)
}

export function assertSingle(ctx: Context, { kind, uid }: ContentTypePlan): void {
  const { documentId } = ctx['params'] as Readonly<Record<string, string | undefined>>
  if (kind === 'collectionType' || documentId === undefined) return
  if (documentId !== singleDocumentId(uid)) throw new NotFoundError('Not Found')
}

export function localeOf(
  { localized }: ContentTypePlan,
  { locale = '' }: Data,
  { defaultCode }: LocaleRules,
): string {
  if (!localized) return NO_LOCALE
  return typeof locale === 'string' && locale !== '' ? locale : defaultCode
}

export function ownVerb({ kind }: Pick<ContentTypePlan, 'kind'>, verb: ContentVerb): ContentVerb {
  return kind === 'singleType' ? (SINGLE_VERBS[verb] ?? verb) : verb
}

const SINGLE_VERBS: Readonly<Partial<Record<ContentVerb, ContentVerb>>> = {
  findOne: 'find',
  create: 'update',
}
