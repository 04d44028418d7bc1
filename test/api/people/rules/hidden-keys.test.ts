import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../../support/server.ts'
import { addEntry } from '../rules-world.ts'

const NOTE = 'api::note.note'
const PART = 'api::part.part'

const CONTENT_TYPES = {
  note: declare('note', {
    title: { type: 'string' },
    isOpen: { type: 'boolean' },
    code: { type: 'string', unique: true },
    slug: { type: 'string', unique: true },
  }),
  part: declare('part', {
    name: { type: 'string', unique: true },
    note: { type: 'relation', relation: 'manyToOne', target: NOTE },
  }),
}

describe('keys of bulk lines under rules', () => {
  let server: TestServer
  let tokens = 0

  before(async () => {
    server = await serve('rules_hidden_keys', { contentTypes: CONTENT_TYPES })
    await addEntry(server, '/api/notes', { title: 'a', isOpen: false, code: 'KH1', slug: 'kh1' })
    await addEntry(server, '/api/notes', { title: 'b', isOpen: true, code: 'KO1', slug: 'ko1' })
  })
  after(() => server.close())

  const find = { action: `${NOTE}.find`, where: { isOpen: true }, fields: ['title', 'slug'] }
  const writes = ['create', 'update', 'delete'].map((verb) => `${NOTE}.${verb}`)
  const writesParts = ['find', 'create', 'update'].map((verb) => `${PART}.${verb}`)
  const given = ['title', 'slug']
  const principals: Readonly<Record<string, object>> = {
    'with rules of each action': {
      permissions: writesParts,
      rules: [
        find,
        { ...find, action: `${NOTE}.findOne` },
        { action: `${NOTE}.create`, fields: given },
        { action: `${NOTE}.update`, where: { isOpen: true }, fields: given },
        { action: `${NOTE}.delete`, where: { isOpen: true } },
      ],
    },
    'with a rule of lists only': { permissions: [...writes, ...writesParts], rules: [find] },
  }

  const ask = async (principal: object, lines: readonly object[]): Promise<readonly Json[]> => {
    const name = `token ${(tokens += 1)}`
    const body = { name, type: 'custom', ...principal }
    const token = await server.send('POST', '/admin/api-tokens', { body })
    expect(token.status, token.text).to.equal(201)
    const answer = await server.send('POST', '/api/_bulk', {
      body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      headers: { 'content-type': 'application/x-ndjson' },
      token: token.body.data.accessKey,
    })
    return answer.text
      .trim()
      .split('\n')
      .map((line): Json => ({ ...JSON.parse(line), line: 0 }))
  }

  for (const [kind, principal] of Object.entries(principals)) {
    it(`never test a hidden attribute, ${kind}`, async () => {
      const keys = ['KH1', 'KO1', 'none'].map((code) => ({ code }))
      const upserts = keys.map((key) => ({ op: 'upsert', type: 'note', key, data: {} }))
      const deletes = keys.map((key) => ({ op: 'delete', type: 'note', key }))
      for (const lines of [upserts, deletes]) {
        const [hidden, open, missing] = await ask(principal, lines)
        expect(hidden?.status, JSON.stringify(hidden)).to.equal(403)
        expect(hidden?.error.details).to.include({ key: 'code', path: 'key.code' })
        expect(hidden).to.deep.equal(missing)
        expect(open).to.deep.equal(missing)
      }
      const { body } = await server.get('/api/notes?sort=code')
      expect(body.data.map(({ code }: Json) => code)).to.deep.equal(['KH1', 'KO1'])
    })

    it(`never test a hidden attribute of a target, ${kind}`, async () => {
      const lineTo = (key: object) => ({
        op: 'upsert',
        type: 'part',
        key: { name: 'part' },
        data: { note: { key } },
      })
      const lines = [{ code: 'KO1' }, { code: 'none' }, { slug: 'ko1' }].map(lineTo)
      const [hidden, missing, shown] = await ask(principal, lines)
      expect(hidden?.status, JSON.stringify(hidden)).to.equal(400)
      expect(hidden).to.deep.equal(missing)
      expect(['created', 'unchanged', 'updated']).to.include(shown?.result)
    })

    it(`find entries by a visible attribute, ${kind}`, async () => {
      const data = { title: 'b' }
      const [found] = await ask(principal, [
        { op: 'upsert', type: 'note', key: { slug: 'ko1' }, data },
      ])
      expect(['updated', 'unchanged'], JSON.stringify(found)).to.include(found?.result)
    })
  }
})
