import Joi from 'joi'
import { ApplicationError, CmsError } from '../base/errors.ts'
import type { LocaleList } from '../content/locales/locales.ts'
import { queryOfObject } from '../content/service/query-of-object.ts'
import { type Refusal, tryAction, type TriedAction } from '../content/write/try-action.ts'
import { singleDocumentId } from '../content/write/single-document-id.ts'
import { translateFilter } from '../mongo/read/translate-filter.ts'
import { versionsOf } from '../mongo/versions/stored-version.ts'
import { readInput } from '../people/access/input.ts'
import type { Principal } from '../people/access/principal.ts'
import { findAdministratorByEmail } from './admin-commands.ts'
import { ruledAdministrator } from '../people/administrators/principals.ts'
import { findNamedUser } from '../people/accounts/manage-users.ts'
import { parseFilters } from '../query/parse-filters.ts'
import { parseWriteKey } from '../query/parse-version.ts'
import type { Filter, Status } from '../query/query.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import { typesOfFilter } from '../query/types-of-query.ts'
import type { Data } from '../schema/definition.ts'
import type { CommandContext } from './command.ts'

type Who =
  | 'public'
  | { readonly user: string }
  | { readonly apiToken: string }
  | { readonly administrator: string }

export interface RuleCase {
  readonly name?: string
  readonly who: Who
  readonly action: string
  /** A documentId, or a filter that exactly one document matches. */
  readonly entry?: string | Data
  readonly data?: Data
  readonly locale?: string
  readonly status?: Status
  readonly allowed: boolean
}

export interface TestedCase extends Pick<RuleCase, 'action'> {
  /** The name of the case, or else its number. */
  readonly case: string
  readonly who: string
  readonly expected: boolean
  readonly allowed: boolean
  readonly refusal: Refusal
}

const VERBS = ['find', 'findOne', 'sync', 'create', 'update', 'delete', 'publish'] as const
const MAX_CASES = 10_000

const WHO = Joi.alternatives(
  Joi.valid('public'),
  Joi.object({ user: Joi.string(), apiToken: Joi.string(), administrator: Joi.string() }).xor(
    'user',
    'apiToken',
    'administrator',
  ),
)

const FILE = Joi.object<{ readonly cases: readonly RuleCase[] }>({
  cases: Joi.array()
    .items(
      Joi.object({
        name: Joi.string(),
        who: WHO.required(),
        action: Joi.string().required(),
        entry: Joi.alternatives(Joi.string(), Joi.object().min(1).unknown(true)),
        data: Joi.object().unknown(true),
        locale: Joi.string(),
        status: Joi.valid('draft', 'published'),
        allowed: Joi.boolean().required(),
      }),
    )
    .min(1)
    .max(MAX_CASES)
    .required(),
})

/** @throws ValidationError with the path of each invalid member */
export function parseRuleCases(input: unknown): readonly RuleCase[] {
  return readInput(FILE, input).cases
}

/** Changes nothing. @throws ApplicationError with the path of a case that cannot be tested */
export async function testRuleCases(
  context: CommandContext,
  cases: readonly RuleCase[],
): Promise<readonly TestedCase[]> {
  const locales = await (await context.locales()).current()
  const tested: TestedCase[] = []
  for (const [index, one] of cases.entries()) {
    const at = `cases[${index}]`
    const refusal = await testCase(context, locales, { case: one, at })
    tested.push({
      case: one.name ?? String(index),
      who: nameOfWho(one.who),
      action: one.action,
      expected: one.allowed,
      allowed: refusal === null,
      refusal,
    })
  }
  return tested
}

