import { contentAction, type ContentVerb } from '../../people/access/actions.ts'
import { mayInUnderRule } from '../../people/access/ruled-reads.ts'
import { duplicateDocument } from '../../content/write/duplicate-document.ts'
import { ForbiddenError, NotFoundError } from '../../base/errors.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import { shownNames } from '../../content/rules/shown-names.ts'
import { hasReadRules, visibleVersions } from '../../content/rules/visible-documents.ts'
import type { VersionKey } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { assertNoPayload, parameterOf } from '../body/read-request.ts'
import { readOriginOf, writerOf } from '../reads/query-rules.ts'
import { adminRouter } from '../router/admin-router.ts'
import { administratorsUnderRule, type GuardedRouter } from '../router/guarded-router.ts'
import type { Context } from '../router/state.ts'
import { type EditorContentDependencies, planOf } from './editor-content.ts'

export function duplicateRoute(dependencies: EditorContentDependencies): GuardedRouter {
  const admin = adminRouter('/admin/content', dependencies)
  admin.guarded(
    'post',
    '/:uid/:documentId/duplicate',
    (run) =>
      administratorsUnderRule(
        'create',
        (ctx) => contentAction(collectionOf(ctx, dependencies), 'create'),
        run,
      ),
    (ctx) => duplicate(ctx, dependencies, collectionOf(ctx, dependencies)),
  )
  return admin.router
}

type CopiedVersion = VersionKey & { readonly documentId: string }

/** A single type has one document. */
function collectionOf(ctx: Context, dependencies: EditorContentDependencies): ContentTypePlan {
  const plan = planOf(ctx, dependencies)
  if (plan.kind === 'singleType') throw new NotFoundError('Not Found')
  return plan
}

async function duplicate(
  ctx: Context,
  { documents, locales, recent }: EditorContentDependencies,
  plan: ContentTypePlan,
): Promise<void> {
  assertNoPayload(ctx)
  const { principal } = ctx.state
  const { defaultCode } = await locales.current()
  const source = parameterOf(ctx, 'documentId')
  const rules = writeRulesOf(principal)
  const visible = async <T extends CopiedVersion>(
    versions: readonly T[],
  ): Promise<readonly T[]> => {
    if (!hasReadRules(rules, plan, 'findOne')) return versions
    const asked = { plan, documentIds: [source], locale: defaultCode, verb: 'findOne' } as const
    const seen = await visibleVersions(documents, rules, asked)
    return versions.filter((version) => seen.has(version))
  }
  const {
    documentId,
    locales: copied,
    leftOut,
  } = await duplicateDocument(documents, {
    plan,
    source,
    defaultLocale: defaultCode,
    writer: writerOf(ctx, { locale: defaultCode }),
    origin: readOriginOf(ctx),
    choose: async (versions) => chooseVersions(ctx, plan, await visible(versions)),
    isShown: shownNames(rules, plan, ['findOne', 'readDrafts']),
  })
  const locale = copied[0] ?? defaultCode
  if (principal.kind === 'administrator') {
    await recent.note(principal.id, { uid: plan.uid, documentId, locale })
  }
  ctx.status = 201
  ctx.body = {
    data: { documentId, locales: plan.localized ? copied : [] },
    meta: { leftOut },
  }
}

/** Without a permission for all locales, the copy has those that the caller reads and creates. */
function chooseVersions<T extends VersionKey>(
  ctx: Context,
  plan: ContentTypePlan,
  versions: readonly T[],
): readonly T[] {
  const { principal } = ctx.state
  const mayDo = (verb: ContentVerb, locale: string): boolean =>
    mayInUnderRule(principal, contentAction(plan, verb), localesOf(locale))
  const localesOf = (locale: string): readonly string[] => (plan.localized ? [locale] : [])
  const readable = versions.filter(
    ({ locale, status }) =>
      mayDo('findOne', locale) &&
      (!plan.draftAndPublish || status !== 'draft' || mayDo('readDrafts', locale)),
  )
  if (readable.length === 0) throw new NotFoundError('Not Found')
  const chosen = readable.filter(({ locale }) => mayDo('create', locale))
  if (chosen.length > 0) return chosen
  throw new ForbiddenError('Forbidden', {}, { action: contentAction(plan, 'create') })
}
