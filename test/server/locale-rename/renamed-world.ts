import { expect } from 'chai'
import { BSON, type Db, type Document } from 'mongodb'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

export const FROM = 'gsw'
export const TO = 'de-CH'

const ARTICLE = 'api::article.article'
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const DAY_MS = 86_400_000

const ATTRIBUTES = {
  title: { type: 'string', ...LOCALIZED },
  slug: { type: 'string', unique: true, ...LOCALIZED },
  shared: { type: 'integer' },
  part: { type: 'component', component: 'shared.part', ...LOCALIZED },
  related: { type: 'relation', relation: 'manyToMany', target: ARTICLE },
}

export const CONTENT_TYPES = {
  'components/shared/part': {
    info: { displayName: 'Part' },
    attributes: { code: { type: 'string', unique: true }, locale: { type: 'string' } },
  },
  article: {
    ...declare('article', ATTRIBUTES, { localized: true }),
    options: { draftAndPublish: true, history: true, review: true, search: { title: 1 } },
  },
  // The same name as the texts of files, which a rename must not confuse.
  plain: declare('plain', { title: { type: 'string' }, translations: { type: 'json' } }),
  gone: declare('gone', { title: { type: 'string', ...LOCALIZED } }, { localized: true }),
}

/** An entry whose texts are the code itself, which a rename must not change. */
export interface RenamedWorld {
  readonly documentId: string
  readonly token: string
}

/** Stores rows that name the locale in every collection that has such rows. */
export async function fillWorld(server: TestServer): Promise<RenamedWorld> {
  const ok = async (method: string, path: string, body: unknown, headers = {}): Promise<Json> => {
    const { status, text, body: shown } = await server.send(method, path, { body, headers })
    expect(status, `${method} ${path}: ${text}`).to.be.within(200, 202)
    return shown?.data ?? shown
  }
  const add = (path: string, data: object, headers = {}): Promise<Json> =>
    ok('POST', path, { data }, headers)

  await ok('POST', '/admin/locales', { code: FROM })
  await ok('POST', '/admin/locales', { code: 'fr' })
  await ok('POST', '/admin/webhooks', {
    name: 'site',
    url: 'http://127.0.0.1:9/',
    events: ['entry.create', 'entry.update', 'entry.publish'],
    locales: ['en', FROM],
  })
  await addRules(ok)
  await server.get('/api/articles', { token: null }) // the server reads the rules
  const draft = { title: 'en', slug: 'en', shared: 1, part: { code: 'c', locale: FROM } }
  const { documentId } = await add('/api/articles?status=draft', draft)
  const other = await add('/api/articles', { title: 'other' })
  const article = `/api/articles/${documentId}`
  const values = { title: FROM, slug: FROM, part: { code: 'c', locale: FROM } }
  await ok('PUT', `${article}?locale=${FROM}`, { data: { ...values, related: [other.documentId] } })
  await ok('PUT', `${article}?locale=${FROM}&status=draft`, { data: { title: 'changed' } })
  await ok('PUT', `${article}?locale=fr`, { data: { title: 'fr', slug: 'fr' } })
  await add(`/api/articles?locale=${FROM}`, { title: 'once' }, { 'idempotency-key': 'once' })
  await add(`/api/gones?locale=${FROM}`, { title: 'gone' })

  const lost = await add(`/api/articles?locale=${FROM}`, { title: 'deleted' })
  await server.put(`/api/articles/${lost.documentId}?locale=fr`, { title: 'deleted too' })
  await server.delete(`/api/articles/${lost.documentId}?locale=*`)

  await fillFiles(server)
  await fillPlans(ok, documentId)
  await fillPeople(server, ok, documentId)
  const sync = await server.get('/api/_sync?types=article&locale=*')
  await server.settled()
  return { documentId, token: sync.body.next }
}

type Send = (method: string, path: string, body: unknown) => Promise<Json>

