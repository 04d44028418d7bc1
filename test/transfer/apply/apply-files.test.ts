import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { type Document, MongoClient } from 'mongodb'
import { pino } from 'pino'
import { readConfig } from '../../../src/base/config/config.ts'
import { documentContext } from '../../../src/server/services/document-context.ts'
import { openFileStore } from '../../../src/transfer/file-store.ts'
import { openServices, type Services } from '../../../src/server/services/open-services.ts'
import {
  type ApplyOptions,
  applyFiles,
  type ApplyReport,
} from '../../../src/transfer/apply/apply-files.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const CONTENT_TYPES = {
  tag: declare('tag', { name: { type: 'string', unique: true }, rank: { type: 'integer' } }),
  article: declare(
    'article',
    {
      slug: { type: 'string', unique: true },
      title: { type: 'string', required: true },
      price: { type: 'decimal' },
      live: { type: 'boolean' },
      extra: { type: 'json' },
      tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
      best: { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag' },
    },
    { draftAndPublish: true },
  ),
  person: declare('person', {
    name: { type: 'string', unique: true },
    friend: { type: 'relation', relation: 'manyToOne', target: 'api::person.person' },
    team: { type: 'relation', relation: 'manyToOne', target: 'api::team.team' },
  }),
  team: declare(
    'team',
    {
      name: { type: 'string', unique: true },
      lead: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::person.person',
        required: true,
      },
      members: { type: 'relation', relation: 'manyToMany', target: 'api::person.person' },
    },
    { draftAndPublish: true },
  ),
  homepage: declare('homepage', { title: { type: 'string' } }, { kind: 'singleType' }),
}

/** Collections that a running server writes on its own. */
const BEHIND: ReadonlySet<string> = new Set([
  'quire_processes',
  'quire_heads',
  'quire_leases',
  'quire_query_stats',
])

