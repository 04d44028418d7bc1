import { expect } from 'chai'
import type { ServerProcess } from '../support/server-process.ts'
import { declare, type Json } from '../support/server.ts'
import { ask, type Declarations, type Processes, startProcesses } from './processes.ts'

const COMPONENT = { info: { displayName: 'part' }, attributes: { name: { type: 'string' } } }
const PARTS = { type: 'component', repeatable: true, component: 'shared.part' }

/** The previous types. `gone` is removed in the next version. */
const OLD: Declarations = {
  note: declare(
    'note',
    { title: { type: 'string' }, gone: { type: 'string' }, parts: PARTS },
    { draftAndPublish: true },
  ),
  tag: declare('tag', { name: { type: 'string' } }),
  'components/shared/part': COMPONENT,
}

/** The next types, with one more attribute of each kind. */
const NEW: Declarations = {
  note: declare(
    'note',
    {
      title: { type: 'string' },
      added: { type: 'string', default: 'by default' },
      code: { type: 'string', unique: true },
      tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
      parts: PARTS,
    },
    { draftAndPublish: true },
  ),
  tag: declare('tag', { name: { type: 'string' } }),
  'components/shared/part': {
    ...COMPONENT,
    attributes: { name: { type: 'string' }, size: { type: 'integer' } },
  },
}

describe('processes with previous and next content-types side by side', () => {
  let processes: Processes
  let older: ServerProcess
  let newer: ServerProcess

  before(async () => {
    processes = await startProcesses('rolling', OLD)
    older = processes.servers[0] ?? expect.fail('no process')
    newer = await processes.start(NEW)
  })
  after(async () => {
    await processes.close()
  })

  const write = async (server: ServerProcess, method: string, path: string, data: object) => {
    const answer = await ask(server, method, path, { body: { data } })
    expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 201])
    return answer.body.data
  }
  const read = async (server: ServerProcess, path: string): Promise<Json> =>
    (await ask(server, 'GET', `${path}?populate=*`)).body.data

  it('keeps values that the previous version does not know during all its writes', async () => {
    const tag = await write(newer, 'POST', '/api/tags', { name: 'a' })
    const data = { title: 'one', added: 'mine', code: 'c1', tags: [tag.documentId] }
    const { documentId } = await write(newer, 'POST', '/api/notes', data)
    const path = `/api/notes/${documentId}`
    const seen = await read(older, path)
    expect(seen).to.include({ title: 'one' })
    expect(seen).not.to.have.any.keys('added', 'code', 'tags')
    await write(older, 'PUT', path, { title: 'two' })
    await write(older, 'PUT', `${path}?status=draft`, { title: 'three' })
    expect((await ask(older, 'POST', `${path}/actions/publish`)).status).to.equal(200)
    for (const status of ['draft', 'published']) {
      const { body } = await ask(newer, 'GET', `${path}?populate=*&status=${status}`)
      expect(body.data, status).to.include({ title: 'three', added: 'mine', code: 'c1' })
      expect(body.data.tags.map(({ name }: Json) => name as unknown)).to.deep.equal(['a'])
    }
    expect((await ask(older, 'POST', `${path}/actions/unpublish`)).status).to.equal(200)
    const { body } = await ask(newer, 'GET', `${path}?status=draft`)
    expect(body.data).to.include({ added: 'mine', code: 'c1' })
  })

  it('refuses unknown attributes, and shows null for attributes that the other version did not write', async () => {
    const unknown = await ask(older, 'POST', '/api/notes', { body: { data: { added: 'x' } } })
    expect([unknown.status, unknown.body.error.message]).to.deep.equal([400, 'Invalid key added'])
    const { documentId } = await write(older, 'POST', '/api/notes', { title: 'old', gone: 'y' })
    const path = `/api/notes/${documentId}`
    expect(await read(newer, path)).to.deep.include({ title: 'old', added: null, tags: [] })
    await write(newer, 'PUT', path, { added: 'now' })
    expect(await read(older, path)).to.include({ title: 'old', gone: 'y' })
  })

  it('enforces a unique value that the previous version does not know', async () => {
    await write(newer, 'POST', '/api/notes', { title: 'holder', code: 'taken' })
    const draft = await write(newer, 'POST', '/api/notes?status=draft', { code: 'taken' })
    const publish = `/api/notes/${draft.documentId}/actions/publish`
    const knowing = await ask(newer, 'POST', publish)
    expect([knowing.status, knowing.body.error.name]).to.deep.equal([400, 'ValidationError'])
    const unknowing = await ask(older, 'POST', publish)
    expect([unknowing.status, unknowing.body.error.name]).to.deep.equal([409, 'ConflictError'])
  })

  it('loses new attributes of components that the previous version writes', async () => {
    const parts = [
      { name: 'a', size: 1 },
      { name: 'b', size: 2 },
    ]
    const note = await write(newer, 'POST', '/api/notes', { parts })
    const path = `/api/notes/${note.documentId}`
    await write(older, 'PUT', path, { title: 'untouched' })
    const sizes = async () =>
      (await read(newer, path)).parts.map(({ size }: Json) => size as unknown)
    expect(await sizes()).to.deep.equal([1, 2])
    const shown = (await read(older, path)).parts
    await write(older, 'PUT', path, { parts: shown })
    expect(await sizes()).to.deep.equal([null, null])
  })

  it('has the indexes of the process that started last', async () => {
    const names = async (): Promise<readonly string[]> =>
      (await processes.db.collection('note_versions').listIndexes().toArray()).map(({ name }) =>
        String(name),
      )
    expect(await names()).to.include.members(['quire_unique_code', 'quire_relation_tags'])
    await processes.start(OLD)
    expect(await names()).not.to.include.members(['quire_unique_code'])
    await processes.start(NEW)
    expect(await names()).to.include.members(['quire_unique_code', 'quire_relation_tags'])
  })
})
