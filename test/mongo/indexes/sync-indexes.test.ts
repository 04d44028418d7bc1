import { expect } from 'chai'
import { type Document, MongoServerError } from 'mongodb'
import { ServiceUnavailableError } from '../../../src/base/errors.ts'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import {
  type CollectionPlan,
  compileCollections,
} from '../../../src/mongo/indexes/collection-plan.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { findStoredCollections } from '../../../src/mongo/indexes/stored-collections.ts'
import { syncIndexes, toSchemaError } from '../../../src/mongo/indexes/sync-indexes.ts'
import { planOf } from '../../fixtures/plans.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../../support/database-proxy.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { type FaultProxy, openFaultProxy } from '../../faults/fault-proxy.ts'
import { reportAsMongod } from '../../faults/mongod-answers.ts'

function collection(name: string, ...uniques: readonly string[]): CollectionPlan {
  const plan = planOf({
    collectionName: name,
    attributes: Object.fromEntries(
      ['slug', 'code'].map((key) => [key, { type: 'string', unique: uniques.includes(key) }]),
    ),
  })
  const schema = { contentTypes: new Map([[plan.uid, plan]]), components: new Map() }
  const [compiled] = [...compileCollections(schema).values()]
  if (compiled === undefined) throw new Error('nothing was compiled')
  return compiled
}

async function namesOf(database: Database, name: string): Promise<readonly string[]> {
  const indexes = (await database.collection(name).listIndexes().toArray()) as readonly Document[]
  return indexes.map((index) => String(index['name'])).sort()
}

/** A unique attribute of every type with its own partial filter. */
function everyKind(): CollectionPlan {
  const types = [
    'string',
    'integer',
    'biginteger',
    'decimal',
    'float',
    'boolean',
    'date',
    'datetime',
  ] as const
  const plan = planOf({
    collectionName: 'every_kind',
    attributes: Object.fromEntries(types.map((type) => [type, { type, unique: true as const }])),
  })
  const schema = { contentTypes: new Map([[plan.uid, plan]]), components: new Map() }
  const [compiled] = [...compileCollections(schema).values()]
  if (compiled === undefined) throw new Error('nothing was compiled')
  return compiled
}

/** A slug that is unique among versions of one status. */
function guarding(name: string, status: string): CollectionPlan {
  const { indexes } = collection(name, 'slug')
  return {
    name,
    unindexed: [],
    indexes: indexes.map((index) =>
      index.partialFilterExpression === null
        ? index
        : { ...index, partialFilterExpression: { ...index.partialFilterExpression, status } },
    ),
  }
}

function namesIn(commands: readonly Document[]): readonly string[] {
  return commands.map((command) => Object.keys(command)[0] ?? '')
}

const SYSTEM = ['quire_count', 'quire_document', 'quire_list', 'quire_order_createdAt']

