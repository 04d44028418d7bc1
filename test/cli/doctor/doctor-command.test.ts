import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { Examination } from '../../../src/cli/doctor/examine.ts'
import { findingsOf } from '../../../src/cli/doctor/examine-log.ts'
import { purgeFinding } from '../../../src/cli/doctor/examine-purges.ts'
import { openAccess } from '../../../src/people/access/access.ts'
import { compileActions } from '../../../src/people/access/actions.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { readConfig } from '../../../src/base/config/config.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { createCommandMonitor } from '../../../src/mongo/connection/command-monitor.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { explainCommand, openExplainer } from '../../../src/mongo/observe/explain-command.ts'
import { openQueryStats } from '../../../src/mongo/observe/query-stats.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import { loadSchema } from '../../../src/server/services/load-schema.ts'
import { declare } from '../../support/server.ts'
import { openFaultProxy } from '../../faults/fault-proxy.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { UNOPENED } from '../unopened.ts'

describe('quire doctor', () => {
  let test: TestDatabase
  let folder: string
  let environment: Record<string, string>

  before(async () => {
    test = await openTestDatabase('doctor')
    folder = await mkdtemp(path.join(tmpdir(), 'quire-doctor-test-'))
    await mkdir(path.join(folder, 'types'))
    const note = declare('note', { text: { type: 'string' }, slug: { type: 'uid' } })
    await writeFile(path.join(folder, 'types', 'note.json'), JSON.stringify(note))
    environment = {
      MONGODB_DATABASE: test.name,
      CONTENT_TYPES_DIR: path.join(folder, 'types'),
      QUIRE_DATA_DIR: path.join(folder, 'data'),
    }
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
    await test.drop()
  })

  const doctor = async (
    words: readonly string[] = [],
    more: Record<string, string> = {},
    uri = test.uri,
  ) => {
    const said = { out: '', error: '' }
    const deployment = { uri, reason: 'that of the test', close: () => Promise.resolve() }
    const installation = {
      readConfig: () => readConfig({ ...environment, ...more }),
      startDeployment: () => Promise.resolve(deployment),
      readExtensions: () => Promise.resolve([]),
    }
    const status = await runCli(
      ['doctor', ...words],
      { ...UNOPENED, installation },
      {
        out: (text) => void (said.out += text),
        error: (text) => void (said.error += text),
      },
    )
    return { status, ...said }
  }
  const examined = async (more: Record<string, string> = {}): Promise<Examination> =>
    JSON.parse((await doctor(['--json'], more)).out) as Examination
  const schema = () => loadSchema(path.join(folder, 'types'))

  it('names the index that a rule needs, and attributes that reveal hidden entries', async () => {
    const compiled = await schema()
    const { roles } = await openAccess(test.database, compileActions(compiled), {
      rootApiToken: null,
    })
    const find = 'api::note.note.find'
    const where = { $or: [{ text: 'open' }, { slug: 'a' }] }
    await roles.update('public', {
      rules: [
        { action: find, where },
        { action: 'api::note.note.findOne', where: { text: 'open' } },
      ],
    })
    const ofRules = async (): Promise<readonly (readonly string[])[]> =>
      (await examined()).findings
        .filter(({ check }) => check === 'rules')
        .map(({ level, what }) => [level, what])
    await syncIndexes(test.database, [...compileCollections(compiled).values()])
    expect(await ofRules()).to.deep.equal([
      [
        'warning',
        `role public, ${find}: no index serves the rule; declare api::note.note: "index": true on the attribute text`,
      ],
      [
        'note',
        'api::note.note: slug is unique, so a write that is refused reveals that a hidden entry has the value',
      ],
    ])
    await roles.update('public', { rules: [] })
    expect(await ofRules()).to.deep.equal([])
    await test.database.collection('note_versions').dropIndexes()
  })

  it('reports a fault for a query that a stored rule closes', async () => {
    const project = path.join(folder, 'project')
    const files = {
      'package.json': { name: 'project' },
      'src/api/note/content-types/note/schema.json': declare('note', { text: { type: 'string' } }),
      'src/queries/notes.json': { type: 'note', fields: ['text'] },
    }
    for (const [name, content] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(project, name)), { recursive: true })
      await writeFile(path.join(project, name), JSON.stringify(content))
    }
    const actions = compileActions(await schema())
    const { roles } = await openAccess(test.database, actions, { rootApiToken: null })
    const faults = async (): Promise<readonly string[]> =>
      (await examined({ CONTENT_TYPES_DIR: project })).findings
        .filter(({ check, level }) => check === 'rules' && level === 'fault')
        .map(({ what }) => what)
    await roles.update('public', {
      rules: [{ action: 'api::note.note.find', where: { text: 'open' } }],
    })
    const [fault = '', ...others] = await faults()
    expect(others).to.deep.equal([])
    expect(fault).to.include('src/queries/notes.json: rules: ').and.include('api::note.note')
    await roles.update('public', { rules: [] })
    expect(await faults()).to.deep.equal([])
  })

  it('warns of missing and changed indexes', async () => {
    const { status, out } = await doctor()
    expect(status).to.equal(1)
    expect(out).to.match(/^LEVEL +CHECK +WHAT\n/)
    expect(out).to.match(/^warning +indexes +note_versions\.quire_list is missing/m)
    expect(out).to.match(/\n\d+ findings\.$/)
    await syncIndexes(test.database, [...compileCollections(await schema()).values()])
    await test.database.collection('note_versions').createIndex({ slug: 1 }, { name: 'quire_old' })
    const { findings } = await examined()
    expect(findings.map(({ what }) => what).join('\n')).to.match(/quire_old is declared otherwise/)
    await test.database.collection('note_versions').dropIndex('quire_old')
  })

  it('reports no findings for a healthy deployment', async () => {
    await test.database.collection('note_versions').createIndex({ slug: 1 }, { name: 'by_hand' })
    const { status, out } = await doctor()
    expect(out).to.match(/^ok +version +it answers as MongoDB \d/m)
    expect(out).to.match(/^(ok|note) +topology +a (replica set|sharded cluster)/m)
    expect(out).to.match(/^ok +transactions +they work/m)
    expect(out).to.match(/^ok +indexes +all that are declared are in place/m)
    expect(out).to.match(/^note +indexes +note_versions\.by_hand is not an index of Quire/m)
    expect(out).to.match(/^ok +storage +local stores and returns files/m)
    expect(out).to.match(/^note +queries +no query has been seen yet/m)
    expect([status, out.split('\n').at(-1)]).to.deep.equal([0, 'No findings.'])
  })

  it('reports a fault for sharded content before MongoDB 6.0 and names the collection', async () => {
    const proxy = await openFaultProxy(test.uri)
    proxy.arm((command) => {
      const isStats = command['collStats'] === 'note_versions'
      if (!isStats && !('buildInfo' in command)) return null
      const more = isStats ? { sharded: true } : { version: '5.0.31' }
      return { fate: 'carried out', answer: (_, said) => ({ ...said, ...more }) }
    })
    try {
      const { out } = await doctor([], {}, proxy.uri)
      expect(out).to.match(
        /^fault +version +MongoDB 5\.0\.31 is too old: sharded content \(note_versions\)/m,
      )
    } finally {
      await proxy.close()
    }
  })

  it('advises indexes from observed queries and shows the evidence', async () => {
    const monitor = createCommandMonitor('totals')
    const { uri, name } = test
    const database = await openDatabase({ uri, name, queryTimeoutMs: 10_000, monitor })
    const stats = openQueryStats({
      explainer: openExplainer(database),
      database,
      monitor,
      collections: new Set(['note_versions']),
      now: () => new Date(),
      onBackgroundError: (error) => expect.fail(String(error)),
    })
    const notes = database.collection('note_versions')
    await notes.insertMany(Array.from({ length: 1_500 }, (_, index) => ({ text: `t${index}` })))
    for (const text of ['t1', 't2']) await notes.find({ text }).toArray()
    await notes.find({ slug: 's' }).toArray()
    await stats.close()
    await database.close()
    const { advice, findings } = await examined()
    expect(advice).to.have.length(1)
    expect(advice[0]).to.include({
      contentType: 'api::note.note',
      attribute: 'text',
      use: 'filtered',
      count: 2,
    })
    const [queries] = findings.filter(({ check }) => check === 'queries')
    expect(queries?.what).to.match(/^1 attributes are filtered or sorted without an index/)
    const { out, status } = await doctor()
    expect(out).to.match(/api::note\.note +text \(filtered\) +2 +\d+ +\d+ +(1500\/1|-)/)
    expect(status).to.equal(advice[0]?.isUrgent === true ? 1 : 0)
  })

  it('advises an index that serves an order in both directions', async () => {
    const monitor = createCommandMonitor('totals')
    const { uri, name } = test
    const database = await openDatabase({ uri, name, queryTimeoutMs: 10_000, monitor })
    const options = { database, monitor, collections: new Set(['note_versions']) }
    const stats = openQueryStats({
      explainer: openExplainer(database),
      ...options,
      now: () => new Date(),
      onBackgroundError: (error) => expect.fail(String(error)),
    })
    const notes = database.collection('note_versions')
    const versions = { status: 'published', locale: '' }
    const rows = Array.from({ length: 1_500 }, (_, id) => ({ ...versions, id, rank: id % 7 }))
    await notes.insertMany(rows)
    const list = (way: 1 | -1) => notes.find(versions, { sort: { rank: way, id: way }, limit: 25 })
    await list(-1).toArray()
    await stats.close()
    await database.close()
    const advice = (await examined()).advice.find(({ use }) => use === 'sorted')
    expect(advice?.attribute).to.equal('rank:desc')
    expect(advice?.remedy).to.equal('api::note.note: "indexes": [["rank:desc"]] in its options')
    // Copied from the output of `collection-plan.ts` for this declaration.
    const key = { status: 1, locale: 1, rank: -1, id: -1 } as const
    const index = await test.database.collection('note_versions').createIndex(key)
    for (const way of [1, -1] as const) {
      const find = { find: 'note_versions', filter: versions, sort: { rank: way, id: way } }
      const command = { ...find, limit: 25 }
      const plan = await explainCommand(test.database, { name: 'find', command })
      expect(plan?.indexes).to.deep.equal([index])
      expect(plan?.scanned ?? 25).to.be.at.most(26)
    }
    await test.database.collection('note_versions').dropIndex(index)
  })

  it('reports each resource that cannot be opened as its own fault', async () => {
    const settings = await doctor(['--json'], { PORT: 'x', NODE_ENV: 'production' })
    const { findings } = JSON.parse(settings.out) as Examination
    expect(settings.status).to.equal(1)
    expect(findings.map(({ level, what }) => [level, what.split(':')[0]])).to.deep.equal([
      ['fault', 'PORT'],
      ['fault', 'JWT_SECRET'],
      ['fault', 'MONGODB_URI'],
    ])
    const types = await examined({ CONTENT_TYPES_DIR: path.join(folder, 'nowhere') })
    const faults = types.findings.filter(({ level }) => level === 'fault')
    expect(faults.map(({ check }) => check)).to.deep.equal(['content-types'])
    expect(types.findings.map(({ check }) => check)).to.include('storage')
  })

  it('reports the state of the commit log, unnumbered commits and restored backups', async () => {
    const { findings } = await examined()
    expect(findings.filter(({ check }) => check === 'commit log')).to.have.lengthOf(1)
    const head = { log: 'a', seq: 7, floor: 0 }
    const said = (health: object) =>
      findingsOf({ head, pending: 0, lagMs: 0, strays: 0, ...health }).map(
        ({ level, what }) => `${level}: ${what}`,
      )
    expect(said({ head: null })).to.deep.equal(['note: empty; the first start creates it'])
    expect(said({ pending: 2, lagMs: 900 })).to.deep.equal(['ok: at 7, 2 without a number'])
    expect(said({ pending: 2, lagMs: 11_000 })[0]).to.match(
      /^warning: at 7, 2 without a number, for 11 s/,
    )
    expect(said({ strays: 3 })[0]).to.match(/^fault: .*\(3\).*`quire log restart`$/)
  })

  it('reports the lag of CDN purges only if purging is configured', async () => {
    const purges = async (more: Record<string, string> = {}) =>
      (await examined(more)).findings.filter(({ check }) => check === 'purges')
    expect(await purges()).to.deep.equal([])
    const told = {
      CDN_PURGE: 'url',
      CDN_PURGE_URL: 'http://127.0.0.1:9/',
      CACHE_TAGS: 'surrogate-key',
    }
    expect(await purges(told)).to.deep.equal([
      { check: 'purges', level: 'ok', what: 'all commits are purged' },
    ])
    expect(purgeFinding({ behind: 2, lagMs: 20_000, failures: 1 }, 0)).to.include({ level: 'ok' })
    expect(purgeFinding({ behind: 2, lagMs: 31_000, failures: 3 }, 0)).to.deep.equal({
      check: 'purges',
      level: 'warning',
      what: '2 commits are not purged yet, for 31 s; 3 failed; see the log of the servers for "Purges"',
    })
  })

  it('reports a fault if the storage rejects files', async () => {
    const file = path.join(folder, 'a-file')
    await writeFile(file, '')
    const { findings } = await examined({ QUIRE_DATA_DIR: file })
    const [storage] = findings.filter(({ check }) => check === 'storage')
    expect(storage).to.include({ level: 'fault' })
    expect(storage?.what).to.match(/^files cannot be stored: /)
  })

  it('prints usage and exits with status 2 for unknown arguments', async () => {
    for (const words of [['--nope'], ['more']]) {
      const said = await doctor(words)
      expect(said).to.include({ status: 2, out: '', error: 'Usage: quire doctor [--json]' })
    }
  })
})
