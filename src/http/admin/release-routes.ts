import Joi from 'joi'
import { administratorAction } from '../../people/access/administrator-actions.ts'
import { contentAction } from '../../people/access/actions.ts'
import { inputError, readInput, shortText } from '../../people/access/input.ts'
import { assertMayIn } from '../../people/access/permissions.ts'
import { rulesFor } from '../../people/access/principal.ts'
import { NotFoundError } from '../../base/errors.ts'
import { checkItems } from '../../content/planning/check-items.ts'
import type { Planning } from '../../content/planning/open-planning.ts'
import { publishablePlan } from '../../content/planning/planning.ts'
import { publishRelease } from '../../content/planning/publish-release.ts'
import {
  addItems,
  createRelease,
  getRelease,
  listReleases,
  type NewItem,
  removeItem,
  removeRelease,
  renameRelease,
  scheduleRelease,
} from '../../content/planning/releases.ts'
import { MAX_RELEASE_ITEMS, type ReleaseRow } from '../../content/planning/release-rows.ts'
import type { LocaleRules } from '../../query/query.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { payloadOf, parameterOf, readQuery } from '../body/read-request.ts'
import { readTime } from '../body/read-time.ts'
import type { Context } from '../router/state.ts'
import { adminRouter, type BeforeAdmin } from '../router/admin-router.ts'
import { hiddenLines, type PlannedLine } from './request/hidden-lines.ts'
import { pageOf, type Paging, pagingRule } from './request/paging.ts'
import { plannedItemsOf, summaryOf } from './request/show-planned.ts'
import { readOriginOf } from '../reads/query-rules.ts'

export interface PlanningRouteDependencies extends BeforeAdmin {
  readonly planning: Planning
}

interface ItemInput {
  readonly uid: string
  readonly documentId: string
  readonly locale?: string | null
  readonly action: 'publish' | 'unpublish'
}

const NAMED = Joi.object<{ readonly data: { readonly name: string } }>({
  data: Joi.object({ name: shortText().required() }).required(),
})

const ITEMS = Joi.object<{ readonly data: { readonly items: readonly ItemInput[] } }>({
  data: Joi.object({
    items: Joi.array()
      .items(
        Joi.object({
          uid: Joi.string().max(255).required(),
          documentId: Joi.string()
            .pattern(/^[a-z][a-z0-9]{23}$/)
            .message('{{#label}} must be a documentId')
            .required(),
          locale: Joi.string().max(35).allow(null),
          action: Joi.valid('publish', 'unpublish').required(),
        }),
      )
      .min(1)
      .max(MAX_RELEASE_ITEMS)
      .required(),
  }).required(),
})

type Handler = (ctx: Context, planning: Planning) => Promise<void>

export function releaseRoutes({ planning, ...before }: PlanningRouteDependencies): GuardedRouter {
  const admin = adminRouter('/admin/releases', before)
  const of = (verb: 'read' | 'create' | 'update' | 'publish' | 'delete') =>
    administratorAction('admin::releases', verb)
  const run = (handler: Handler) => (ctx: Context) => handler(ctx, planning)
  admin.get('/', of('read'), run(list))
  admin.post('/', of('create'), run(create))
  admin.get('/:id', of('read'), run(sendRelease))
  admin.put('/:id', of('update'), run(rename))
  admin.delete('/:id', of('delete'), run(remove))
  admin.post('/:id/items', of('update'), run(add))
  admin.delete('/:id/items/:item', of('update'), run(takeOut))
  admin.post('/:id/check', of('read'), run(check))
  admin.post('/:id/actions/publish', of('publish'), run(publish))
  return admin.router
}

interface ReleasesQuery {
  readonly uid?: string
  readonly documentId?: string
  readonly pagination?: Paging
}

const MAX_LISTED_RELEASES = 200

const RELEASES = Joi.object<ReleasesQuery>({
  uid: Joi.string().max(255),
  documentId: Joi.string().max(24),
  pagination: pagingRule(/^[0-9a-z]{24}$/, MAX_LISTED_RELEASES),
})
  .and('uid', 'documentId')
  .prefs({ convert: true }) // query parameters are text

