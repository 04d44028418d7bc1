import Joi from 'joi'
import { contentAction } from '../../people/access/actions.ts'
import { readInput } from '../../people/access/input.ts'
import type { PreviewTokens } from '../../people/administrators/preview-tokens.ts'
import { NotFoundError, UnauthorizedError } from '../../base/errors.ts'
import { fillPreview } from '../../schema/preview-template.ts'
import { administratorsOf, type GuardedRouter } from '../router/guarded-router.ts'
import { payloadOf, parameterOf } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'
import { adminRouter } from '../router/admin-router.ts'
import { boundLocales } from './request/bound-locales.ts'
import {
  assertSingle,
  type EditorContentDependencies,
  localeOf,
  planOf,
} from '../content/editor-content.ts'
import { meOf } from './me-routes.ts'

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
    (run) =>
      administratorsOf('find', (ctx) => contentAction(planOf(ctx, dependencies), 'find'), run),
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
  const actions = verbs.map((verb) => `${plan.uid}.${verb}`)
  const rules = boundLocales(ctx, plan, { locale }, actions, await locales.current())
  const signed = await previews.sign(meOf(ctx).id)
  if (signed === null) throw new UnauthorizedError('Missing or invalid credentials')
  const url = fillPreview(template, {
    documentId: parameterOf(ctx, 'documentId'),
    locale: plan.localized ? localeOf(plan, { locale }, rules) : '',
    status,
    secret: signed.token,
  })
  ctx.body = { data: { url, expiresAt: signed.expiresAt } }
}
