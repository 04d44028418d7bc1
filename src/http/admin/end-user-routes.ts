import Joi from 'joi'
import { pluginAction, type PluginVerb } from '../../people/access/actions.ts'
import { readInput } from '../../people/access/input.ts'
import {
  createByAdministrator,
  mailPasswordReset,
  updateByAdministrator,
  type UserAdministration,
} from '../../people/accounts/administer-users.ts'
import type { AccountsContext } from '../../people/accounts/accounts.ts'
import type { Mailer } from '../../people/accounts/mailer.ts'
import { deleteUser, getUserOfDocument } from '../../people/accounts/manage-users.ts'
import { ROLE, type User } from '../../people/accounts/users.ts'
import { findUserRelations } from '../../content/deleted-users/user-relations.ts'
import { findEntries } from '../../content/read/find-entries.ts'
import { showVersions } from '../../content/read/find-documents.ts'
import type { Entry } from '../../content/read/row.ts'
import { parseEntryQuery, parseQuery } from '../../query/parse-query.ts'
import type { QueryRules } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import { listEnvelope } from '../answer/envelope.ts'
import { parameterOf, payloadOf, readQuery } from '../body/read-request.ts'
import { rulesOf } from '../reads/query-rules.ts'
import { adminRouter, type BeforeAdmin } from '../router/admin-router.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import type { Context } from '../router/state.ts'
import { type UserReading, userPlan } from '../routes/show-user.ts'
import { assertRoleOf, editorOf } from '../routes/user-editor.ts'

export interface EndUserRouteDependencies
  extends BeforeAdmin, UserReading, Pick<UserAdministration, 'log'> {
  readonly accounts: AccountsContext
  /** Null if no mail can be sent. */
  readonly mailer: Mailer | null
}

const USERS = 'plugin::users-permissions.user'
const MAX_PAGE_SIZE = 100

interface ListQuery {
  readonly search?: string
  readonly blocked?: boolean
  readonly confirmed?: boolean
  readonly role?: string
  readonly pagination?: { readonly page?: number; readonly pageSize?: number }
}

const LIST = Joi.object<ListQuery>({
  search: Joi.string().max(200).allow(''),
  blocked: Joi.boolean(),
  confirmed: Joi.boolean(),
  role: Joi.string().max(255),
  pagination: Joi.object({
    page: Joi.number().integer().min(1).max(1_000_000),
    pageSize: Joi.number().integer().min(1).max(MAX_PAGE_SIZE),
  }),
}).prefs({ convert: true }) // query parameters are text

const WITH_ROLE: Data = { populate: { role: { fields: ['name', 'type'] } } }

export function endUserRoutes(dependencies: EndUserRouteDependencies): GuardedRouter {
  const admin = adminRouter('/admin/users', dependencies)
  const may = (verb: PluginVerb<typeof USERS>): string => pluginAction(USERS, verb)
  const administration = { ...dependencies, sendsMails: dependencies.mailer !== null }
  const { accounts } = dependencies
  admin.get('/', may('find'), (ctx) => list(ctx, dependencies))
  admin.post('/', may('create'), async (ctx) => {
    const editor = await editorOf(ctx, dependencies)
    const { user, mailed } = await createByAdministrator(administration, payloadOf(ctx), editor)
    ctx.status = 201
    ctx.body = { data: await show(ctx, dependencies, user), meta: { mailed } }
  })
  admin.get('/:documentId', may('findOne'), async (ctx) => {
    const user = await getUserOfDocument(accounts, parameterOf(ctx, 'documentId'))
    ctx.body = {
      data: await show(ctx, dependencies, user),
      meta: { content: contentOfUsers(dependencies) },
    }
  })
  admin.put('/:documentId', may('update'), async (ctx) => {
    const editor = await editorOf(ctx, dependencies)
    const documentId = parameterOf(ctx, 'documentId')
    const user = await updateByAdministrator(administration, documentId, payloadOf(ctx), editor)
    ctx.body = { data: await show(ctx, dependencies, user) }
  })
  admin.delete('/:documentId', may('destroy'), async (ctx) => {
    const { id } = await getUserOfDocument(accounts, parameterOf(ctx, 'documentId'))
    const user = await deleteUser(accounts, String(id), assertRoleOf(ctx, accounts))
    ctx.body = { data: await show(ctx, dependencies, user) }
  })
  admin.post('/:documentId/reset', may('update'), async (ctx) => {
    const documentId = parameterOf(ctx, 'documentId')
    ctx.body = { data: { mailed: await mailPasswordReset(administration, documentId) } }
  })
  return admin.router
}

async function list(ctx: Context, dependencies: EndUserRouteDependencies): Promise<void> {
  const { pagination = {}, ...asked } = readInput(LIST, readQuery(ctx.querystring))
  const { page = 1, pageSize = 25 } = pagination
  const conditions = conditionsOf(asked)
  const data = {
    ...WITH_ROLE,
    ...(conditions.length > 0 && { filters: { $and: conditions } }),
    sort: 'id:desc', // the newest first
    pagination: { page: String(page), pageSize: String(pageSize) },
  }
  const query = parseQuery(data, userPlan(dependencies), await staffRules(ctx, dependencies))
  ctx.body = listEnvelope(await findEntries(dependencies.documents.database, query), query.page)
}

function conditionsOf({ search = '', blocked, confirmed, role }: ListQuery): readonly Data[] {
  return [
    ...(search === ''
      ? []
      : [{ $or: ['username', 'email'].map((name) => ({ [name]: { $containsi: search } })) }]),
    ...flagCondition('blocked', blocked),
    ...flagCondition('confirmed', confirmed),
    ...(role === undefined ? [] : [{ role: { type: { $eq: role } } }]),
  ]
}

/** Imported users may have null, which means false. */
function flagCondition(name: string, value: boolean | undefined): readonly Data[] {
  if (value === undefined) return []
  if (value) return [{ [name]: { $eq: 'true' } }]
  return [{ $or: [{ [name]: { $eq: 'false' } }, { [name]: { $null: 'true' } }] }]
}

async function show(
  ctx: Context,
  dependencies: EndUserRouteDependencies,
  user: User,
): Promise<Entry> {
  const rules = await staffRules(ctx, dependencies)
  const asked = parseEntryQuery(WITH_ROLE, userPlan(dependencies), rules)
  const { database } = dependencies.documents
  const [entry = {}] = await showVersions(database, [user], 'published', asked)
  return entry
}

/** Shows the role of each user to administrators who may read users. */
async function staffRules(
  ctx: Context,
  dependencies: EndUserRouteDependencies,
): Promise<QueryRules> {
  const rules = rulesOf(ctx, dependencies, await dependencies.locales.current())
  return {
    ...rules,
    maxLimit: MAX_PAGE_SIZE,
    mayRead: (uid) => uid === ROLE || rules.mayRead(uid),
  }
}

/** The relations of content to users, with the fate of the content of a deleted user. */
function contentOfUsers({ schema }: EndUserRouteDependencies): readonly object[] {
  return findUserRelations(schema.contentTypes).map(({ plan, attribute, onUserDelete }) => ({
    uid: plan.uid,
    attribute: attribute.name,
    onUserDelete,
  }))
}