describe('applyFiles', () => {
  let server: TestServer
  let services: Services
  let client: MongoClient
  let folder: string
  let content: string

  beforeEach(() => {
    content = mkdtempSync(path.join(folder, 'content-'))
  })

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-apply-'))
    const types = path.join(folder, 'types')
    mkdirSync(types)
    for (const [name, declaration] of Object.entries(CONTENT_TYPES)) {
      writeFileSync(path.join(types, `${name}.json`), JSON.stringify(declaration))
    }
    server = await serve('apply', { contentTypes: types, environment: { RATE_LIMIT: 'off' } })
    services = await openServices({
      config: readConfig({
        CONTENT_TYPES_DIR: types,
        QUIRE_DATA_DIR: folder,
        MONGODB_DATABASE: server.database,
        QUERY_TIMEOUT_MS: '20000',
        MONITOR_COMMANDS: 'off',
      }),
      deployment: { uri: server.uri },
      log: pino({ level: 'silent' }),
    })
    client = await MongoClient.connect(server.uri)
  })
  after(async () => {
    await client.close()
    await services.close()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const write = (files: Readonly<Record<string, string | object>>): void => {
    for (const [name, text] of Object.entries(files)) {
      const written = typeof text === 'string' ? text : JSON.stringify(text)
      writeFileSync(path.join(content, name), written)
    }
  }

  const apply = async (options: Partial<ApplyOptions> = {}): Promise<ApplyReport> => {
    const { database, schema, locales, media, spoolFolder } = services
    return applyFiles(
      {
        documents: documentContext(database, schema),
        schema,
        locales: await locales.current(),
        store: openFileStore(media.library, spoolFolder),
        maxFileBytes: 1_000_000,
      },
      {
        path: content,
        key: null,
        prune: false,
        dryRun: false,
        input: Readable.from([]),
        confirm: () => Promise.resolve(true),
        onProgress: () => undefined,
        ...options,
      },
    )
  }

  const counts = (report: ApplyReport): Json =>
    Object.fromEntries(
      Object.entries(report.files).map(
        ([name, { created, updated, unchanged, deleted, failed }]) => [
          name,
          [created, updated, unchanged, deleted, failed].join(' '),
        ],
      ),
    )

  /** Reads all rows and indexes, without the heartbeat of processes. */
  const stored = async (): Promise<Document> => {
    const db = client.db(server.database)
    const all: Document = {}
    for (const { name } of await db.listCollections().toArray()) {
      if (BEHIND.has(name)) continue
      // Commits are numbered shortly after they are stored.
      const projection = name === 'quire_commits' ? { _id: 1 } : {}
      const rows = await db
        .collection(name)
        .find({}, { sort: { _id: 1 }, projection })
        .toArray()
      all[name] = { rows, indexes: await db.collection(name).indexes() }
    }
    return all
  }

  /** The server may still write what belongs to its start. */
  const settled = async (): Promise<Document> => {
    for (let seen = await stored(); ;) {
      const next = await stored()
      if (isDeepStrictEqual(next, seen)) return next
      seen = next
    }
  }

  const FILES = {
    '01-article.csv':
      '\uFEFFslug,title,price,live,extra,tags.name,best.name,status\n' +
      'a,"A, with ""quotes""",1.50,true,"{""x"":[1]}",red; blue,red,\n' +
      'b,"B\nin two lines",,false,,,,draft\n',
    '02-tag.ndjson':
      '{"name":"red","rank":1}\n\n{"op":"upsert","key":{"name":"blue"},"data":{"rank":2}}\n',
    'homepage.json': { title: 'Home' },
    'more.jsonl': '{"op":"upsert","type":"tag","key":{"name":"green"},"data":{}}\n',
  }
  const CREATED = {
    '01-article.csv': '2 0 0 0 0',
    '02-tag.ndjson': '2 0 0 0 0',
    'homepage.json': '1 0 0 0 0',
    'more.jsonl': '1 0 0 0 0',
  }

  it('reports all changes in a dry run and stores no data', async () => {
    write(FILES)
    const before = await settled()
    const report = await apply({ dryRun: true, prune: true })
    expect(report.faults).to.deep.equal([])
    expect(counts(report)).to.deep.equal(CREATED)
    const after = await stored()
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      expect(after[name], name).to.deep.equal(before[name])
    }
  })

  it('creates documents from every file format, in any order of references', async () => {
    write(FILES)
    const report = await apply()
    expect(report.faults).to.deep.equal([])
    expect(counts(report)).to.deep.equal(CREATED)
    const { body } = await server.get('/api/articles?populate=*&sort=slug')
    expect(body.data).to.have.length(1)
    expect(body.data[0]).to.deep.include({
      title: 'A, with "quotes"',
      price: 1.5,
      live: true,
      extra: { x: [1] },
    })
    expect(body.data[0].tags.map(({ name }: Json) => name)).to.deep.equal(['red', 'blue'])
    expect(body.data[0].best.rank).to.equal(1)
    const drafts = await server.get('/api/articles?status=draft&filters[slug]=b')
    expect(drafts.body.data[0].title).to.equal('B\nin two lines')
    expect((await server.get('/api/homepage')).body.data.title).to.equal('Home')
  })

  it('changes no data on a second run and updates changed lines on a third', async () => {
    write(FILES)
    const before = await stored()
    const second = await apply()
    expect(Object.values(counts(second))).to.deep.equal([
      '0 0 2 0 0',
      '0 0 2 0 0',
      '0 0 1 0 0',
      '0 0 1 0 0',
    ])
    const { quire_counters: countersBefore, ...rowsBefore } = before
    const { quire_counters: countersAfter, ...rowsAfter } = await stored()
    expect(rowsAfter).to.deep.equal(rowsBefore)
    expect(countersAfter).to.deep.equal(countersBefore)
    write({ '02-tag.ndjson': '{"name":"red","rank":7}\n' })
    expect(counts(await apply())['02-tag.ndjson']).to.equal('0 1 0 0 0')
    expect((await server.get('/api/tags?filters[name]=red')).body.data[0].rank).to.equal(7)
  })

  it('reports file and line of each fault and continues', async () => {
    write({
      'tag.ndjson': '{"name":"good"}\n{"name":\n{"name":"x","nothing":1}\n',
      'article.csv': 'slug,title,extra,tags.name\nc,C,{,\nd,,,\ne,E,,nobody\n',
    })
    const report = await apply()
    expect(counts(report)).to.deep.equal({ 'tag.ndjson': '1 0 0 0 2', 'article.csv': '0 0 0 0 3' })
    expect(report.faults.map((fault) => fault.replace(/: .*/, ''))).to.deep.equal([
      'article.csv:1',
      'article.csv:2',
      'article.csv:3',
      'tag.ndjson:2',
      'tag.ndjson:3',
    ])
  })

  it('prunes documents without a line, for types with files only, and never after a failure', async () => {
    const names = async (): Promise<readonly string[]> =>
      (await server.get('/api/tags?sort=name')).body.data.map(({ name }: Json) => name)
    const all = await names()
    write({ 'tag.ndjson': '{"name":"red"}\n{"name":"x","nothing":1}\n' })
    expect((await apply({ prune: true })).pruned).to.equal(null)
    expect(await names()).to.deep.equal(all)
    write({ 'tag.ndjson': '{"name":"red","rank":7}\n' })
    expect((await apply({ prune: true, confirm: () => Promise.resolve(false) })).pruned).to.equal(
      null,
    )
    expect((await apply({ prune: true, dryRun: true })).pruned).to.deep.equal({
      'api::tag.tag': all.length - 1,
    })
    expect(await names()).to.deep.equal(all)
    expect((await apply({ prune: true })).pruned).to.deep.equal({ 'api::tag.tag': all.length - 1 })
    expect(await names()).to.deep.equal(['red'])
    write({ 'tag.ndjson': '' })
    expect((await apply({ prune: true })).pruned).to.deep.equal({})
    expect(await names()).to.deep.equal(['red'])
    expect((await server.get('/api/articles?status=draft')).body.data).to.have.length(2)
  })

  const MUTUAL = {
    'person.json': [
      { name: 'ada', friend: { key: { name: 'ben' } }, team: { key: { name: 'red' } } },
      { name: 'ben', friend: 'friendofbenfriendofbenfr' },
      { documentId: 'friendofbenfriendofbenfr', name: 'cy', friend: { key: { name: 'ada' } } },
      { name: 'dan', friend: { key: { name: 'ada' } } },
      { name: 'eve', friend: { key: { name: 'nobody' } } },
      { name: 'fay', friend: { key: { name: 'eve' } } },
    ],
    'team.json': [
      {
        name: 'red',
        lead: { key: { name: 'ada' } },
        members: { set: [{ key: { name: 'ben' } }, { key: { name: 'ada' } }] },
      },
    ],
  }

  it('creates documents with mutual references and refuses missing ones', async () => {
    write(MUTUAL)
    const dry = await apply({ dryRun: true })
    expect(counts(dry)).to.deep.equal({ 'person.json': '4 0 0 0 2', 'team.json': '1 0 0 0 0' })
    const first = await apply()
    expect(counts(first)).to.deep.equal(counts(dry))
    expect(first.faults).to.deep.equal([
      'person.json:5: No person has this name',
      'person.json:6: No person has this name',
    ])
    const { data } = (await server.get('/api/persons?populate=friend,team&sort=name')).body
    expect(data.map((each: Json) => [each.name, each.friend?.name, each.team?.name])).to.deep.equal(
      [
        ['ada', 'ben', 'red'],
        ['ben', 'cy', undefined],
        ['cy', 'ada', undefined],
        ['dan', 'ada', undefined],
      ],
    )
    const [red] = (await server.get('/api/teams?populate=lead,members')).body.data
    expect(red.lead.name).to.equal('ada')
    expect(red.members.map(({ name }: Json) => name)).to.deep.equal(['ben', 'ada'])
    const second = await apply()
    expect(counts(second)).to.deep.equal({ 'person.json': '0 0 4 0 2', 'team.json': '0 0 1 0 0' })
  })

  it('creates a chain of any length in any order', async () => {
    const lines = Array.from({ length: 15 }, (_, nth) =>
      JSON.stringify({ name: `link ${nth}`, friend: { key: { name: `link ${nth + 1}` } } }),
    )
    write({ 'person.ndjson': [...lines, '{ "name": "link 15" }'].join('\n') })
    expect(counts(await apply())).to.deep.equal({ 'person.ndjson': '16 0 0 0 0' })
    const [first] = (await server.get('/api/persons?filters[name]=link%200&populate=friend')).body
      .data
    expect(first.friend.name).to.equal('link 1')
  })

  it('reads lines from standard input', async () => {
    const line = { op: 'upsert', type: 'tag', key: { name: 'piped' }, data: { rank: 3 } }
    const input = Readable.from([Buffer.from(`${JSON.stringify(line)}\n`)]) // bytes, like standard input
    const report = await apply({ path: '-', input })
    expect(counts(report)).to.deep.equal({ 'standard input': '1 0 0 0 0' })
  })

  it('resumes after an abort', async () => {
    const rows = Array.from({ length: 2_500 }, (_, n) => `{"name":"many ${n}","rank":${n}}`)
    write({ 'tag.ndjson': rows.join('\n') })
    const ended = new AbortController()
    const first = await apply({ signal: ended.signal, onProgress: () => ended.abort() })
    expect(first.complete).to.equal(false)
    expect(counts(first)).to.deep.equal({ 'tag.ndjson': '1000 0 0 0 0' })
    const seen: (readonly [number, number])[] = []
    const second = await apply({ onProgress: (done, total) => seen.push([done, total]) })
    expect(counts(second)).to.deep.equal({ 'tag.ndjson': '1500 0 1000 0 0' })
    expect(seen.at(-1)?.[0]).to.equal(2_500)
  })

  it('refuses unreadable files and names them', async () => {
    for (const name of ['article.txt', 'nothing.json', 'article.a.b.csv', 'nothing.csv']) {
      write({ [name]: '' })
      const refused = await apply({ path: path.join(content, name) }).then(
        () => null,
        (error: unknown) => String(error),
      )
      expect(refused, name).to.include(name)
    }
    write({ 'article.csv': 'slug,tilte\na,b\n' })
    const refused = await apply({ path: path.join(content, 'article.csv') }).then(
      () => null,
      (error: unknown) => String(error),
    )
    expect(refused).to.include('tilte')
  })
})
