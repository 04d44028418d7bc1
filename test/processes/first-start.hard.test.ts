import { expect } from 'chai'
import type { Document } from 'mongodb'
import { declare, type Json } from '../support/server.ts'
import { ask, type Declarations, PROCESSES, type Processes, startProcesses } from './processes.ts'

const BUILT = /Indexes synced: \d+ built/

const FIRST: Declarations = {
  note: declare('note', {
    text: { type: 'string' },
    code: { type: 'string' },
    old: { type: 'string', unique: true },
    tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
  }),
  tag: declare('tag', { name: { type: 'string', unique: true } }),
}

const CHANGED: Declarations = {
  note: declare('note', {
    text: { type: 'string' },
    code: { type: 'string', unique: true },
    tag: { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag' },
  }),
  tag: declare('tag', { name: { type: 'string', unique: true } }, { sharded: true }),
  page: declare('page', { path: { type: 'string', unique: true } }),
}

describe('the start of four processes at the same time', () => {
  let processes: Processes

  before(async () => {
    processes = await startProcesses('starts', FIRST)
  })
  after(async () => {
    await processes.close()
  })

  const whoBuilt = (): number =>
    processes.servers.filter(({ startLog }) => BUILT.test(startLog.join('\n'))).length
  const indexesOf = async (collection: string): Promise<readonly string[]> => {
    const found: readonly Document[] = await processes.db
      .collection(collection)
      .listIndexes()
      .toArray()
    return found.map(({ name }) => String(name)).sort()
  }
  const rowsOf = (collection: string): Promise<readonly Document[]> =>
    processes.db.collection(collection).find({}).sort({ _id: 1 }).toArray()

  it('builds the indexes of an empty database once', async () => {
    expect(whoBuilt()).to.equal(1)
    expect(await indexesOf('note_versions')).to.deep.equal([
      '_id_',
      'quire_count',
      'quire_document',
      'quire_list',
      'quire_order_createdAt',
      'quire_relation_tags',
      'quire_unique_old',
    ])
    expect(await rowsOf('quire_leases')).to.deep.equal([])
  })

  it('creates the initial roles and locales once', async () => {
    for (const server of processes.servers) {
      const roles = await ask(server, 'GET', '/admin/roles')
      const types = roles.body.data.map(({ id, type }: Json) => [id, type] as const)
      expect(types).to.deep.equal([
        [1, 'authenticated'],
        [2, 'public'],
      ])
      const { body: locales } = await ask(server, 'GET', '/api/i18n/locales')
      expect(locales.map(({ code, isDefault }: Json) => [code, isDefault] as const)).to.deep.equal([
        ['en', true],
      ])
    }
  })

  it('builds no index without a change of the types', async () => {
    await processes.restart(FIRST)
    expect(whoBuilt()).to.equal(0)
    expect(processes.servers).to.have.lengthOf(PROCESSES)
  })

  it('updates the indexes of changed content-types only once', async () => {
    await Promise.all(
      processes.servers.map((server, index) =>
        ask(server, 'POST', '/api/notes', { body: { data: { text: 'x', code: `c${index}` } } }),
      ),
    )
    for (const name of ['a', 'b']) {
      const body = { data: { name } }
      await ask(processes.servers[0] ?? expect.fail(), 'POST', '/api/tags', { body })
    }
    await processes.restart(CHANGED)
    expect(whoBuilt()).to.equal(1)
    expect(await rowsOf('quire_reservations')).to.have.lengthOf(2)
    expect(await indexesOf('note_versions')).to.deep.equal([
      '_id_',
      'quire_count',
      'quire_document',
      'quire_list',
      'quire_order_createdAt',
      'quire_relation_tag',
      'quire_unique_code',
    ])
    expect(await indexesOf('page_versions')).to.include('quire_unique_path')
    const statuses = await Promise.all(
      processes.servers.map(async (server) => {
        const body = { data: { path: 'only' } }
        return (await ask(server, 'POST', '/api/pages', { body })).status
      }),
    )
    expect(statuses.toSorted((one, other) => one - other)).to.deep.equal([201, 400, 400, 400])
  })
})
