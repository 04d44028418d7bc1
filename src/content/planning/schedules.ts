import { ApplicationError, because, NotFoundError } from '../../base/errors.ts'
import { newJob } from '../../mongo/jobs/job-queue.ts'
import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { visibleRows } from '../../mongo/read/visible-rows.ts'
import { getAllVersions } from '../../mongo/read/get-versions.ts'
import { isDocumentId, newDocumentId } from '../../mongo/versions/document-id.ts'
import type { ActionOn } from './run-action.ts'
import type { PlanningContext } from './planning.ts'
import { RELEASE_TYPE } from './release-rows.ts'
import {
  type DocumentSchedule,
  SCHEDULE_TYPE,
  type ScheduleRow,
  schedulesIn,
} from './schedule-rows.ts'
import type { VisibleType } from '../../query/visible-type.ts'

const MAX_SCHEDULES_PER_DOCUMENT = 20

/** @throws NotFoundError for a missing document or requested locale; ApplicationError for more than 20 schedules */
export async function addSchedule(
  { documents: { database }, now }: Pick<PlanningContext, 'documents' | 'now'>,
  { action, plan, documentId, locales }: ActionOn,
  { at, origin }: { readonly at: Date; readonly origin: WriteOrigin },
): Promise<DocumentSchedule> {
  if (!isDocumentId(documentId)) throw new NotFoundError('Not Found')
  const versions = await getAllVersions(database, plan, documentId)
  const isThere = (locale: string): boolean => versions.some((version) => version.locale === locale)
  const named = locales.locales.filter(isThere)
  if (named.length === 0 || (locales.kind !== 'every' && named.length < locales.locales.length)) {
    throw new NotFoundError('Not Found')
  }
  const rows = schedulesIn(database)
  const own = await rows.countDocuments(
    { type: plan.uid, documentId },
    { limit: MAX_SCHEDULES_PER_DOCUMENT },
  )
  if (own >= MAX_SCHEDULES_PER_DOCUMENT) {
    const message = `This document has ${MAX_SCHEDULES_PER_DOCUMENT} schedules already`
    throw new ApplicationError(
      message,
      {},
      because(message, 'any.tooMany', { limit: MAX_SCHEDULES_PER_DOCUMENT }),
    )
  }
  const row: DocumentSchedule = {
    _id: newDocumentId(),
    ...newJob(at),
    kind: 'document',
    action,
    type: plan.uid,
    documentId,
    locales: locales.locales,
    asked: locales.kind,
    at,
    by: origin.authorship.by,
    createdAt: now(),
    failure: null,
  }
  await database.transact(async (session) => {
    await rows.insertOne(row, { session })
    noteSchedule(session, 'put', row)
  }, origin)
  return row
}

/** The audit contains schedules, because they change content later. */
function noteSchedule(session: Session, op: 'put' | 'delete', row: ScheduleRow): void {
  if (row.kind === 'release') {
    noteRow(session, op, { type: RELEASE_TYPE, documentId: row._id })
    return
  }
  const { documentId, locales } = row
  for (const locale of locales) noteRow(session, op, { type: SCHEDULE_TYPE, documentId, locale })
}

export interface ScheduleSelection {
  readonly from: Date | null
  readonly until: Date | null
  readonly type: string | null
  readonly documentId: string | null
  readonly seen: readonly VisibleType[]
  readonly releases: boolean
}

export type SchedulePlace = Pick<ScheduleRow, 'at' | '_id'>

export function listSchedules(
  { documents: { database } }: Pick<PlanningContext, 'documents'>,
  { from, until, type, documentId, seen, releases }: ScheduleSelection,
  { after, limit }: { readonly after: SchedulePlace | null; readonly limit: number },
): Promise<readonly ScheduleRow[]> {
  const conditions: object[] = [
    ...(from === null ? [] : [{ at: { $gte: from } }]),
    ...(until === null ? [] : [{ at: { $lt: until } }]),
    ...(type === null ? [] : [{ type }]),
    ...(documentId === null ? [] : [{ documentId }]),
    ...(after === null ? [] : [behind(after)]),
    { $or: [...(releases ? [{ kind: 'release' }] : []), ...visibleRows(seen)] },
  ]
  if (!releases && seen.length === 0) return Promise.resolve([])
  return schedulesIn(database)
    .find({ $and: conditions }, { batchSize: limit + 1 })
    .sort({ at: 1, _id: 1 })
    .limit(limit)
    .toArray()
}

function behind({ at, _id }: SchedulePlace): object {
  return { $or: [{ at: { $gt: at } }, { at, _id: { $gt: _id } }] }
}

export function getSchedule(
  { documents: { database } }: Pick<PlanningContext, 'documents'>,
  id: string,
): Promise<ScheduleRow | null> {
  return schedulesIn(database).findOne({ _id: id })
}

/** @throws NotFoundError if done or cancelled; ApplicationError if it has not failed or is running */
export async function retrySchedule(
  context: Pick<PlanningContext, 'documents' | 'now'>,
  id: string,
): Promise<ScheduleRow> {
  const { database } = context.documents
  const row = await database.transact(async (session) => {
    const begun = await schedulesIn(database).findOneAndUpdate(
      { _id: id, failure: { $ne: null }, lease: null },
      { $set: newJob(context.now()) },
      { session, returnDocument: 'after' },
    )
    if (begun !== null) noteSchedule(session, 'put', begun)
    return begun
  })
  if (row !== null) return row
  if ((await getSchedule(context, id)) === null) throw noSchedule()
  const message = 'The schedule has not failed'
  throw new ApplicationError(message, {}, because(message, 'schedule.notFailed'))
}

/**
 * A running attempt cannot complete, and a failed schedule waits again. The action runs in the name of
 * the author of the change. @throws NotFoundError if done or cancelled
 */
export async function moveSchedule(
  { documents: { database } }: Pick<PlanningContext, 'documents'>,
  id: string,
  { at, origin }: { readonly at: Date; readonly origin: WriteOrigin },
): Promise<ScheduleRow> {
  const { by } = origin.authorship
  return database.transact(async (session) => {
    const row = await schedulesIn(database).findOneAndUpdate(
      { _id: id },
      { $set: { ...newJob(at), at, by, failure: null } },
      { session, returnDocument: 'after' },
    )
    if (row === null) throw noSchedule()
    noteSchedule(session, 'put', row)
    return row
  }, origin)
}

export function noSchedule(): NotFoundError {
  return new NotFoundError('There is no such schedule')
}

/** A running attempt cannot complete. @throws NotFoundError if done or cancelled */
export async function cancelSchedule(
  { documents: { database } }: Pick<PlanningContext, 'documents'>,
  id: string,
): Promise<void> {
  await database.transact(async (session) => {
    const row = await schedulesIn(database).findOneAndDelete({ _id: id }, { session })
    if (row === null) throw noSchedule()
    noteSchedule(session, 'delete', row)
  })
}
