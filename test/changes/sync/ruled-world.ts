import { SYSTEM } from '../../../src/mongo/connection/authorship.ts'
import type { DocumentContext } from '../../../src/content/context.ts'
import { createDocument } from '../../../src/content/write/create-document.ts'
import { deleteDocument } from '../../../src/content/write/delete-document.ts'
import { publishDocument, unpublishDocument } from '../../../src/content/write/publish-document.ts'
import { updateDocument } from '../../../src/content/write/update-document.ts'
import { CmsError } from '../../../src/base/errors.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import { ensureHead, headsOf } from '../../../src/mongo/commits/heads.ts'
import { COMMITS } from '../../../src/mongo/connection/commit-record.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openIdAllocator } from '../../../src/mongo/system/id-allocator.ts'
import { versionsOf } from '../../../src/mongo/versions/stored-version.ts'
import { type Access, openAccess } from '../../../src/people/access/access.ts'
import { compileActions } from '../../../src/people/access/actions.ts'
import type { Principal } from '../../../src/people/access/principal.ts'
import type { StoredRule } from '../../../src/people/rules/stored-rule.ts'
import { BUILT_IN_TYPES } from '../../../src/schema/built-in-types.ts'
import { checkDefinitions } from '../../../src/schema/check/check.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { Data } from '../../../src/schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../../src/schema/plan.ts'
import { typeFile } from '../../schema/define.ts'

const USER = 'plugin::users-permissions.user'
const TEAM = 'api::team.team'
const toUser = { type: 'relation', relation: 'manyToOne', target: USER }
const toTeam = { type: 'relation', relation: 'manyToOne', target: TEAM }
const localized = { pluginOptions: { i18n: { localized: true } } }

/** Notes without versions, and pages with drafts and locales. Their `secret` is never shown to everybody. */
export function ruledSchema(): Schema {
  const types = BUILT_IN_TYPES.map((type) =>
    type.uid === USER
      ? {
          ...type,
          attributes: {
            ...type.attributes,
            teams: {
              type: 'relation' as const,
              relation: 'manyToMany' as const,
              target: TEAM,
              mappedBy: 'members',
            },
          },
        }
      : type,
  )
  const files = [
    typeFile('team', {
      name: { type: 'string' },
      members: { type: 'relation', relation: 'manyToMany', target: USER, inversedBy: 'teams' },
    }),
    typeFile('note', {
      title: { type: 'string' },
      secret: { type: 'string' },
      isOpen: { type: 'boolean' },
      rank: { type: 'integer' },
      owner: toUser,
      team: toTeam,
    }),
    typeFile(
      'page',
      {
        title: { type: 'string', ...localized },
        secret: { type: 'string', ...localized },
        isOpen: { type: 'boolean', ...localized },
        rank: { type: 'integer' },
        owner: toUser,
        team: toTeam,
      },
      { options: { draftAndPublish: true }, pluginOptions: { i18n: { localized: true } } },
    ),
  ]
  return compileSchema(checkDefinitions(files, types))
}

export type RuledKind = 'note' | 'page'

export const KINDS: readonly RuledKind[] = ['note', 'page']
export const USERS = ['anna', 'ben'].map(idOf)
export const TEAMS = ['reds', 'blues'].map(idOf)
export const DOCUMENTS = 3

function idOf(name: string): string {
  return name.padEnd(24, '0')
}

export function documentIdOf(kind: RuledKind, document: number): string {
  return `${kind.padEnd(23, 'x')}${document}`
}

export interface RuledWrite {
  readonly kind: RuledKind
  readonly document: number
  readonly locale: 'en' | 'fr'
  readonly what: 'put' | 'publish' | 'unpublish' | 'delete' | 'deleteAll'
  readonly data: Data
  /** By a process that does not know the rules yet. */
  readonly isStale: boolean
}

export interface RuledWorld {
  readonly schema: Schema
  readonly access: Access
  clear(): Promise<void>
  write(write: RuledWrite): Promise<void>
  setMembers(team: string, members: readonly string[]): Promise<void>
  setRules(rules: readonly StoredRule[], permissions: readonly string[]): Promise<void>
  /** Reads operands again. */
  principalOf(user: string): Promise<Principal>
}

