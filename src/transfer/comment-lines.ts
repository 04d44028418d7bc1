import Joi from 'joi'
import { MAX_COMMENT_LENGTH, MAX_MENTIONS, toComment } from '../content/comments/comments.ts'
import { singleDocumentId } from '../content/write/single-document-id.ts'
import { type CommentRow, commentsIn } from '../mongo/trash/entry-comments.ts'
import type { Database } from '../mongo/connection/database.ts'
import { fromText, toText } from '../mongo/read/dump-versions.ts'
import type { Uid } from '../schema/definition.ts'
import type { Schema } from '../schema/plan.ts'
import { typeNamed } from '../schema/named-type.ts'
import { storedPathOf } from '../schema/stored-path.ts'
import { type ArchiveEntry, jsonLines } from './read-archive.ts'

export const COMMENTS = 'quire/comments_'

/** Comments on the exported versions, with the current names of attributes. */
export async function dumpComments(
  database: Database,
  { contentTypes }: Pick<Schema, 'contentTypes'>,
  exported: { document(uid: Uid, documentId: string): readonly { readonly locale: string }[] },
): Promise<readonly object[]> {
  const rows = await commentsIn(database).find({}).sort({ _id: 1 }).toArray()
  return rows.flatMap((row) => {
    const { type, documentId, locale } = row
    const plan = contentTypes.get(type)
    if (plan === undefined || plan.adopted !== undefined) return []
    const isExported = exported.document(type, documentId).some((one) => one.locale === locale)
    return isExported ? [{ row: toText(toComment(plan, row)) }] : []
  })
}

const PERSON = Joi.object({
  id: Joi.string().max(64).required(),
  name: Joi.string().max(255).required(),
})

const ROW = Joi.object<CommentRow>({
  _id: Joi.string().max(64).required(),
  type: Joi.string().max(255).required(),
  documentId: Joi.string().max(64).required(),
  locale: Joi.string().max(35).allow('').required(),
  attribute: Joi.string().max(255).allow(null).required(),
  text: Joi.string().max(MAX_COMMENT_LENGTH).required(),
  by: PERSON.required(),
  mentions: Joi.array().items(Joi.string().max(64)).max(MAX_MENTIONS).required(),
  createdAt: Joi.date().required(),
  editedAt: Joi.date().allow(null).required(),
  resolved: Joi.object({ by: PERSON.required(), at: Joi.date().required() }).allow(null).required(),
})
  .required()
  .prefs({ convert: false })

export interface CommentsImport {
  readonly database: Database
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly leaveBehind: (sentence: string) => void
}

/** Existing comments stay. */
export async function restoreComments(
  { database, schema, leaveBehind }: CommentsImport,
  entry: ArchiveEntry,
): Promise<void> {
  for await (const { row } of jsonLines(entry)) {
    const read = ROW.validate(typeof row === 'string' ? fromText(row) : row)
    if (read.error !== undefined) {
      leaveBehind(`a comment: ${read.error.message}`)
      continue
    }
    const value: CommentRow = read.value
    const plan = typeNamed(schema, value.type)
    if (plan === undefined || plan.adopted !== undefined) continue
    const { _id, attribute, documentId, ...rest } = value
    const values = {
      ...rest,
      type: plan.uid,
      documentId: plan.kind === 'singleType' ? singleDocumentId(plan.uid) : documentId,
      attribute: attribute === null ? null : storedPathOf(plan, attribute),
    }
    await commentsIn(database).updateOne({ _id }, { $setOnInsert: values }, { upsert: true })
  }
}
