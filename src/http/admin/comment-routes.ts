import Joi from 'joi'
import { fault, validationError } from '../../base/errors.ts'
import {
  addComment,
  changeComment,
  type CommentChange,
  type CommentedEntry,
  type EntryComment,
  getComment,
  listComments,
  MAX_COMMENT_LENGTH,
  MAX_MENTIONS,
  type NewComment,
  noComment,
  removeComment,
} from '../../content/comments/comments.ts'
import { inputError, readInput } from '../../people/access/input.ts'
import type { AccountsContext } from '../../people/accounts/accounts.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { parameterOf, payloadOf } from '../body/read-request.ts'
import { type EditorContentDependencies, readersOfType } from '../content/editor-content.ts'
import { adminRouter } from '../router/admin-router.ts'
import type { GuardedRouter, RouteMethod } from '../router/guarded-router.ts'
import type { Context } from '../router/state.ts'
import {
  type CommentSources,
  findCommenters,
  isShownComment,
  type NameOf,
  lastNamesOf,
} from './request/commented-entry.ts'
import { assertReadable, commenterOf } from './discussed-entry.ts'
import { type EntryMails, mailAboutEntry } from './request/entry-mails.ts'
import { showReview } from './request/shown-review.ts'

export interface CommentRouteDependencies
  extends EditorContentDependencies, CommentSources, EntryMails {
  /** Runs after the response. */
  readonly behind: AccountsContext['behind']
}

type CommentHandler = (
  ctx: Context,
  dependencies: CommentRouteDependencies,
  entry: CommentedEntry,
) => Promise<void>

const TEXT = Joi.string()
  .max(MAX_COMMENT_LENGTH)
  .pattern(/^(?=\s*\S)(?:\P{Cc}|[\n\r\t])*$/u)
const MENTIONS = Joi.array().items(Joi.string().max(64)).max(MAX_MENTIONS).unique()

const NEW = Joi.object<Pick<NewComment, 'text'> & Partial<NewComment>>({
  text: TEXT.required(),
  attribute: Joi.string().max(255).allow(null),
  mentions: MENTIONS,
})

const CHANGE = Joi.object<CommentChange>({
  text: TEXT,
  mentions: MENTIONS,
  resolved: Joi.boolean(),
})

export function commentRoutes(dependencies: CommentRouteDependencies): GuardedRouter {
  const admin = adminRouter('/admin/content', dependencies)
  const add = (method: RouteMethod, path: string, handler: CommentHandler): void => {
    admin.guarded(
      method,
      `/:uid/:documentId/comments${path}`,
      (run) => readersOfType(dependencies, run),
      async (ctx) => handler(ctx, dependencies, await assertReadable(ctx, dependencies)),
    )
  }
  add('get', '', list)
  add('post', '', create)
  add('put', '/:id', change)
  add('delete', '/:id', remove)
  return admin.router
}

const list: CommentHandler = async (ctx, dependencies, entry) => {
  const people = await findCommenters(dependencies, entry)
  const rows = await listComments(dependencies.documents, entry)
  const shown = rows.filter(isShownComment(ctx.state.principal, entry.plan))
  const nameOf = await lastNamesOf(dependencies)
  const review = await showReview(ctx.state.principal, dependencies, entry)
  ctx.body = { data: shown.map((row) => showComment(row, nameOf)), meta: { people, review } }
}

const create: CommentHandler = async (ctx, dependencies, entry) => {
  const by = commenterOf(ctx)
  const { text, attribute = null, mentions = [] } = readInput(NEW, payloadOf(ctx))
  assertAttribute(ctx, entry.plan, attribute)
  await assertMentions(dependencies, entry, mentions)
  const comment = await addComment(dependencies.documents, entry, { text, attribute, mentions }, by)
  mail(dependencies, entry, comment, mentions)
  ctx.status = 201
  ctx.body = { data: showComment(comment, await lastNamesOf(dependencies)) }
}

const change: CommentHandler = async (ctx, dependencies, entry) => {
  const by = commenterOf(ctx)
  const given = readInput(CHANGE, payloadOf(ctx))
  const before = await visibleComment(ctx, dependencies, entry)
  const { mentions = [] } = given
  const added = mentions.filter((id) => !before.mentions.includes(id))
  await assertMentions(dependencies, entry, added, mentions)
  const changed = await changeComment(dependencies.documents, entry, { before, change: given, by })
  mail(dependencies, entry, changed, added)
  ctx.body = { data: showComment(changed, await lastNamesOf(dependencies)) }
}

const remove: CommentHandler = async (ctx, dependencies, entry) => {
  const comment = await visibleComment(ctx, dependencies, entry)
  await removeComment(dependencies.documents, entry, comment, commenterOf(ctx))
  ctx.status = 204
}

function mail(
  { behind, ...dependencies }: CommentRouteDependencies,
  entry: CommentedEntry,
  comment: EntryComment,
  mentions: readonly string[],
): void {
  const { by, text, attribute } = comment
  const to = mentions.filter((one) => one !== by.id)
  const write = (title: string) => ({
    subject: `${by.name} mentioned you: ${title}`,
    text: `${by.name} wrote a comment on ${title}:\n\n${text}`,
  })
  behind(mailAboutEntry(dependencies, entry, { to, attribute, write }))
}

async function visibleComment(
  ctx: Context,
  { documents }: CommentRouteDependencies,
  entry: CommentedEntry,
): Promise<EntryComment> {
  const comment = await getComment(documents, entry, parameterOf(ctx, 'id'))
  if (isShownComment(ctx.state.principal, entry.plan)(comment)) return comment
  throw noComment()
}

function assertAttribute(
  { state: { principal } }: Context,
  plan: ContentTypePlan,
  attribute: string | null,
): void {
  if (attribute === null) return
  if (plan.attributes.has(attribute) && isShownComment(principal, plan)({ attribute })) return
  const message = 'attribute must name an attribute of the entry'
  throw inputError('attribute', message, attribute, { code: 'any.unknown' })
}

/** Checks added mentions only: the right of an earlier one may have been revoked. */
async function assertMentions(
  dependencies: CommentRouteDependencies,
  entry: CommentedEntry,
  added: readonly string[],
  all = added,
): Promise<void> {
  if (added.length === 0) return
  const known = new Set((await findCommenters(dependencies, entry)).map(({ id }) => id))
  const unknown = added.find((id) => !known.has(id))
  if (unknown === undefined) return
  const path = ['mentions', all.indexOf(unknown)]
  const message = `${path.join('.')} must be the id of an administrator who reads the entry`
  throw validationError([fault(path, message, unknown, { code: 'any.unknown' })])
}

function showComment(comment: EntryComment, nameOf: NameOf): object {
  const { _id: id, attribute, text, by, mentions, createdAt, editedAt, resolved } = comment
  return {
    id,
    attribute,
    text,
    by: nameOf(by),
    mentions: mentions.map((mentioned) => nameOf({ id: mentioned, name: '' })),
    createdAt,
    editedAt,
    resolved: resolved === null ? null : { by: nameOf(resolved.by), at: resolved.at },
  }
}