export async function openRuledWorld(database: Database): Promise<RuledWorld> {
  const schema = ruledSchema()
  await syncIndexes(database, [...compileCollections(schema).values()])
  await ensureHead(database)
  let ms = Date.parse('2020-01-01')
  let role = ''
  const access = await openAccess(database, compileActions(schema), {
    rootApiToken: null,
    now: () => new Date(ms),
    users: {
      identify: (token) =>
        Promise.resolve({
          id: 1,
          documentId: token.split('.')[0] ?? '',
          role,
          session: null,
          signedInAt: 0,
        }),
      find: () => Promise.resolve(null),
      countOf: () => Promise.resolve(0),
    },
  })
  role = (await access.roles.get('authenticated')).documentId
  const known = contextOf(database, schema)
  const stale = contextOf(database, ruledSchema())
  return {
    schema,
    access,
    clear: () => clear(database, schema),
    write: async (write) => {
      await ignoreRefusal(() => runWrite(write.isStale ? stale : known, write))
    },
    setMembers: async (team, members) => {
      await updateDocument(known, targetOf(known, TEAM, team, null), { members })
    },
    setRules: async (rules, permissions) => {
      await access.roles.update('authenticated', { rules, permissions })
    },
    principalOf: (user) => {
      ms += 1_001
      return access.principalOf(`Bearer ${user}.x.y`)
    },
  }
}

export function planIn(schema: Schema, uid: string): ContentTypePlan {
  const plan = schema.contentTypes.get(uid)
  if (plan === undefined) throw new Error(`there is no ${uid}`)
  return plan
}

async function clear(database: Database, schema: Schema): Promise<void> {
  for (const uid of [USER, TEAM, ...KINDS.map((kind) => `api::${kind}.${kind}`)]) {
    await versionsOf(database, planIn(schema, uid)).deleteMany({})
  }
  await database.collection(COMMITS).deleteMany({})
  await headsOf(database).deleteMany({})
  await ensureHead(database)
  const context = contextOf(database, schema)
  const users = USERS.map((documentId) => ({
    _id: documentId,
    documentId,
    locale: '',
    status: 'published',
    username: documentId,
    email: `${documentId}@example.com`,
  }))
  await versionsOf(database, planIn(schema, USER)).insertMany(users)
  for (const team of TEAMS) {
    await createDocument(context, targetOf(context, TEAM, team, null), { name: team })
  }
}

function contextOf(database: Database, schema: Schema): DocumentContext {
  return {
    database,
    ids: openIdAllocator(database),
    contentType: (uid) => planIn(schema, uid),
    now: () => new Date(),
    newDocumentId: () => 'unused',
    hashPassword: (password) => Promise.resolve(password),
  }
}

function targetOf(
  context: DocumentContext,
  uid: string,
  documentId: string,
  locale: string | null,
) {
  const plan = context.contentType(uid)
  const status = plan.draftAndPublish ? ('draft' as const) : ('published' as const)
  return {
    plan,
    documentId,
    writer: { mayRead: () => true, locale: 'en' },
    origin: SYSTEM,
    key: { locale: plan.localized ? (locale ?? 'en') : '', status },
  }
}

async function runWrite(context: DocumentContext, write: RuledWrite): Promise<void> {
  const { kind, document, locale, what, data } = write
  const { key, ...target } = targetOf(
    context,
    `api::${kind}.${kind}`,
    documentIdOf(kind, document),
    locale,
  )
  const locales = [key.locale]
  const acted = { ...target, locales: { kind: 'one', locales } } as const
  const isOfDrafts = what === 'publish' || what === 'unpublish'
  if (isOfDrafts && !target.plan.draftAndPublish) return
  switch (what) {
    case 'put': {
      const isStored = await ignoreRefusal(() => updateDocument(context, { ...target, key }, data))
      if (!isStored) await createDocument(context, { ...target, key }, data)
      return
    }
    case 'publish':
      await publishDocument(context, acted)
      return
    case 'unpublish':
      await unpublishDocument(context, acted)
      return
    case 'delete':
      await deleteDocument(context, { ...target, locales })
      return
    case 'deleteAll':
      await deleteDocument(context, { ...target, locales: 'all' })
  }
}

/** Returns whether it succeeded. Refused writes have no effect. */
async function ignoreRefusal(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof CmsError && error.status < 500) return false
    throw error
  }
}
