import { ApplicationError, CmsError, ForbiddenError, NotFoundError } from '../../base/errors.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { rowMatches } from '../../mongo/rules/row-matches.ts'
import { versionsOf } from '../../mongo/versions/stored-version.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import { contentAction } from '../../people/access/actions.ts'
import { mayIn } from '../../people/access/permissions.ts'
import { type Principal, ROOT, rulesFor } from '../../people/access/principal.ts'
import { maySeePrivateFile } from '../../people/access/private-files.ts'
import { anyWhere } from '../../people/access/ruled-reads.ts'
import { syncerOf } from '../../people/access/sync-rights.ts'
import { originOf } from '../../people/access/writing-for.ts'
import type { VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { createDocument } from './create-document.ts'
import { deleteDocument } from './delete-document.ts'
import { publishDocument } from './publish-document.ts'
import { refuseHidden } from '../write-rules.ts'
import { updateDocument } from './update-document.ts'
import type { Writer } from '../write-target.ts'
import { principalWriteRules } from '../rules/principal-rules.ts'
import { isVisibleRow, matcherOf } from '../rules/visible-documents.ts'

export type TriedVerb = 'find' | 'findOne' | 'sync' | 'create' | 'update' | 'delete' | 'publish'

export interface TriedAction {
  readonly verb: TriedVerb
  readonly plan: ContentTypePlan
  /** The new documentId of a creation. */
  readonly documentId: string
  readonly key: VersionKey
  /** The default or requested locale, also for types without locales. */
  readonly locale: string
  readonly data: Data
}

/** Null if the action is permitted, else the refusal. */
export type Refusal = string | null

/**
 * Reports whether the principal may do the action. A write runs in a transaction that is rolled back, without hooks.
 * @throws CmsError if the write fails for root as well, such as for an invalid payload
 */
export async function tryAction(
  context: DocumentContext,
  principal: Principal,
  action: TriedAction,
): Promise<Refusal> {
  if (isBoundElsewhere(principal, action)) return 'forbidden'
  if (isRead(action.verb)) return (await isShown(context, principal, action)) ? null : 'hidden'
  try {
    await tryWrite(context, principal, action)
    return null
  } catch (error) {
    if (!(error instanceof CmsError)) throw error
    if (error instanceof ForbiddenError || error instanceof NotFoundError) return reasonOf(error)
    // Hidden targets are reported as missing. If root can write the payload, a rule has refused it.
    await tryWrite(context, ROOT, action)
    return error.message
  }
}

function reasonOf({ name, details }: CmsError): string {
  const path = details?.['path']
  if (name === 'NotFoundError') return 'hidden'
  return typeof path === 'string' ? `${path} cannot be given` : 'forbidden'
}

function isRead(verb: TriedVerb): verb is 'find' | 'findOne' | 'sync' {
  return verb === 'find' || verb === 'findOne' || verb === 'sync'
}

/** Permissions of administrators can be bound to languages. */
function isBoundElsewhere(principal: Principal, { verb, plan, key }: TriedAction): boolean {
  const verbs = isRead(verb) && key.status === 'draft' ? ([verb, 'readDrafts'] as const) : [verb]
  return verbs.some((each) => {
    const action = contentAction(plan, each)
    const isHeld = principal.grants.has(action)
    return isHeld && plan.localized && !mayIn(principal, action, [key.locale])
  })
}

async function isShown(
  context: DocumentContext,
  principal: Principal,
  { plan, verb, documentId, key, locale }: TriedAction,
): Promise<boolean> {
  const row = await versionsOf(context.database, plan).findOne({ _id: versionId(documentId, key) })
  if (row === null) throw new NotFoundError(`the entry has no ${key.status} version`)
  const rules = principalWriteRules(principal)
  const matcher = matcherOf(context, rules, locale)
  const read = verb === 'findOne' ? verb : 'find'
  const isVisible = await isVisibleRow(
    { matcher, rules, verb: read, session: undefined },
    plan,
    row,
  )
  if (verb !== 'sync' || !isVisible) return isVisible
  const scope = { types: [{ plan }], status: key.status }
  if (!syncerOf(principal, scope).maySync({ plan })) return false
  const where = anyWhere(rulesFor(principal, contentAction(plan, 'sync')))
  return rowMatches(matcher, { plan, row, session: undefined }, where)
}

async function tryWrite(
  given: DocumentContext,
  principal: Principal,
  { verb, plan, documentId, key, locale, data }: TriedAction,
): Promise<void> {
  // A standalone mongod could not roll the write back.
  if (!given.database.hasTransactions) throw new ApplicationError('Writes need a replica set')
  const { hooks: _hooks, ...rest } = given
  const context = { ...rest, database: rollingBack(given.database) }
  const writer = writerFor(principal, locale)
  const origin = originOf(principal, 'trial', null)
  const target = { plan, documentId, key, writer, origin }
  const locales = { kind: 'one', locales: [key.locale] } as const
  const write = async (): Promise<unknown> => {
    switch (verb) {
      case 'create':
        return createDocument(context, target, data)
      case 'update':
        return updateDocument(context, target, data)
      case 'publish':
        return publishDocument(context, { plan, documentId, locales, writer, origin })
      case 'find':
      case 'findOne':
      case 'sync':
        throw new Error(`${verb} is no write`)
      case 'delete': {
        const deleted = { plan, documentId, locales: locales.locales, writer, origin }
        await refuseHidden(context, writer.rules, { ...deleted, verb: 'delete', locale })
        return deleteDocument(context, deleted)
      }
    }
  }
  try {
    await write()
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
}

function writerFor(principal: Principal, locale: string): Writer {
  return {
    mayRead: (uid) => {
      const action = contentAction({ uid }, 'find')
      return mayIn(principal, action, [locale]) || rulesFor(principal, action).length > 0
    },
    maySeePrivate: (file) => maySeePrivateFile(principal, file),
    locale,
    ...(principal.kind !== 'root' && { rules: principalWriteRules(principal) }),
  }
}

class RolledBack extends Error {}

/** Ends each transaction as if it failed. */
function rollingBack(database: Database): Database {
  return {
    ...database,
    transact: (work, origin) =>
      database.transact(async (session) => {
        await work(session)
        throw new RolledBack()
      }, origin),
  }
}
