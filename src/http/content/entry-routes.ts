import Joi from 'joi'
import { contentAction, type ContentVerb } from '../../people/access/actions.ts'
import { inputError, readInput } from '../../people/access/input.ts'
import { may, mayIn } from '../../people/access/permissions.ts'
import { shownAttributes } from '../../people/access/ruled-reads.ts'
import { findUsages, type ReadableType, type UsageTargets } from '../../content/read/find-usages.ts'
import { proposeUid, toUid } from '../../content/payload/fill-uids.ts'
import { ForbiddenError, NotFoundError } from '../../base/errors.ts'
import type { Data, Definitions, ScalarDefinition } from '../../schema/definition.ts'
import { uidsOfType } from '../../schema/named-type.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { administratorsUnderRule, type GuardedRouter } from '../router/guarded-router.ts'
import { payloadOf, parameterOf, readQuery } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'
import { type AdminRouter, adminRouter } from '../router/admin-router.ts'
import { boundLocales } from '../admin/request/bound-locales.ts'
import { findCommenters, mayComment } from '../admin/request/commented-entry.ts'
import { mayReadDrafts, readLocaleStates } from '../admin/request/entry-facts.ts'
import { readPage } from '../admin/request/page-of.ts'
import { DOCUMENT_IDS } from './admin-bulk-routes.ts'
import { assertSingle, type EditorContentDependencies, localeOf, planOf } from './editor-content.ts'

export function entryRoutes(dependencies: EditorContentDependencies): GuardedRouter {
  const admin = adminRouter('/admin/content', dependencies)
  add(admin, dependencies, 'get', '/:uid/:documentId/locales', showLocales)
  add(admin, dependencies, 'get', '/:uid/:documentId/usages', showUsages)
  add(admin, dependencies, 'post', '/:uid/usages', showUsagesOfMany)
  add(admin, dependencies, 'get', '/:uid/people', showPeople)
  add(admin, dependencies, 'post', '/:uid/uid-proposals', showProposal)
  return admin.router
}

/** Administrators with the right to read the type, for filters on authors. */
const showPeople: EntryHandler = async (ctx, plan, dependencies) => {
  const query = readQuery(ctx.querystring)
  const locale = localeOf(plan, query, await dependencies.locales.current())
  if (!mayComment(ctx.state.principal, plan, locale)) {
    throw new ForbiddenError('Forbidden', {}, { action: contentAction(plan, 'readDrafts') })
  }
  ctx.body = { data: await findCommenters(dependencies, { plan, locale }) }
}

type EntryHandler = (
  ctx: Context,
  plan: ContentTypePlan,
  dependencies: EditorContentDependencies,
) => Promise<void>

function add(
  admin: AdminRouter,
  dependencies: EditorContentDependencies,
  method: 'get' | 'post',
  path: string,
  handler: EntryHandler,
): void {
  admin.guarded(
    method,
    path,
    (run) => administratorsUnderRule('find', (ctx) => actionOf(ctx, dependencies, 'find'), run),
    async (ctx) => {
      const plan = planOf(ctx, dependencies)
      assertSingle(ctx, plan)
      await handler(ctx, plan, dependencies)
    },
  )
}

function actionOf(
  ctx: Context,
  dependencies: EditorContentDependencies,
  verb: ContentVerb,
): string {
  return contentAction(planOf(ctx, dependencies), verb)
}

async function showLocales(
  ctx: Context,
  plan: ContentTypePlan,
  dependencies: EditorContentDependencies,
): Promise<void> {
  const data = await readLocaleStates(ctx, plan, parameterOf(ctx, 'documentId'), dependencies)
  if (data.length === 0) throw new NotFoundError('Not Found')
  ctx.body = { data }
}

async function showUsages(
  ctx: Context,
  plan: ContentTypePlan,
  dependencies: EditorContentDependencies,
): Promise<void> {
  const documentId = parameterOf(ctx, 'documentId')
  await sendUsages(ctx, dependencies, usageTargets(ctx, plan, [documentId]))
}

