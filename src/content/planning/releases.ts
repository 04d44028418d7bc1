import { ApplicationError, because, ConflictError, NotFoundError } from '../../base/errors.ts'
import { newJob } from '../../mongo/jobs/job-queue.ts'
import { currentAuthorship } from '../../mongo/connection/authorship.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { newDocumentId } from '../../mongo/versions/document-id.ts'
import type { PlanningContext } from './planning.ts'
import {
  MAX_RELEASE_ITEMS,
  RELEASE_TYPE,
  type ReleaseItem,
  type ReleaseRow,
  releasesIn,
} from './release-rows.ts'
import { schedulesIn } from './schedule-rows.ts'

type Context = Pick<PlanningContext, 'documents' | 'now'>

/** Newest first. `holding` selects unpublished releases with the document. */
export function listReleases(
  { documents: { database } }: Context,
  holding: Pick<ReleaseItem, 'type' | 'documentId'> | null,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<readonly ReleaseRow[]> {
  const which = {
    ...(before !== null && { _id: { $lt: before } }),
    ...(holding !== null && {
      state: { $in: ['open', 'scheduled'] as const },
      items: { $elemMatch: holding },
    }),
  }
  return releasesIn(database)
    .find(which, { batchSize: limit + 1 })
    .sort({ _id: -1 })
    .limit(limit)
    .toArray()
}

/** @throws NotFoundError */
export async function getRelease(
  { documents: { database } }: Context,
  id: string,
  session?: Session,
): Promise<ReleaseRow> {
  const row = await releasesIn(database).findOne({ _id: id }, { session })
  if (row === null) throw new NotFoundError('There is no such release')
  return row
}

export function createRelease(
  { documents: { database }, now }: Context,
  name: string,
): Promise<ReleaseRow> {
  const at = now()
  const row: ReleaseRow = {
    // Lists are sorted by id, so ids start with the time.
    _id: `${at.getTime().toString(36).padStart(9, '0')}${newDocumentId().slice(0, 15)}`,
    name,
    items: [],
    state: 'open',
    version: 0,
    createdAt: at,
    updatedAt: at,
    createdBy: currentAuthorship().by,
    publishedAt: null,
  }
  return database.transact(async (session) => {
    await releasesIn(database).insertOne(row, { session })
    noteRow(session, 'put', { type: RELEASE_TYPE, documentId: row._id })
    return row
  })
}

/** @throws NotFoundError, ConflictError if published */
export function renameRelease(context: Context, id: string, name: string): Promise<ReleaseRow> {
  return changeRelease(context, id, ['open', 'scheduled'], () => ({ name }))
}

export type NewItem = Omit<ReleaseItem, 'id'>

/** @throws NotFoundError; ConflictError unless open; ApplicationError for more than 500 items */
export function addItems(
  context: Context,
  id: string,
  added: readonly NewItem[],
): Promise<ReleaseRow> {
  return changeRelease(context, id, ['open'], ({ items }) => {
    const all = new Map(items.map((item) => [lineOf(item), item]))
    for (const item of added) {
      const line = lineOf(item)
      all.set(line, { ...item, id: all.get(line)?.id ?? newDocumentId() })
    }
    if (all.size > MAX_RELEASE_ITEMS) {
      const message = `A release holds ${MAX_RELEASE_ITEMS} documents at most`
      throw new ApplicationError(
        message,
        {},
        because(message, 'any.tooMany', { limit: MAX_RELEASE_ITEMS }),
      )
    }
    return { items: [...all.values()] }
  })
}

/** @throws NotFoundError, ConflictError unless open */
export function removeItem(context: Context, id: string, item: string): Promise<ReleaseRow> {
  return changeRelease(context, id, ['open'], ({ items }) => {
    const rest = items.filter((one) => one.id !== item)
    if (rest.length === items.length) throw new NotFoundError('There is no such item')
    return { items: rest }
  })
}

/** Published content is not affected. @throws NotFoundError */
export async function removeRelease(
  { documents: { database } }: Context,
  id: string,
): Promise<void> {
  await database.transact(async (session) => {
    const options = { session }
    const { deletedCount } = await releasesIn(database).deleteOne({ _id: id }, options)
    if (deletedCount === 0) throw new NotFoundError('There is no such release')
    await schedulesIn(database).deleteOne({ _id: id }, options)
    noteRow(session, 'delete', { type: RELEASE_TYPE, documentId: id })
  })
}

/** @throws NotFoundError, ConflictError unless open */
export async function scheduleRelease(context: Context, id: string, at: Date): Promise<ReleaseRow> {
  const { documents, now } = context
  const row = {
    _id: id,
    ...newJob(at),
    kind: 'release' as const,
    at,
    by: currentAuthorship().by,
    createdAt: now(),
    failure: null,
  }
  return changeRelease(
    context,
    id,
    ['open'],
    ({ items }) => {
      if (items.length === 0) {
        const message = 'The release is empty'
        throw new ApplicationError(message, {}, because(message, 'release.empty'))
      }
      return { state: 'scheduled' }
    },
    async (session) => {
      await schedulesIn(documents.database).insertOne(row, { session })
    },
  )
}

/** Also for a failed schedule. @throws NotFoundError, ConflictError if not scheduled */
export async function unscheduleRelease(context: Context, id: string): Promise<ReleaseRow> {
  const { database } = context.documents
  return changeRelease(
    context,
    id,
    ['scheduled'],
    () => ({ state: 'open' }),
    async (session) => {
      await schedulesIn(database).deleteOne({ _id: id }, { session })
    },
  )
}

/** `alongside` writes related rows in the same transaction. */
export function changeRelease(
  context: Context,
  id: string,
  states: readonly ReleaseRow['state'][],
  change: (row: ReleaseRow) => Partial<ReleaseRow>,
  alongside: (session: Session) => Promise<void> = () => Promise.resolve(),
): Promise<ReleaseRow> {
  return context.documents.database.transact(async (session) => {
    const row = await changeInside(context, { id, states, change }, session)
    await alongside(session)
    return row
  })
}

interface Change {
  readonly id: string
  readonly states: readonly ReleaseRow['state'][]
  readonly change: (row: ReleaseRow) => Partial<ReleaseRow>
}

/** @throws NotFoundError; ConflictError if the state does not match or the release was changed concurrently */
export async function changeInside(
  context: Context,
  { id, states, change }: Change,
  session: Session,
): Promise<ReleaseRow> {
  const { documents, now } = context
  const { database } = documents
  const row = await getRelease(context, id, session)
  if (!states.includes(row.state)) throw inState(row)
  const changed = { ...row, ...change(row), version: row.version + 1, updatedAt: now() }
  const { matchedCount } = await releasesIn(database).replaceOne(
    { _id: id, version: row.version },
    changed,
    { session },
  )
  if (matchedCount === 0) {
    const message = 'The release has been changed at the same time'
    throw new ConflictError(
      message,
      {},
      { ...because(message, 'release.changed'), code: 'release_state' },
    )
  }
  noteRow(session, 'put', { type: RELEASE_TYPE, documentId: id })
  return changed
}

function inState({ state }: ReleaseRow): ConflictError {
  const messages = {
    open: 'The release is not scheduled',
    scheduled: 'The release is scheduled: cancel that first',
    published: 'The release has been published',
  }
  const reason = because(messages[state], `release.${state}`)
  return new ConflictError(messages[state], { state }, { ...reason, code: 'release_state' })
}

function lineOf({ type, documentId, locale }: NewItem): string {
  return `${type} ${documentId} ${locale}`
}

export async function releaseNames(
  { documents: { database } }: Pick<PlanningContext, 'documents'>,
  schedules: readonly { readonly _id: string }[],
): Promise<readonly (readonly [string, string])[]> {
  if (schedules.length === 0) return []
  const rows = await releasesIn(database)
    .find({ _id: { $in: schedules.map(({ _id }) => _id) } }, { projection: { name: 1 } })
    .toArray()
  return rows.map(({ _id, name }) => [_id, name])
}