async function addRules(ok: Send): Promise<void> {
  const where = {
    $or: [{ locale: { $in: ['fr', FROM] } }, { related: { locale: FROM } }],
    title: { $ne: FROM },
    part: { locale: { $ne: FROM } },
  }
  const rules = [{ action: `${ARTICLE}.find`, where }]
  // Commit items carry the members that rules of `sync` compare.
  const own = { locale: { $in: ['fr', FROM] } }
  const synced = ['find', 'sync'].map((verb) => ({ action: `${ARTICLE}.${verb}`, where: own }))
  await ok('POST', '/admin/roles', { type: 'device', name: 'Device', rules: synced })
  await ok('POST', '/admin/roles', { type: 'reader', name: 'Reader', rules })
  await ok('POST', '/admin/api-tokens', { name: 'ruled', type: 'custom', rules })
}

/** A file and a deleted one with texts in the locale, and other values of the same shape. */
async function fillFiles(server: TestServer): Promise<void> {
  const texts = { alternativeText: FROM }
  const fields = { fileInfo: { translations: { fr: texts, [FROM]: texts } } }
  const translations = { [FROM]: 'kept' }
  for (const name of ['kept', 'deleted']) {
    const body = multipart({
      files: [{ name: `${name}.txt`, content: name, type: 'text/plain' }],
      fields,
    })
    const uploaded = await server.send('POST', '/api/upload', { headers: MULTIPART, body })
    expect(uploaded.status, uploaded.text).to.equal(201)
    const plain = await server.post('/api/plains', { title: name, translations })
    expect(plain.status, plain.text).to.equal(201)
    if (name === 'kept') continue
    const [{ id }] = uploaded.body
    expect((await server.delete(`/api/upload/files/${id}`)).status).to.equal(200)
    await server.delete(`/api/plains/${plain.body.data.documentId}`)
  }
}

async function fillPlans(ok: Send, documentId: string): Promise<void> {
  const at = new Date(Date.now() + DAY_MS).toISOString()
  await ok('POST', `/api/articles/${documentId}/actions/publish?locale=${FROM}`, { data: { at } })
  const release = await ok('POST', '/admin/releases', { data: { name: 'autumn' } })
  const items = ['en', FROM].map((locale) => {
    return { uid: ARTICLE, documentId, locale, action: 'publish' }
  })
  await ok('POST', `/admin/releases/${release.id}/items`, { data: { items } })
}

async function fillPeople(server: TestServer, ok: Send, documentId: string): Promise<void> {
  const verbs = ['find', 'findOne', 'readDrafts', 'update']
  const permissions = verbs.map((verb) => {
    return { action: `${ARTICLE}.${verb}`, locales: [FROM, 'fr'] }
  })
  await ok('POST', '/admin/administrator-roles', { type: 'swiss', name: 'Swiss', permissions })
  await addAdministrator(server, 'Ada', ['administrator'])
  const ada = await signIn(server, 'ada@example.org')
  await work(ada, documentId)
}

async function work(ada: AdminClient, documentId: string): Promise<void> {
  const send = async (method: string, path: string, body: unknown): Promise<void> => {
    const { status, text } = await ada.send(method, path, body)
    expect(status, `${method} ${path}: ${text}`).to.be.within(200, 204)
  }
  const content = `/admin/content/${ARTICLE}/${documentId}`
  await send('PUT', `${content}?locale=${FROM}`, { data: { title: 'by Ada' } })
  await send('PUT', `${content}/review?locale=${FROM}`, { stage: 'in-review' })
  await send('POST', `${content}/comments?locale=${FROM}`, { text: FROM })
  await send('PUT', '/admin/presence', { uid: ARTICLE, documentId, locale: FROM })
  const search = { locale: FROM, q: FROM }
  await send('POST', `/admin/views/${ARTICLE}`, { name: 'swiss', shared: true, search })
}

/** The index of the full-text search and the webhook have all commits. */
export async function settleWorld(server: TestServer, db: Db): Promise<void> {
  await server.indexed()
  await until(async () => {
    const head = await db.collection('quire_heads').findOne({})
    const behind = { cursor: { $lt: head?.['seq'] } }
    return (await db.collection('quire_webhooks').countDocuments(behind)) === 0
  }, 20_000)
  await until(
    async () => (await db.collection('quire_admin_recent').countDocuments({})) > 0,
    20_000,
  )
}