/** Under a rule the entries may be hidden, so their usages are not shown. */
function usageTargets(
  { state: { principal } }: Context,
  plan: ContentTypePlan,
  documentIds: readonly string[],
): UsageTargets {
  const { uid } = plan
  const linkedAs = uidsOfType(plan)
  return {
    uid,
    linkedAs,
    documentIds: may(principal, contentAction({ uid }, 'find')) ? documentIds : [],
  }
}

const MANY = Joi.object<{ readonly documentIds: readonly string[] }>({ documentIds: DOCUMENT_IDS })

async function showUsagesOfMany(
  ctx: Context,
  plan: ContentTypePlan,
  dependencies: EditorContentDependencies,
): Promise<void> {
  const { documentIds } = readInput(MANY, payloadOf(ctx))
  await sendUsages(ctx, dependencies, usageTargets(ctx, plan, documentIds))
}

export async function sendUsages(
  ctx: Context,
  { documents: { database }, schema }: Pick<EditorContentDependencies, 'documents' | 'schema'>,
  targets: UsageTargets,
): Promise<void> {
  const { principal } = ctx.state
  const page = readPage(readQuery(ctx.querystring))
  const types = [...schema.contentTypes.values()].flatMap((plan): readonly ReadableType[] => {
    const find = contentAction(plan, 'find')
    if (!plan.uid.startsWith('api::') || !may(principal, find)) return []
    const drafts = !plan.draftAndPublish || may(principal, contentAction(plan, 'readDrafts'))
    const isSeen: ReadableType['isSeen'] = ({ locale, status }) =>
      (!plan.localized || mayIn(principal, find, [locale])) &&
      (status !== 'draft' || mayReadDrafts(ctx, plan, locale))
    return [{ plan, drafts, isSeen }]
  })
  const { all, capped } = await findUsages(database, types, targets)
  ctx.body = {
    data: all.slice(page.start, page.start + page.pageSize),
    meta: { pagination: page.show(all.length, capped) },
  }
}

interface ProposalInput {
  readonly field: string
  readonly value?: string
  readonly data?: Data
  readonly documentId?: string
  readonly locale?: string
}

const PROPOSAL = Joi.object<ProposalInput>({
  field: Joi.string().max(255).required(),
  value: Joi.string().max(200),
  data: Joi.object().unknown(),
  documentId: Joi.string().max(24),
  locale: Joi.string().max(35),
}).xor('value', 'data')

async function showProposal(
  ctx: Context,
  plan: ContentTypePlan,
  { documents: { database }, definitions, locales }: EditorContentDependencies,
): Promise<void> {
  const { field, value, data, documentId = null, locale = '' } = readInput(PROPOSAL, payloadOf(ctx))
  const attribute = uidNamed(field, plan, definitions)
  const query = { locale }
  const find = contentAction(plan, 'find')
  assertShown(ctx, plan, field)
  const actions = may(ctx.state.principal, find) ? [find] : []
  const rules = boundLocales(ctx, plan, query, actions, await locales.current())
  const owner = { plan, attribute: field, locale: localeOf(plan, query, rules), documentId }
  const wanted = value ?? followedUid(plan, data?.[attribute.targetField ?? ''])
  const { proposal, ...asked } = await proposeUid(database, owner, wanted)
  ctx.body = {
    data: { ...(data === undefined ? asked : { value: proposal, free: true }), proposal },
  }
}

/** The proposal for an attribute that the caller cannot read would show whether a value is stored. */
function assertShown(
  { state: { principal } }: Context,
  plan: ContentTypePlan,
  field: string,
): void {
  if (shownAttributes(principal, plan)?.has(field) !== false) return
  throw unknownUid(field)
}

function unknownUid(field: string): Error {
  return inputError('field', 'field must name a uid', field, { code: 'any.unknown' })
}

function uidNamed(
  field: string,
  { uid }: ContentTypePlan,
  { contentTypes }: Definitions,
): ScalarDefinition {
  const attributes = contentTypes.find((type) => type.uid === uid)?.attributes ?? {}
  const attribute = Object.entries(attributes).find(([name]) => name === field)?.[1]
  if (attribute?.type !== 'uid') {
    throw unknownUid(field)
  }
  return attribute
}

function followedUid({ singularName }: ContentTypePlan, followed: unknown): string {
  const made = toUid(typeof followed === 'string' ? followed : '')
  return made === '' ? singularName : made
}
