import { SYSTEM } from '../../../src/mongo/connection/authorship.ts'
import type { DocumentContext } from '../../../src/content/context.ts'
import { createDocument } from '../../../src/content/write/create-document.ts'
import { deleteDocument } from '../../../src/content/write/delete-document.ts'
import { publishDocument, unpublishDocument } from '../../../src/content/write/publish-document.ts'
import { updateDocument } from '../../../src/content/write/update-document.ts'
import { CmsError } from '../../../src/base/errors.ts'
import { ensureHead, headsOf, readHead } from '../../../src/mongo/commits/heads.ts'
import { type NumberedCommit, readCommits } from '../../../src/mongo/commits/read-commits.ts'
import { COMMITS } from '../../../src/mongo/connection/commit-record.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import { openIdAllocator } from '../../../src/mongo/system/id-allocator.ts'
import { REVISION } from '../../../src/mongo/versions/version-fields.ts'
import { versionsOf } from '../../../src/mongo/versions/stored-version.ts'
import type { Status } from '../../../src/query/query.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { Data } from '../../../src/schema/definition.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { component, contentType } from '../../fixtures/definitions.ts'

const localized = { i18n: { localized: true } }
const shared = { i18n: { localized: false } }

/**
 * Articles with drafts, locales, a component and secrets, two-way tags and a one-way partner. Tags have neither drafts
 * nor locales.
 */
const schema = compileSchema({
  contentTypes: [
    contentType(
      'article',
      { draftAndPublish: true, localized: true },
      {
        title: { type: 'string', pluginOptions: localized },
        rank: { type: 'integer', pluginOptions: shared },
        secret: { type: 'password', pluginOptions: localized },
        part: { type: 'component', component: 'shared.part', pluginOptions: localized },
        tags: {
          type: 'relation',
          relation: 'manyToMany',
          target: 'api::tag.tag',
          inversedBy: 'articles',
          pluginOptions: shared,
        },
        partner: {
          type: 'relation',
          relation: 'oneToOne',
          target: 'api::tag.tag',
          inversedBy: 'partnerOf',
        },
      },
    ),
    contentType(
      'tag',
      { draftAndPublish: false, localized: false },
      {
        name: { type: 'string' },
        articles: {
          type: 'relation',
          relation: 'manyToMany',
          target: 'api::article.article',
          mappedBy: 'tags',
        },
        partnerOf: {
          type: 'relation',
          relation: 'oneToOne',
          target: 'api::article.article',
          mappedBy: 'partner',
        },
      },
    ),
  ],
  components: [component('shared.part', { text: { type: 'string' }, key: { type: 'password' } })],
})

export const DOCUMENTS = 3
const writer = { mayRead: () => true, locale: 'en' }

export type Kind = 'article' | 'tag'

export interface Operation {
  readonly kind: Kind
  readonly document: number
  readonly locale: string
  readonly status: Status
  readonly what: 'create' | 'update' | 'publish' | 'unpublish' | 'delete' | 'deleteAll'
  readonly data: Data
}

export function documentIdOf(kind: Kind, document: number): string {
  return `${kind.padEnd(23, '0')}${document}`
}

export function planOf(kind: Kind): ContentTypePlan {
  const plan = schema.contentTypes.get(`api::${kind}.${kind}`)
  if (plan === undefined) throw new Error(`there is no ${kind}`)
  return plan
}

export async function openWorld(database: Database): Promise<void> {
  await syncIndexes(database, [...compileCollections(schema).values()])
  await ensureHead(database)
  await database.transact(() => Promise.resolve())
}

/** Resets the database to its initial state. */
export async function clearWorld(database: Database): Promise<void> {
  for (const kind of ['article', 'tag'] as const) {
    await versionsOf(database, planOf(kind)).deleteMany({})
  }
  await database.collection(COMMITS).deleteMany({})
  await headsOf(database).deleteMany({})
  await ensureHead(database)
}

export function contextOf(database: Database): DocumentContext {
  return {
    database,
    ids: openIdAllocator(database),
    contentType: (uid) => planOf(uid === 'api::tag.tag' ? 'tag' : 'article'),
    now: () => new Date(),
    newDocumentId: () => 'unused',
    hashPassword: (password) => Promise.resolve(password),
  }
}

/** Returns whether the operation succeeded. Refused operations have no effect. */
export async function carryOut(context: DocumentContext, operation: Operation): Promise<boolean> {
  try {
    await run(context, operation)
    return true
  } catch (error) {
    if (error instanceof CmsError && error.status < 500) return false
    throw error
  }
}

function run(context: DocumentContext, operation: Operation): Promise<unknown> {
  const { kind, document, locale: asked, status, what, data } = operation
  const plan = planOf(kind)
  const documentId = documentIdOf(kind, document)
  const locale = plan.localized ? asked : ''
  const target = { plan, documentId, writer, origin: SYSTEM }
  const written = {
    ...target,
    key: { locale, status: plan.draftAndPublish ? status : ('published' as const) },
  }
  const acted = { ...target, locales: { kind: 'one', locales: [locale] } } as const
  const operations: Readonly<Record<Operation['what'], () => Promise<unknown>>> = {
    create: () => createDocument(context, written, data),
    update: () => updateDocument(context, written, data),
    publish: () => publishDocument(context, acted),
    unpublish: () => unpublishDocument(context, acted),
    delete: () => deleteDocument(context, { ...target, locales: [locale] }),
    deleteAll: () => deleteDocument(context, { ...target, locales: 'all' }),
  }
  const isOfDrafts = what === 'publish' || what === 'unpublish'
  return isOfDrafts && !plan.draftAndPublish ? Promise.resolve() : operations[what]()
}

/** Returns the revision of every version, by type and `_id`. */
export async function stored(database: Database): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>()
  for (const kind of ['article', 'tag'] as const) {
    const plan = planOf(kind)
    for (const version of await versionsOf(database, plan).find().toArray()) {
      all.set(`${plan.uid} ${version._id}`, String(version[REVISION]))
    }
  }
  return all
}

/** Returns all numbered commits in order. */
export async function wholeLog(database: Database): Promise<readonly NumberedCommit[]> {
  return readCommits(database, await readHead(database), { after: 0, limit: 100_000 })
}

/** Counts the commits up to the head. */
export async function countLog(database: Database): Promise<number> {
  const { seq } = await readHead(database)
  return database.collection(COMMITS).countDocuments({ seq: { $gt: 0, $lte: seq } })
}
