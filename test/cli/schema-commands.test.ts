import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { readConfig } from '../../src/base/config/config.ts'
import type { CommandContext, OptionValues } from '../../src/cli/command.ts'
import { SCHEMA_COMMANDS } from '../../src/cli/schema-commands.ts'
import { compactContent } from '../../src/server/services/compact-content.ts'
import { loadProject } from '../../src/server/services/load-schema.ts'
import { openBase } from '../../src/server/services/open-base.ts'
import { planSchema } from '../../src/server/services/plan-schema.ts'
import { codeBlocksOf } from '../support/pages.ts'
import { openReleases } from '../support/releases.ts'
import { declare, serve, type TestServer } from '../support/server.ts'
import { writeContentTypes } from '../support/server-process.ts'

const related = (target: string) => ({
  type: 'relation',
  relation: 'manyToMany',
  target: `api::${target}.${target}`,
})

type Verb = 'plan' | 'check' | 'compact'

interface Asked {
  readonly options?: OptionValues
  readonly database?: string
}

describe('quire schema', () => {
  let server: TestServer
  let client: MongoClient

  before(async () => {
    server = await serve('schema_plan', {
      contentTypes: {
        book: declare('book', {
          name: { type: 'string' },
          pages: { type: 'string' },
          tags: { type: 'json' },
          related: related('book'),
          state: { type: 'enumeration', enum: ['open', 'shut'] },
        }),
      },
    })
    const tags = [{ type: 'paragraph', children: [{ type: 'text', text: 'x' }] }]
    const first = await server.post('/api/books', { name: 'a', pages: '12', tags })
    const second = {
      name: 'a',
      pages: 'many',
      tags,
      state: 'open',
      related: [first.body.data.documentId],
    }
    expect((await server.post('/api/books', second)).status).to.equal(201)
    client = await MongoClient.connect(server.uri)
  })

  after(async () => {
    await client.close()
    await server.close()
  })

  /** Runs a command with the declaration of one content-type. */
  function quire(verb: Verb, attributes: object) {
    return quireWith(verb, { book: declare('book', attributes) })
  }

  async function quireWith(
    verb: Verb,
    contentTypes: Readonly<Record<string, object>>,
    { options = {}, database = server.database }: Asked = {},
  ) {
    const folder = writeContentTypes(contentTypes)
    const config = readConfig({
      CONTENT_TYPES_DIR: folder,
      QUIRE_DATA_DIR: folder,
      MONGODB_DATABASE: database,
      QUERY_TIMEOUT_MS: '20000',
    })
    const deployment = { uri: server.uri }
    const base = await openBase({ config, deployment }, await loadProject(folder))
    try {
      const command = SCHEMA_COMMANDS.find(({ usage }) => usage.startsWith(`schema ${verb}`))
      if (command?.needs !== 'database') throw new Error(`there is no schema ${verb}`)
      const { definitions } = await loadProject(folder)
      const context: Partial<CommandContext> = {
        planSchema: () => planSchema(base),
        compactSchema: (how) => compactContent(base, definitions, { ...how, maxWaitMs: 0 }),
      }
      return await command.run(context as CommandContext, [], options)
    } finally {
      await base.database.close()
    }
  }

  const SAME = {
    name: { type: 'string' },
    pages: { type: 'string' },
    tags: { type: 'json' },
    related: related('book'),
    state: { type: 'enumeration', enum: ['open', 'shut'] },
  }

  it('reports that the same declarations change nothing', async () => {
    expect((await quire('plan', SAME)).text).to.equal('A start changes nothing.')
  })

  it('lists renames, reused names, new types and indexes', async () => {
    const { text } = await quire('plan', {
      title: { type: 'string', from: 'name', unique: true },
      name: { type: 'string' },
      pages: { type: 'text' },
      tags: { type: 'blocks' },
    })
    expect(text.split('\n')).to.deep.equal([
      'rename  api::book.book: name becomes title',
      'add     api::book.book: name, stored as name~2',
      'retype  api::book.book: pages, string to text; all 2 values fit',
      'retype  api::book.book: tags, json to blocks; all 2 values fit',
      'build   index book_versions.quire_unique_name',
      'build   index book_versions.quire_relation__links:tags',
      'drop    index book_versions.quire_relation_related',
    ])
  })

  it('lists a renamed content-type, whose collection and indexes stay', async () => {
    const label = { type: 'string', from: 'name' }
    const attributes = { ...SAME, label, related: related('work'), name: undefined }
    const work = { from: 'book', ...declare('work', attributes) }
    const { text } = await quireWith('plan', { work })
    expect(text.split('\n')).to.deep.equal([
      'rename  api::book.book becomes api::work.work',
      'rename  api::work.work: name becomes label',
    ])
  })

  it('fails for a change that loses values, and says how many', async () => {
    const numbers = { ...SAME, pages: { type: 'integer' } }
    const { text, failed } = await quire('check', numbers)
    expect(text).to.equal(
      'retype  api::book.book: pages, string to integer; refused, 2 of 2 values do not fit',
    )
    expect(failed).to.equal(true)
    const list = await quire('check', { ...SAME, tags: { type: 'string' } })
    expect(list.text).to.match(/2 of 2 values do not fit/)
    expect((await quire('check', { ...SAME, pages: { type: 'richtext' } })).failed).to.equal(false)
  })

  it('names the stored name of values that no value of the new type replaces', async () => {
    const kept = { ...SAME, pages: { type: 'integer', convert: 'null' } }
    const { text, failed } = await quire('check', kept)
    expect(text).to.equal(
      'retype  api::book.book: pages, string to integer; 2 of 2 values do not fit and stay stored as pages',
    )
    expect(failed).to.equal(false)
    const removed = await quire('check', { ...SAME, pages: { type: 'email', convert: 'null' } })
    expect(removed.text).to.match(/string to email; 2 of 2 values do not fit and are removed$/)
    expect(removed.failed).to.equal(false)
  })

  it('fails for another target of a relation with values', async () => {
    const page = declare('page', {})
    const book = declare('book', { ...SAME, related: related('page') })
    const { text, failed } = await quireWith('check', { book, page })
    expect(text).to.include(
      'retype  api::book.book: related, relation to many (api::book.book) to relation to many (api::page.page); refused, 1 of 2 values do not fit',
    )
    expect(failed).to.equal(true)
  })

  it('shows renamed and removed values of an enumeration', async () => {
    const state = { type: 'enumeration', enum: ['shut', 'ajar'] }
    const removed = await quire('check', { ...SAME, state })
    expect(removed.text).to.equal(
      'retype  api::book.book: state, enumeration (open) to enumeration (ajar); refused, 1 of 1 values do not fit',
    )
    expect(removed.failed).to.equal(true)
    const renamed = await quire('check', { ...SAME, state: { ...state, from: { open: 'ajar' } } })
    expect(renamed.text).to.match(/enumeration \(ajar\); 1 of 1 values are rewritten$/)
    expect(renamed.failed).to.equal(false)
    const more = { type: 'enumeration', enum: ['shut', 'new', 'open'] }
    expect((await quire('plan', { ...SAME, state: more })).text).to.equal(
      'A start changes nothing.',
    )
  })

  it('refuses a single type that would hide entries', async () => {
    const book = declare('book', SAME, { kind: 'singleType' })
    const failed = await quireWith('check', { book }).catch((error: unknown) => error)
    expect(String(failed)).to.match(/book.*: kind: the content-type was a collectionType/)
  })

  it('keeps the entry of a single type that becomes a collection type', async () => {
    const single = declare('home', { name: { type: 'string' } }, { kind: 'singleType' })
    const several = declare('home', { name: { type: 'string' } })
    const home = await serve('schema_kinds', { contentTypes: { home: single } })
    const all = [home]
    try {
      expect((await home.put('/api/home', { name: 'one' })).status).to.equal(200)
      const more = await serve('schema_kinds', {
        contentTypes: { home: several },
        environment: { MONGODB_DATABASE: home.database },
      })
      all.push(more)
      const { data } = (await more.get('/api/homes')).body
      expect(data).to.have.length(1)
      expect(data[0]).to.include({ name: 'one' })
    } finally {
      for (const one of all.toReversed()) await one.close()
    }
  })

  it('writes nothing', async () => {
    const rows = client.db(server.database).collection('quire_schema')
    const before = await rows.find({}).toArray()
    await quire('plan', { title: { type: 'string', from: 'name' } })
    expect(await rows.find({}).toArray()).to.deep.equal(before)
  })

  it('moves the values of renamed attributes, as the page shows', async () => {
    const book = (attributes: object) => ({ book: declare('book', attributes) })
    const releases = openReleases('schema_compact')
    const first = await releases.start(book({ name: { type: 'string' } }))
    await first.post('/api/books', { name: 'a' })
    const later = { title: { type: 'string', from: 'name' }, name: { type: 'string' } }
    const second = await releases.start(book(later))
    await second.post('/api/books', { title: 'b', name: 'c' })
    await releases.stop()
    const compact = (options: OptionValues) =>
      quireWith('compact', book(later), { options, database: releases.database })
    const isShown = ({ text }: { readonly text: string }) => text.startsWith('Moved these values:')
    const { text: shown = '' } = codeBlocksOf('docs/evolving.md').find(isShown) ?? {}
    const columns = (text: string) => text.split('\n').map((line) => line.trimEnd().split(/ {2,}/))
    const names = columns(shown).slice(0, 4)
    const plan = columns((await compact({ 'dry-run': true })).text)
    expect(plan[0]).to.deep.equal(['A compaction moves these values:'])
    expect(plan.slice(1, 4)).to.have.deep.members(names.slice(1))
    expect(plan.slice(-1)).to.deep.equal([['book_versions', '2']])
    const done = columns((await compact({})).text)
    expect(done.slice(0, 4)).to.have.deep.members(names)
    expect(done.slice(-1)).to.deep.equal([['book_versions', '2']])
    expect((await compact({})).text).to.equal('All attributes have their names in the database.')
    const rows = client.db(releases.database).collection('book_versions')
    expect(await rows.findOne({ title: 'b' })).to.include({ name: 'c' })
    await releases.end()
  })
})
