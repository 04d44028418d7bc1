import Joi from 'joi'
import { ForbiddenError, NotFoundError } from '../../base/errors.ts'
import type { CommentedEntry } from '../../content/comments/comments.ts'
import { contentAction } from '../../people/access/actions.ts'
import { readInput } from '../../people/access/input.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import { parameterOf, readQuery } from '../body/read-request.ts'
import { assertSingle, type EditorContentDependencies, planOf } from '../content/editor-content.ts'
import type { Context } from '../router/state.ts'
import { meOf } from './me-routes.ts'
import {
  type CommentSources,
  mayComment,
  type Person,
  readCommented,
} from './request/commented-entry.ts'

const QUERY = Joi.object<{ readonly locale?: string }>({ locale: Joi.string().max(35) })

/** @throws ForbiddenError, and NotFoundError for a missing or hidden entry */
export async function assertReadable(
  ctx: Context,
  dependencies: EditorContentDependencies & CommentSources,
): Promise<CommentedEntry> {
  const plan = planOf(ctx, dependencies)
  assertSingle(ctx, plan)
  const { locale } = readInput(QUERY, readQuery(ctx.querystring))
  const known = await dependencies.locales.current()
  const code = plan.localized ? (locale ?? known.defaultCode) : NO_LOCALE
  if (plan.localized && !known.has(code)) throw new NotFoundError('Not Found')
  const { principal } = ctx.state
  if (!mayComment(principal, plan, code)) {
    const action = contentAction(plan, plan.draftAndPublish ? 'readDrafts' : 'find')
    throw new ForbiddenError('Forbidden', {}, { action })
  }
  const entry = { plan, documentId: parameterOf(ctx, 'documentId'), locale: code }
  // Entries of adopted collections are deleted by another service.
  const isMissing =
    plan.adopted !== undefined || (await readCommented(principal, dependencies, entry)) === null
  if (isMissing) throw new NotFoundError('Not Found')
  return entry
}

/** @throws NotFoundError for root, because it has no name */
export function commenterOf(ctx: Context): Person {
  const { id, name } = meOf(ctx)
  return { id, name }
}
