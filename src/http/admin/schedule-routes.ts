import Joi from 'joi'
import { administratorAction } from '../../people/access/administrator-actions.ts'
import { contentAction } from '../../people/access/actions.ts'
import { readInput } from '../../people/access/input.ts'
import { assertMayIn, mayIn } from '../../people/access/permissions.ts'
import { type Principal, rulesFor } from '../../people/access/principal.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import { hasReadRules } from '../../content/rules/visible-documents.ts'
import { assertWritable } from '../../content/write/assert-writable.ts'
import { namedLocales } from '../../content/write-rules.ts'
import { NotFoundError } from '../../base/errors.ts'
import type { Planning } from '../../content/planning/open-planning.ts'
import { unscheduleRelease } from '../../content/planning/releases.ts'
import {
  cancelSchedule,
  getSchedule,
  listSchedules,
  moveSchedule,
  noSchedule,
  retrySchedule,
  type SchedulePlace,
} from '../../content/planning/schedules.ts'
import type { ScheduleRow } from '../../content/planning/schedule-rows.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { payloadOf, parameterOf, readQuery } from '../body/read-request.ts'
import { readRequiredTime } from '../body/read-time.ts'
import { showSchedule } from '../answer/show-schedule.ts'
import { readOriginOf } from '../reads/query-rules.ts'
import type { Context } from '../router/state.ts'
import { adminRouter } from '../router/admin-router.ts'
import type { PlanningRouteDependencies } from './release-routes.ts'
import { pageOf, type Paging, pagingRule } from './request/paging.ts'
import { maySeeUnderRule, readableTypes } from './request/readable-types.ts'
import { namesOf } from './request/show-planned.ts'
import { withShownFailures } from './request/shown-failures.ts'

interface ListQuery {
  readonly from?: Date
  readonly until?: Date
  readonly uid?: string
  readonly documentId?: string
  readonly pagination?: Paging
}

const MAX_LISTED_SCHEDULES = 500

const SCHEDULES = Joi.object<ListQuery>({
  from: Joi.date().iso(),
  until: Joi.date().iso(),
  uid: Joi.string().max(255),
  documentId: Joi.string().max(24),
  pagination: pagingRule(/^\d{1,15}-[0-9a-z]{24}$/, MAX_LISTED_SCHEDULES),
}).prefs({ convert: true }) // query parameters are text

export function scheduleRoutes({ planning, ...before }: PlanningRouteDependencies): GuardedRouter {
  const admin = adminRouter('/admin/schedules', before)
  admin.get('/', null, (ctx) => listSchedulesOf(ctx, planning))
  admin.put('/:id', null, (ctx) => move(ctx, planning))
  admin.delete('/:id', null, (ctx) => cancel(ctx, planning))
  admin.post('/:id/actions/retry', null, (ctx) => retry(ctx, planning))
  return admin.router
}

async function listSchedulesOf(ctx: Context, planning: Planning): Promise<void> {
  const { principal } = ctx.state
  const given = readInput(SCHEDULES, readQuery(ctx.querystring))
  const { cursor = null, pageSize = MAX_LISTED_SCHEDULES } = given.pagination ?? {}
  const plans = [...planning.schema.contentTypes.values()]
  const selection = {
    from: given.from ?? null,
    until: given.until ?? null,
    type: given.uid ?? null,
    documentId: given.documentId ?? null,
    seen: readableTypes(principal, plans, await planning.locales.current(), maySeeUnderRule),
    releases: mayIn(principal, administratorAction('admin::releases', 'read'), []),
  }
  const found = await visibleSchedules(principal, planning, selection, {
    after: placeOf(cursor),
    limit: pageSize + 1,
  })
  const { rows, nextCursor } = pageOf(found, pageSize, cursorOf)
  const names = await namesOf(principal, planning, rows)
  const shown = await withShownFailures(principal, planning, rows)
  ctx.body = {
    data: shown.map((row) => ({ ...showSchedule(row), title: names.get(row._id) ?? '' })),
    meta: { pagination: { pageSize, nextCursor } },
  }
}