async function testCase(
  context: CommandContext,
  locales: LocaleList,
  { case: one, at }: { readonly case: RuleCase; readonly at: string },
): Promise<Refusal> {
  const { documents, schema } = await context.content()
  const uid = one.action.slice(0, one.action.lastIndexOf('.'))
  const verb = VERBS.find((each) => `${uid}.${each}` === one.action)
  const plan = schema.contentTypes.get(uid)
  if (plan === undefined || verb === undefined || !uid.startsWith('api::')) {
    const message = `${one.action} is not an action of a content-type (${VERBS.join(', ')})`
    throw new ApplicationError(`${at}.action: ${message}`)
  }
  const principal = await within(`${at}.who`, () => findPrincipal(context, one.who))
  const { status = 'published', locale, data = {} } = one
  const key = await within(`${at}.locale`, () =>
    parseWriteKey({ status, locale }, undefined, plan, locales),
  )
  const documentId = await within(`${at}.entry`, () =>
    findEntry(documents, { plan, verb, locale: key.locale }, one),
  )
  const shown = locale !== undefined && locales.has(locale) ? locale : locales.defaultCode
  const contextOfRules = { ...documents, stamped: await stampedOf(context) }
  return within(at, () =>
    tryAction(contextOfRules, principal, { verb, plan, documentId, key, locale: shown, data }),
  )
}

async function stampedOf(context: CommandContext) {
  const access = await context.access()
  return { current: () => access.stamped(), readFrom: () => undefined }
}

async function findPrincipal(context: CommandContext, who: Who): Promise<Principal> {
  const principal = await principalOf(context, who)
  if (principal === null) throw new ApplicationError(`there is no principal ${nameOfWho(who)}`)
  return principal
}

async function principalOf(context: CommandContext, who: Who): Promise<Principal | null> {
  const access = await context.access()
  if (who === 'public') return access.principalNamed({ kind: 'anonymous' })
  if ('administrator' in who) {
    const administrators = await context.administrators()
    const { id } = await findAdministratorByEmail(administrators, who.administrator)
    return ruledAdministrator(administrators, id)
  }
  if ('apiToken' in who) return access.principalNamed({ kind: 'apiToken', name: who.apiToken })
  const user = await findNamedUser(await context.users(), who.user)
  if (user === null) throw new ApplicationError(`there is no user ${who.user}`)
  const identified = { ...user, session: null, signedInAt: 0 }
  return access.principalNamed({ kind: 'user', user: identified })
}

function nameOfWho(who: Who): string {
  if (who === 'public') return who
  if ('administrator' in who) return who.administrator
  return 'user' in who ? who.user : who.apiToken
}

/** A creation has a new documentId. */
async function findEntry(
  { database, newDocumentId }: Awaited<ReturnType<CommandContext['content']>>['documents'],
  { plan, verb, locale }: Pick<TriedAction, 'plan' | 'verb' | 'locale'>,
  { entry, status }: RuleCase,
): Promise<string> {
  if (plan.kind === 'singleType') return singleDocumentId(plan.uid)
  if (verb === 'create') {
    if (entry !== undefined) throw new ApplicationError('a creation has no entry')
    return newDocumentId(plan)
  }
  if (entry === undefined) throw new ApplicationError('is required')
  const filter = ownFilter(plan, typeof entry === 'string' ? { documentId: entry } : entry)
  const version = { locale, ...(status !== undefined && { status }) }
  const match = filter === null ? version : { $and: [version, translateFilter(filter)] }
  const rows = await versionsOf(database, plan)
    .find(match, { projection: { documentId: 1 } })
    .limit(MAX_FOUND)
    .toArray()
  const [documentId, ...others] = new Set(rows.map((row) => String(row['documentId'])))
  if (documentId === undefined) throw new ApplicationError('no document matches')
  if (others.length > 0) throw new ApplicationError('several documents match')
  return documentId
}

/** @throws ValidationError, ApplicationError for conditions on relations */
function ownFilter(plan: ContentTypePlan, where: Data): Filter | null {
  const rules = { mayRead: () => true, isPermission: true } as const
  const filter = parseFilters(queryOfObject(where), plan, rules)
  if (typesOfFilter(filter).size === 0) return filter
  throw new ApplicationError('compares own attributes only, not those of relations')
}

const MAX_FOUND = 10

/** Names the path of a fault. @throws ApplicationError */
async function within<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CmsError)) throw error
    throw new ApplicationError(`${path}: ${error.message}`, {}, { cause: error })
  }
}