describe('syncIndexes', () => {
  let test: TestDatabase
  let proxy: DatabaseProxy
  let watched: Database
  let mongod: FaultProxy
  let asMongod: Database

  before(async () => {
    test = await openTestDatabase('indexes')
    mongod = await openFaultProxy(test.uri)
    asMongod = await openDatabase({ uri: mongod.uri, name: test.name, queryTimeoutMs: 10_000 })
    proxy = await openDatabaseProxy(test.uri)
    watched = await openDatabase({ uri: proxy.uri, name: test.name, queryTimeoutMs: 10_000 })
  })

  after(async () => {
    await watched.close()
    await proxy.close()
    await asMongod.close()
    await mongod.close()
    await test.drop()
  })

  it('builds missing indexes and creates missing collections', async () => {
    const report = await syncIndexes(test.database, [collection('fresh', 'slug')])
    expect({ ...report, built: [...report.built].sort() }).to.deep.equal({
      built: [...SYSTEM, 'quire_unique_slug'].map((name) => `fresh.${name}`),
      replaced: [],
      strays: [],
    })
    expect(await namesOf(test.database, 'fresh')).to.deep.equal([
      '_id_',
      ...SYSTEM,
      'quire_unique_slug',
    ])
  })

  it('sends no write command if all indexes match', async () => {
    await syncIndexes(test.database, [collection('same', 'slug', 'code')])
    proxy.takeCommands()
    const report = await syncIndexes(watched, [collection('same', 'slug', 'code')])
    expect(report).to.deep.equal({ built: [], replaced: [], strays: [] })
    expect(proxy.takeCommands()).to.deep.equal(['listIndexes'])
  })

  it('indexes locations by coordinates in the embedded engine, and as a whole elsewhere', async () => {
    const plan = planOf({ collectionName: 'placed', attributes: { at: { type: 'location' } } })
    const schema = { contentTypes: new Map([[plan.uid, plan]]), components: new Map() }
    const plans = [...compileCollections(schema).values()]
    for (const [isEmbedded, fields] of [
      [true, ['at.coordinates.1', 'at.coordinates.0']],
      [false, ['at']],
      [true, ['at.coordinates.1', 'at.coordinates.0']],
    ] as const) {
      await syncIndexes({ ...test.database, isEmbedded }, plans)
      const indexes = await test.database.collection('placed').listIndexes().toArray()
      const keys = indexes.flatMap(({ name, key }) =>
        name.startsWith('quire_location') ? [Object.keys(key as object)] : [],
      )
      expect(keys).to.deep.equal([['status', 'locale', ...fields, 'id']])
    }
  })

  it('asks for no indexes of collections that do not exist', async () => {
    const plans = ['new_one', 'new_two'].map((name) => collection(name, 'slug'))
    const stored = await findStoredCollections(test.database)
    proxy.takeCommands()
    const { built } = await syncIndexes(watched, plans, stored)
    expect(built).to.include.members(['new_one.quire_unique_slug', 'new_two.quire_unique_slug'])
    const commands = proxy.takeCommands()
    expect(commands).to.include('listCollections').and.to.include('createIndexes')
    expect(commands).to.not.include('listIndexes')
  })

  it('compares collections that another start has created meanwhile', async () => {
    const stored = await findStoredCollections(test.database)
    await syncIndexes(test.database, [collection('meanwhile', 'slug')])
    expect(stored.has('meanwhile')).to.equal(false)
    const report = await syncIndexes(test.database, [collection('meanwhile', 'code')], stored)
    expect(report).to.deep.equal({
      built: ['meanwhile.quire_unique_code'],
      replaced: ['meanwhile.quire_unique_slug'],
      strays: [],
    })
  })

  it('recognizes matching filters in the form that mongod reports', async () => {
    const plans = [everyKind()]
    await syncIndexes(test.database, plans)
    mongod.arm(reportAsMongod)
    const report = await syncIndexes(asMongod, plans)
    expect(report).to.deep.equal({ built: [], replaced: [], strays: [] })
    expect(namesIn(mongod.disarm())).to.deep.equal(['listIndexes'])
  })

  it('builds a changed index under another name before it drops the old one', async () => {
    const [before, after, again] = ['published', 'draft', 'published'].map((status) =>
      guarding('guarded', status),
    )
    if (!before || !after || !again) throw new Error('three plans')
    await syncIndexes(test.database, [before])
    const guards = async (): Promise<readonly string[]> =>
      (await namesOf(test.database, 'guarded')).filter((name) => name.includes('unique'))
    proxy.takeCommands()
    const report = await syncIndexes(watched, [after])
    expect(proxy.takeCommands().filter((name) => name.endsWith('Indexes'))).to.deep.equal([
      'listIndexes',
      'listIndexes',
      'createIndexes',
      'dropIndexes',
    ])
    expect(report).to.deep.include({
      built: ['guarded.quire_unique_slug'],
      replaced: ['guarded.quire_unique_slug'],
    })
    expect(await guards()).to.deep.equal(['quire_unique_slug~2'])
    expect(await syncIndexes(watched, [after])).to.deep.include({ built: [], replaced: [] })
    await syncIndexes(watched, [again])
    expect(await guards()).to.deep.equal(['quire_unique_slug'])
  })

  it('drops the old index first if the database refuses both at once', async () => {
    await syncIndexes(test.database, [guarding('refused', 'published')])
    let refusals = 0
    mongod.arm((command) => {
      if (!('createIndexes' in command) || refusals > 0) return null
      refusals += 1
      return {
        fate: 'refused',
        answer: () => ({ ok: 0, code: 85, codeName: 'IndexOptionsConflict', errmsg: 'exists' }),
      }
    })
    await syncIndexes(asMongod, [guarding('refused', 'draft')])
    const commands = namesIn(mongod.disarm()).filter((name) => /^(?:create|drop)/.test(name))
    expect(commands.slice(0, 3)).to.deep.equal(['createIndexes', 'dropIndexes', 'createIndexes'])
    expect(await syncIndexes(watched, [guarding('refused', 'draft')])).to.deep.include({
      built: [],
      replaced: [],
    })
  })

  it('keeps the old unique index if the new one cannot be built', async () => {
    await syncIndexes(test.database, [guarding('kept', 'published')])
    const draft = { status: 'draft', locale: '', slug: 'same' }
    await test.database.collection('kept').insertMany([{ ...draft }, { ...draft }])
    const error = await syncIndexes(watched, [guarding('kept', 'draft')]).then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(SchemaError)
    expect(await namesOf(test.database, 'kept')).to.include('quire_unique_slug')
  })

  it('drops the leftover of an interrupted replacement', async () => {
    const plan = guarding('halfway', 'published')
    await syncIndexes(test.database, [plan])
    const { key, partialFilterExpression } = plan.indexes.find(({ unique }) => unique) ?? {}
    if (key === undefined) throw new Error('a unique index')
    await test.database.collection('halfway').createIndex(key, {
      name: 'quire_unique_slug~2',
      unique: true,
      partialFilterExpression: { ...partialFilterExpression, status: 'draft' },
    })
    const report = await syncIndexes(watched, [plan])
    expect(report).to.deep.include({ built: [], replaced: ['halfway.quire_unique_slug~2'] })
    expect(await namesOf(test.database, 'halfway')).to.include('quire_unique_slug')
  })

  it('replaces changed indexes and drops undeclared Quire indexes', async () => {
    await syncIndexes(test.database, [collection('changed', 'slug', 'code')])
    const { name, indexes } = collection('changed', 'slug')
    const changed = indexes.map((index) =>
      index.name === 'quire_list' ? { ...index, key: { status: 1, id: -1 } as const } : index,
    )
    const report = await syncIndexes(test.database, [{ name, indexes: changed, unindexed: [] }])
    expect([...report.replaced].sort()).to.deep.equal([
      'changed.quire_list',
      'changed.quire_unique_code',
    ])
    expect(report.built).to.deep.equal(['changed.quire_list'])
    expect(await namesOf(test.database, 'changed')).to.deep.equal([
      '_id_',
      'quire_count',
      'quire_document',
      'quire_list~2',
      'quire_order_createdAt',
      'quire_unique_slug',
    ])
  })

  it('reports foreign indexes and keeps them', async () => {
    await test.database.collection('shared').createIndex({ slug: 1 }, { name: 'by_hand' })
    for (const _ of [1, 2]) {
      const { strays } = await syncIndexes(test.database, [collection('shared')])
      expect(strays).to.deep.equal(['shared.by_hand'])
    }
    expect(await namesOf(test.database, 'shared')).to.include('by_hand')
  })

  it('builds each index once when ten processes start together', async () => {
    const reports = await Promise.all(
      Array.from({ length: 10 }, () => syncIndexes(test.database, [collection('raced', 'slug')])),
    )
    expect(reports.flatMap(({ built }) => built).sort()).to.deep.equal([
      ...SYSTEM.map((name) => `raced.${name}`),
      'raced.quire_unique_slug',
    ])
  })

  it('refuses a unique index over repeated values and names the collection', async () => {
    const repeated = { status: 'published', locale: '', slug: 'same' }
    await test.database.collection('repeats').insertMany([{ ...repeated }, { ...repeated }])
    try {
      await syncIndexes(test.database, [collection('repeats', 'slug')])
    } catch (error) {
      expect(error).to.be.instanceOf(SchemaError)
      expect((error as SchemaError).message).to.match(/repeats: stored values repeat/)
      return
    }
    throw new Error('nothing was thrown')
  })

  it('explains a unique index that a sharded collection does not support', () => {
    const errmsg = 'cannot create unique index over { slug: 1 } with shard key pattern { _id: 1 }'
    const refused = new MongoServerError({ message: errmsg, code: 67 })
    const told = toSchemaError('articles', refused)
    expect(told).to.be.instanceOf(SchemaError)
    expect((told as SchemaError).message)
      .to.include(errmsg)
      .and.match(/articles: .*docs\/sharding\.md/)
  })

  it('explains a database that shuts down', () => {
    const other = new MongoServerError({ message: 'x', code: 8 })
    expect(toSchemaError('articles', other)).to.equal(other)
    const shutdown = new MongoServerError({ message: 'x', code: 11600 })
    expect(toSchemaError('articles', shutdown)).to.be.instanceOf(ServiceUnavailableError)
  })

  it('allows repeated null, empty text and drafts but no other repeated value', async () => {
    const { database } = test
    await syncIndexes(database, [collection('values', 'slug')])
    const insert = (values: object): Promise<unknown> =>
      database.collection('values').insertOne({ status: 'published', locale: 'en', ...values })
    for (const values of [{}, { slug: null }, { slug: '' }, { slug: 'a', status: 'draft' }]) {
      await insert(values)
      await insert(values)
    }
    await insert({ slug: 'a' })
    await insert({ slug: 'a', locale: 'fr' })
    await insert({ slug: 'A' })
    const outcome = await insert({ slug: 'a' }).then(
      () => 'stored',
      (error: unknown) => (error as { readonly code?: unknown }).code,
    )
    expect(outcome).to.equal(11000)
  })
})
