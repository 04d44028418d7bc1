import { ApplicationError, because, ForbiddenError, NotFoundError } from '../../base/errors.ts'
import { type Commenter, type CommentRow, commentsIn } from '../../mongo/trash/entry-comments.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { newDocumentId } from '../../mongo/versions/document-id.ts'
import { currentPathOf, storedPathOf } from '../../schema/stored-path.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'

/** Its items have the documentId and the locale of the entry. */
export const COMMENT_TYPE = 'admin::comment'
export const MAX_COMMENT_LENGTH = 2_000
export const MAX_MENTIONS = 20
const MAX_COMMENTS = 300

export interface CommentedEntry {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly locale: string
}

/** `attribute` has its current name. */
export type EntryComment = CommentRow

export interface NewComment {
  readonly text: string
  readonly attribute: string | null
  readonly mentions: readonly string[]
}

/** Absent members stay. */
export interface CommentChange {
  readonly text?: string
  readonly mentions?: readonly string[]
  readonly resolved?: boolean
}

type Context = Pick<DocumentContext, 'database' | 'now'>

/** The oldest first. */
export async function listComments(
  { database }: Pick<Context, 'database'>,
  entry: CommentedEntry,
): Promise<readonly EntryComment[]> {
  const rows = await commentsIn(database)
    .find(rowsOf(entry), { batchSize: MAX_COMMENTS + 1 })
    .sort({ createdAt: 1, _id: 1 })
    .toArray()
  return rows.map((row) => toComment(entry.plan, row))
}

/** @throws ApplicationError for more than 300 comments */
export async function addComment(
  { database, now }: Context,
  entry: CommentedEntry,
  { text, attribute, mentions }: NewComment,
  by: Commenter,
): Promise<EntryComment> {
  const { plan, documentId, locale } = entry
  await assertRoom(database, entry)
  const row: CommentRow = {
    _id: newDocumentId(),
    type: plan.uid,
    documentId,
    locale,
    attribute: attribute === null ? null : storedPathOf(plan, attribute),
    text,
    by,
    mentions,
    createdAt: now(),
    editedAt: null,
    resolved: null,
  }
  await database.transact(async (session) => {
    await commentsIn(database).insertOne(row, { session })
    noteComment(session, 'put', entry, row)
  })
  return toComment(plan, row)
}

async function assertRoom(database: Database, entry: CommentedEntry): Promise<void> {
  const count = await commentsIn(database).countDocuments(rowsOf(entry), { limit: MAX_COMMENTS })
  if (count < MAX_COMMENTS) return
  const message = `This entry has ${MAX_COMMENTS} comments already`
  throw new ApplicationError(message, {}, because(message, 'any.tooMany', { limit: MAX_COMMENTS }))
}

/** Everybody may resolve a comment. @throws NotFoundError, ForbiddenError for the text of another author */
export async function changeComment(
  { database, now }: Context,
  entry: CommentedEntry,
  {
    before,
    change,
    by,
  }: { readonly before: EntryComment; readonly change: CommentChange; readonly by: Commenter },
): Promise<EntryComment> {
  const values = changedValues(before, change, { by, at: now() })
  if (Object.keys(values).length === 0) return before
  const row = await database.transact(async (session) => {
    const changed = await commentsIn(database).findOneAndUpdate(
      { ...rowsOf(entry), _id: before._id },
      { $set: values },
      { session, returnDocument: 'after' },
    )
    if (changed === null) throw noComment()
    noteComment(session, 'put', entry, changed)
    return changed
  })
  return toComment(entry.plan, row)
}

/** @throws ForbiddenError for the text of another author */
function changedValues(
  before: EntryComment,
  { text, mentions, resolved }: CommentChange,
  change: { readonly by: Commenter; readonly at: Date },
): Partial<CommentRow> {
  if (text !== undefined || mentions !== undefined) assertOwn(before, change.by)
  const isEdited = text !== undefined && text !== before.text
  return {
    ...(text !== undefined && { text }),
    ...(mentions !== undefined && { mentions }),
    ...(isEdited && { editedAt: change.at }),
    ...(resolved === false && { resolved: null }),
    ...(resolved === true && before.resolved === null && { resolved: change }),
  }
}

/** @throws NotFoundError, ForbiddenError for a comment of another author */
export async function removeComment(
  { database }: Pick<Context, 'database'>,
  entry: CommentedEntry,
  comment: EntryComment,
  by: Commenter,
): Promise<void> {
  assertOwn(comment, by)
  await database.transact(async (session) => {
    const which = { ...rowsOf(entry), _id: comment._id }
    const removed = await commentsIn(database).findOneAndDelete(which, { session })
    if (removed === null) throw noComment()
    noteComment(session, 'delete', entry, removed)
  })
}

/** @throws NotFoundError */
export async function getComment(
  { database }: Pick<Context, 'database'>,
  entry: CommentedEntry,
  id: string,
): Promise<EntryComment> {
  const row = await commentsIn(database).findOne({ ...rowsOf(entry), _id: id })
  if (row === null) throw noComment()
  return toComment(entry.plan, row)
}

export function noComment(): NotFoundError {
  return new NotFoundError('There is no such comment')
}

export function toComment(plan: ContentTypePlan, row: CommentRow): EntryComment {
  const { attribute } = row
  return { ...row, attribute: attribute === null ? null : currentPathOf(plan, attribute) }
}

function rowsOf({ plan, documentId, locale }: CommentedEntry) {
  return { type: plan.uid, documentId, locale }
}

function noteComment(
  session: Session,
  op: 'put' | 'delete',
  { plan, documentId, locale }: CommentedEntry,
  { attribute }: CommentRow,
): void {
  noteRow(session, op, { type: COMMENT_TYPE, documentId, locale, entryType: plan.uid, attribute })
}

function assertOwn(comment: EntryComment, by: Commenter): void {
  if (comment.by.id === by.id) return
  throw new ForbiddenError('Only its author may change a comment')
}
