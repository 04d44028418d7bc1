import Joi from 'joi'
import { readInput } from '../../people/access/input.ts'
import type { PreviewTokens } from '../../people/administrators/preview-tokens.ts'
import { NotFoundError, UnauthorizedError } from '../../base/errors.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { fillPreview } from '../../schema/preview-template.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { payloadOf, parameterOf } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'
import { adminRouter } from '../router/admin-router.ts'
import { boundLocales } from './request/bound-locales.ts'
import {
  assertSingle,
  type EditorContentDependencies,
  localeOf,
  planOf,
  readersOfType,
} from '../content/editor-content.ts'
import { meOf } from './me-routes.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import {
  hasReadRules,
  matcherOf,
  singleReadVerb,
  visibleDocuments,
} from '../../content/rules/visible-documents.ts'
import { rulesFor } from '../../people/access/principal.ts'

export interface PreviewDependencies extends EditorContentDependencies {
  readonly previews: PreviewTokens
}

interface PreviewInput {
  readonly locale?: string
  readonly status?: 'draft' | 'published'
}

const PREVIEW = Joi.object<PreviewInput>({
  locale: Joi.string().max(35),
  status: Joi.valid('draft', 'published'),
})

export function previewRoutes(dependencies: PreviewDependencies): GuardedRouter {
  const admin = adminRouter('/admin/content', dependencies)
  admin.guarded(
    'post',
    '/:uid/:documentId/preview',
    (run) => readersOfType(dependencies, run),
    (ctx) => showPreview(ctx, dependencies),
  )
  return admin.router
}

async function showPreview(
  ctx: Context,
  { previews, locales, ...dependencies }: PreviewDependencies,
): Promise<void> {
  const plan = planOf(ctx, dependencies)
  assertSingle(ctx, plan)
  const { locale = '', status = 'draft' } = readInput(PREVIEW, payloadOf(ctx) ?? {})
  const { contentTypes } = dependencies.definitions
  const template = contentTypes.find(({ uid }) => uid === plan.uid)?.preview
  if (template === undefined) throw new NotFoundError('The content-type declares no preview')
  const verbs = plan.draftAndPublish && status === 'draft' ? ['find', 'readDrafts'] : ['find']
  const { principal } = ctx.state
  // Rules have no locales.
  const actions = verbs
    .map((verb) => `${plan.uid}.${verb}`)
    .filter((action) => rulesFor(principal, action).length === 0)
  const rules = boundLocales(ctx, plan, { locale }, actions, await locales.current())
  const documentId = parameterOf(ctx, 'documentId')
  await assertVisible(ctx, dependencies, plan, rules.defaultCode)
  const signed = await previews.sign(meOf(ctx).id)
  if (signed === null) throw new UnauthorizedError('Missing or invalid credentials')
  const url = fillPreview(template, {
    documentId,
    locale: plan.localized ? localeOf(plan, { locale }, rules) : '',
    status,
    secret: signed.token,
  })
  ctx.body = { data: { url, expiresAt: signed.expiresAt } }
}

/** @throws NotFoundError if rules show no version of the document */
async function assertVisible(
  ctx: Context,
  { documents }: Pick<PreviewDependencies, 'documents'>,
  plan: ContentTypePlan,
  locale: string,
): Promise<void> {
  const rules = writeRulesOf(ctx.state.principal)
  const verb = singleReadVerb(plan)
  if (!hasReadRules(rules, plan, verb)) return
  const documentId = parameterOf(ctx, 'documentId')
  const request = { matcher: matcherOf(documents, rules, locale), rules, verb, session: undefined }
  const visible = await visibleDocuments(request, plan, [documentId])
  if (!visible.has(documentId)) throw new NotFoundError('Not Found')
}