/** Rows that exist for a short time only. */
export async function insertPassing(db: Db): Promise<void> {
  const entry = { contentType: ARTICLE, documentId: 'd', locale: FROM, status: 'draft' }
  const pending = [{ commit: 'c', seq: 1, changes: [{ ...entry, operation: 'put' }] }]
  const delivery = { _id: `mirror ${ARTICLE} d`, extension: 'mirror', pending, deadAt: null }
  await db.collection<Row>('quire_extension_deliveries').insertOne(delivery)
  const version = { documentId: 'd', locale: FROM, status: 'draft', title: FROM }
  await db.collection<Row>('quire_idempotency_keys').insertOne({ _id: 'k', version })
}

interface Row extends Document {
  readonly _id: string
}

export type Dump = Readonly<Record<string, readonly Document[]>>

export async function dumpDatabase(db: Db): Promise<Dump> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
  const dump: Record<string, readonly Document[]> = {}
  for (const name of names.toSorted()) {
    if (name.includes('.')) continue
    dump[name] = await db.collection(name).find({}, { useBigInt64: true }).toArray()
  }
  return dump
}

export async function restoreDatabase(db: Db, dump: Dump): Promise<void> {
  const { length } = Object.keys(dump)
  expect(length).to.be.greaterThan(0)
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    if (!name.includes('.')) await db.collection(name).deleteMany({})
  }
  for (const [name, rows] of Object.entries(dump)) {
    if (rows.length > 0) await db.collection(name).insertMany([...rows])
  }
}

/** Collections whose rows are of processes, or made again from the content. */
const DERIVED =
  /^quire_(processes|leases|stamps|heads|counters|query_stats|text_.*|search_.*|reservations|admin_presence|conversions|rate_limits|held_jobs|admin_sessions|sessions)$/

/** The rows that a rename keeps or changes, as sorted texts. */
export function comparedRows(dump: Dump): Readonly<Record<string, readonly string[]>> {
  const kept = Object.entries(dump).filter(([name, rows]) => !DERIVED.test(name) && rows.length > 0)
  return Object.fromEntries(
    kept.map(([name, rows]) => [
      name,
      rows
        .filter((row) => !isOfRename(name, row))
        .map((row) => BSON.EJSON.stringify(withoutTimes(name, row)))
        .toSorted(),
    ]),
  )
}

/** The commit that tells followers about the rename. */
function isOfRename(collection: string, { items, by }: Document): boolean {
  if (collection !== 'quire_commits' || items === undefined) return false
  const [item] = items as readonly Document[]
  return item?.['type'] === 'plugin::i18n.locale' && (by === null || by.kind !== 'root')
}

function withoutTimes(collection: string, row: Document): Document {
  if (collection !== 'quire_settings') return row
  const { list, attributes: _reserved, ...rest } = row
  const locales = (list as readonly Document[] | undefined)?.map(
    ({ updatedAt: _at, name: _name, ...locale }) => locale,
  )
  return { ...rest, ...(locales && { list: locales }) }
}

/** What the texts of `comparedRows` are after a rename. Texts of editors stay. */
export function renamedText(text: string): string {
  const code = new RegExp(`\\b${FROM}\\b`, 'g')
  const own = new RegExp(
    `("(?:title|slug|text|q|alternativeText)":"|"part":\\{[^}]*"locale":")${FROM}"`,
    'g',
  )
  return text
    .replace(own, '$1\u0000"')
    .replace(new RegExp(`("translations":\\{")${FROM}(?=":"kept")`, 'g'), '$1\u0000')
    .replace(/("answer":.*\\"locale\\":\\")gsw/, '$1\u0000') // repeated as it was sent
    .replace(
      /(\\"part\\":\{\\"locale\\":\{\\"\$ne\\":\\"|\\"title\\":\{\\"\$ne\\":\\"|\\"q\\":\\")gsw/g,
      '$1\u0000',
    )
    .replace(code, TO)
    .replaceAll('\u0000', FROM)
}