async function list(ctx: Context, planning: Planning): Promise<void> {
  const { uid, documentId, pagination = {} } = readInput(RELEASES, readQuery(ctx.querystring))
  const { cursor = null, pageSize = MAX_LISTED_RELEASES } = pagination
  const holding = uid === undefined || documentId === undefined ? null : { type: uid, documentId }
  const page = { before: cursor, limit: pageSize + 1 }
  const found = await listReleases(planning, holding, page)
  const { rows, nextCursor } = pageOf(found, pageSize, ({ _id }) => _id)
  const show = async (row: ReleaseRow): Promise<object> => {
    const summary = await summaryOf(ctx, planning, row)
    if (holding === null) return summary
    const own = row.items.filter(
      (item) => item.type === holding.type && item.documentId === holding.documentId,
    )
    return { ...summary, items: await plannedItemsOf(ctx, planning, own) }
  }
  ctx.body = {
    data: await Promise.all(rows.map(show)),
    meta: { pagination: { pageSize, nextCursor } },
  }
}

async function create(ctx: Context, planning: Planning): Promise<void> {
  const { data } = readInput(NAMED, payloadOf(ctx))
  ctx.status = 201
  await send(ctx, planning, await createRelease(planning, data.name))
}

async function sendRelease(ctx: Context, planning: Planning): Promise<void> {
  await send(ctx, planning, await getRelease(planning, parameterOf(ctx, 'id')))
}

async function rename(ctx: Context, planning: Planning): Promise<void> {
  const { data } = readInput(NAMED, payloadOf(ctx))
  await send(ctx, planning, await renameRelease(planning, parameterOf(ctx, 'id'), data.name))
}

async function remove(ctx: Context, planning: Planning): Promise<void> {
  await removeRelease(planning, parameterOf(ctx, 'id'))
  ctx.status = 204
}

async function add(ctx: Context, planning: Planning): Promise<void> {
  const { data } = readInput(ITEMS, payloadOf(ctx))
  const locales = await planning.locales.current()
  const items = data.items.map((item, index) => itemOf(ctx, planning, item, { index, locales }))
  await assertVisible(ctx, planning, items)
  await send(ctx, planning, await addItems(planning, parameterOf(ctx, 'id'), items))
}

/** A principal cannot add documents that it may not read. @throws NotFoundError, ForbiddenError, ValidationError */
function itemOf(
  { state: { principal } }: Context,
  planning: Planning,
  { uid, documentId, locale = null, action }: ItemInput,
  { index, locales }: { readonly index: number; readonly locales: LocaleRules },
): NewItem {
  const plan = publishablePlan(planning, uid)
  const code = plan.localized ? (locale ?? locales.defaultCode) : NO_LOCALE
  if (plan.localized && !locales.has(code)) {
    throw inputError(`data.items.${index}.locale`, 'There is no such locale', locale, {
      code: 'any.unknown',
    })
  }
  for (const verb of ['find', 'readDrafts'] as const) {
    const action = contentAction(plan, verb)
    if (rulesFor(principal, action).length > 0) continue
    assertMayIn(principal, action, plan.localized ? [code] : [])
  }
  return { type: uid, documentId, locale: code, action }
}

/** @throws NotFoundError for items that rules hide */
async function assertVisible(
  { state: { principal } }: Context,
  planning: Planning,
  items: readonly PlannedLine[],
): Promise<void> {
  const hidden = await hiddenLines(principal, planning, items)
  if (hidden.size > 0) throw new NotFoundError('Not Found')
}

async function takeOut(ctx: Context, planning: Planning): Promise<void> {
  const id = parameterOf(ctx, 'id')
  await send(ctx, planning, await removeItem(planning, id, parameterOf(ctx, 'item')))
}

/** Refused items are reported even if they are hidden, because permissions decide on them. */
async function check(ctx: Context, planning: Planning): Promise<void> {
  const { principal } = ctx.state
  const { items } = await getRelease(planning, parameterOf(ctx, 'id'))
  const hidden = [...(await hiddenLines(principal, planning, items))].map(({ id }) => id)
  const found = await checkItems(planning, principal, items)
  const faults = found.filter(
    ({ item, name }) => !hidden.includes(item) || name === 'ForbiddenError',
  )
  ctx.body = { data: { items: items.length, faults } }
}

async function publish(ctx: Context, planning: Planning): Promise<void> {
  const id = parameterOf(ctx, 'id')
  const at = readTime(ctx, planning.now())
  if (at === null) {
    await send(
      ctx,
      planning,
      await publishRelease(planning, ctx.state.principal, id, readOriginOf(ctx)),
    )
    return
  }
  ctx.status = 202
  await send(ctx, planning, await scheduleRelease(planning, id, at))
}

async function send(ctx: Context, planning: Planning, row: ReleaseRow): Promise<void> {
  const items = await plannedItemsOf(ctx, planning, row.items)
  ctx.body = { data: { ...(await summaryOf(ctx, planning, row)), items } }
}
