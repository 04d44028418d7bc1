import Joi from 'joi'
import { ForbiddenError, NotFoundError } from '../../base/errors.ts'
import type { CommentedEntry } from '../../content/comments/comments.ts'
import { changeReview, type ReviewChange } from '../../content/review/review.ts'
import { contentAction } from '../../people/access/actions.ts'
import { inputError, readInput } from '../../people/access/input.ts'
import type { ReviewDefinition } from '../../schema/definition.ts'
import { readMatch } from '../answer/entity-tag.ts'
import { payloadOf } from '../body/read-request.ts'
import { planOf } from '../content/editor-content.ts'
import { writerOf } from '../reads/query-rules.ts'
import { adminRouter } from '../router/admin-router.ts'
import { administratorsUnderRule, type GuardedRouter } from '../router/guarded-router.ts'
import type { Context } from '../router/state.ts'
import type { CommentRouteDependencies } from './comment-routes.ts'
import { findCommenters } from './request/commented-entry.ts'
import { assertReadable, commenterOf } from './discussed-entry.ts'
import { mailAboutEntry } from './request/entry-mails.ts'
import { mayEnterStage, mayReview, roleTypesOf, toShownReview } from './request/shown-review.ts'

export type ReviewRouteDependencies = CommentRouteDependencies

const CHANGE = Joi.object<ReviewChange>({
  stage: Joi.string().max(64),
  assignee: Joi.string().max(64).allow(null),
}).or('stage', 'assignee')

export function reviewRoutes(dependencies: ReviewRouteDependencies): GuardedRouter {
  const admin = adminRouter('/admin/content', dependencies)
  const actionOf = (ctx: Context): string => contentAction(planOf(ctx, dependencies), 'update')
  admin.guarded(
    'put',
    '/:uid/:documentId/review',
    (run) => administratorsUnderRule('update', actionOf, run),
    (ctx) => change(ctx, dependencies),
  )
  return admin.router
}

type ReviewedEntry = CommentedEntry & { readonly review: ReviewDefinition }

async function change(ctx: Context, dependencies: ReviewRouteDependencies): Promise<void> {
  const { principal } = ctx.state
  const { behind, documents, ...rest } = dependencies
  const entry = reviewed(await assertReadable(ctx, dependencies))
  const { plan, review } = entry
  const by = commenterOf(ctx)
  const given = readInput(CHANGE, payloadOf(ctx))
  if (!mayReview(principal, entry)) throw forbidden(entry)
  await assertStage(ctx, dependencies, entry, given.stage)
  await assertAssignee(dependencies, entry, given.assignee)
  const { defaultCode } = await dependencies.locales.current()
  const writer = writerOf(ctx, { locale: plan.localized ? entry.locale : defaultCode })
  const asked = { review, change: given, match: readMatch(ctx), by: by.id, writer }
  const { before, after } = await changeReview(documents, entry, asked)
  const { assignee } = after
  if (assignee !== null && assignee !== before.assignee && assignee !== by.id) {
    const write = (title: string) => ({
      subject: `${by.name} asks you for a review: ${title}`,
      text: `${by.name} assigned ${title} to you.`,
    })
    const mail = { to: [assignee], attribute: null, write }
    behind(mailAboutEntry({ ...rest, documents }, entry, mail))
  }
  ctx.body = { data: await toShownReview(principal, dependencies, entry, after) }
}

/** @throws NotFoundError for types without a review */
function reviewed(entry: CommentedEntry): ReviewedEntry {
  const { review } = entry.plan
  if (review === undefined) throw new NotFoundError('Not Found')
  return { ...entry, review }
}

/** @throws ValidationError for an unknown stage, ForbiddenError */
async function assertStage(
  { state: { principal } }: Context,
  dependencies: ReviewRouteDependencies,
  entry: ReviewedEntry,
  name: string | undefined,
): Promise<void> {
  if (name === undefined) return
  const { stages } = entry.review
  const stage = stages.find((one) => one.name === name)
  if (stage === undefined) {
    const valids = stages.map((one) => one.name)
    const message = `stage must be one of [${valids.join(', ')}]`
    throw inputError('stage', message, name, { code: 'any.only', params: { valids } })
  }
  if (!mayEnterStage(await roleTypesOf(principal, dependencies), stage)) throw forbidden(entry)
}

function forbidden({ plan }: ReviewedEntry): ForbiddenError {
  return new ForbiddenError('Forbidden', {}, { action: contentAction(plan, 'update') })
}

async function assertAssignee(
  dependencies: ReviewRouteDependencies,
  entry: ReviewedEntry,
  assignee: string | null | undefined,
): Promise<void> {
  if (assignee === null || assignee === undefined) return
  const people = await findCommenters(dependencies, entry)
  if (people.some(({ id }) => id === assignee)) return
  const message = 'assignee must be the id of an administrator who reads the entry'
  throw inputError('assignee', message, assignee, { code: 'any.unknown' })
}