/** Reads further pages until the rows that rules show fill one. */
async function visibleSchedules(
  principal: Principal,
  planning: Planning,
  selection: Parameters<typeof listSchedules>[1],
  { after, limit }: { readonly after: SchedulePlace | null; readonly limit: number },
): Promise<readonly ScheduleRow[]> {
  const visible: ScheduleRow[] = []
  for (let from = after; ;) {
    const found = await listSchedules(planning, selection, { after: from, limit })
    const names = await namesOf(principal, planning, found)
    const isHidden = ({ _id, kind }: ScheduleRow): boolean => kind === 'document' && !names.has(_id)
    visible.push(...found.filter((row) => !isHidden(row) || !isRuled(principal, planning, row)))
    const last = found.at(-1)
    if (found.length < limit || last === undefined || visible.length >= limit) break
    from = last
  }
  return visible.slice(0, limit)
}

function isRuled(principal: Principal, { schema }: Planning, row: ScheduleRow): boolean {
  const plan = row.kind === 'document' ? schema.contentTypes.get(row.type) : undefined
  return plan !== undefined && hasReadRules(writeRulesOf(principal), plan)
}

function cursorOf({ at, _id }: SchedulePlace): string {
  return `${at.getTime()}-${_id}`
}

function placeOf(cursor: string | null): SchedulePlace | null {
  if (cursor === null) return null
  const [at = '', _id = ''] = cursor.split('-')
  return { at: new Date(Number(at)), _id }
}

async function cancel(ctx: Context, planning: Planning): Promise<void> {
  const { _id: id, kind } = await changeableSchedule(ctx, planning)
  if (kind === 'release') await unscheduleRelease(planning, id)
  else await cancelSchedule(planning, id)
  ctx.status = 204
}

async function move(ctx: Context, planning: Planning): Promise<void> {
  const at = readRequiredTime(ctx, planning.now())
  const { _id: id } = await changeableSchedule(ctx, planning)
  await send(ctx, planning, await moveSchedule(planning, id, { at, origin: readOriginOf(ctx) }))
}

async function retry(ctx: Context, planning: Planning): Promise<void> {
  readInput(EMPTY_BODY, payloadOf(ctx) ?? {})
  const { _id: id } = await changeableSchedule(ctx, planning)
  ctx.status = 202
  await send(ctx, planning, await retrySchedule(planning, id))
}

async function send(ctx: Context, planning: Planning, row: ScheduleRow): Promise<void> {
  const { principal } = ctx.state
  const names = await namesOf(principal, planning, [row])
  const [shown = row] = await withShownFailures(principal, planning, [row])
  ctx.body = { data: { ...showSchedule(shown), title: names.get(row._id) ?? '' } }
}

const EMPTY_BODY = Joi.object({})

/** Under rules, the document must be visible and may be published now. @throws NotFoundError, ForbiddenError for a principal that may not publish the scheduled document or release */
async function changeableSchedule(ctx: Context, planning: Planning): Promise<ScheduleRow> {
  const { principal } = ctx.state
  const row = await getSchedule(planning, parameterOf(ctx, 'id'))
  if (row === null) throw noSchedule()
  if (row.kind === 'release') {
    assertMayIn(principal, administratorAction('admin::releases', 'publish'), [])
    return row
  }
  const plan = planning.schema.contentTypes.get(row.type)
  const action = contentAction({ uid: row.type }, 'publish')
  if (plan === undefined || rulesFor(principal, action).length === 0) {
    assertMayIn(principal, action, plan?.localized === true ? row.locales : [])
    return row
  }
  const { documents, locales } = planning
  const { defaultCode: locale } = await locales.current()
  const { documentId, asked: kind } = row
  const own = namedLocales({ kind, locales: row.locales })
  const write = { plan, documentId, verb: 'publish', locale, locales: own } as const
  await assertWritable(documents, writeRulesOf(principal), write).catch((error: unknown) => {
    throw error instanceof NotFoundError ? noSchedule() : error
  })
  return row
}
