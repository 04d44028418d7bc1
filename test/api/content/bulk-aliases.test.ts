import { expect } from 'chai'
import { permitPushes } from '../../support/push-world.ts'
import { addMember } from '../people/rules-world.ts'
import { declare, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

const NOTE = { type: 'relation', target: 'api::note.note' } as const

const CONTENT_TYPES = {
  note: declare('note', { slug: { type: 'string', unique: true } }),
  board: declare('board', {
    code: { type: 'string', unique: true, alias: ['number'] },
    title: { type: 'string', alias: ['name'] },
    chief: { ...NOTE, relation: 'manyToOne', alias: ['lead'] },
    notes: { ...NOTE, relation: 'manyToMany', alias: ['items'] },
    links: { type: 'component', component: 'shared.link', repeatable: true, alias: ['urls'] },
    zone: { type: 'dynamiczone', components: ['shared.link'], alias: ['blocks'] },
  }),
  'components/shared/link': {
    attributes: {
      label: { type: 'string', alias: ['text'] },
      target: { ...NOTE, relation: 'oneToOne', alias: ['goal'] },
    },
  },
}

describe('a bulk line with aliases', () => {
  let server: TestServer
  let member: string
  let notes: readonly string[]

  before(async () => {
    server = await serve('bulk_aliases', { contentTypes: CONTENT_TYPES })
    const permissions = ['note', 'board'].flatMap((name) =>
      ['find', 'findOne', 'create', 'update'].map((verb) => `api::${name}.${name}.${verb}`),
    )
    await permitPushes(server, permissions)
    member = (await addMember(server, 'anna')).token
    const made: string[] = []
    for (const slug of ['a', 'b']) {
      made.push((await server.post('/api/notes', { slug })).body.data.documentId)
    }
    notes = made
  })
  after(() => server.close())

  const bulk = async (token: string, line: Json, query = ''): Promise<Json> => {
    const { text } = await server.send('POST', `/api/_bulk${query}`, {
      token,
      headers: { 'content-type': 'application/x-ndjson' },
      body: JSON.stringify({ op: 'upsert', type: 'board', ...line }),
    })
    return JSON.parse(text.trim().split('\n')[0] ?? '')
  }
  const read = async (id: string): Promise<Json> => {
    const query = ['chief', 'notes', 'links][populate', 'zone][populate']
      .map((name) => `populate[${name}]=${name.endsWith('populate') ? '*' : 'true'}`)
      .join('&')
    return (await server.get(`/api/boards/${id}?${query}`)).body.data
  }

  const callers = [
    ['root', () => ROOT_TOKEN],
    ['an end user', () => member],
  ] as const
  const places = [
    ['alone', ''],
    ['in one transaction', '?atomic=true'],
  ] as const
  const forms = [
    ['documentIds', (index: number): unknown => notes[index]],
    ['keys', (index: number): unknown => ({ key: { slug: 'ab'[index] } })],
  ] as const

  let count = 0
  for (const [caller, tokenOf] of callers) {
    for (const [place, query] of places) {
      for (const [form, target] of forms) {
        it(`of ${caller} ${place} writes relations by ${form}`, async () => {
          count += 1
          const created = await bulk(
            tokenOf(),
            {
              key: { code: `c${count}` },
              data: {
                number: `c${count}`,
                name: 'n',
                lead: target(0),
                items: [target(0), target(1)],
                urls: [{ text: 't', goal: target(1) }],
                blocks: [{ __component: 'shared.link', text: 'z', goal: target(0) }],
              },
            },
            query,
          )
          expect(created, JSON.stringify(created)).to.include({ result: 'created' })
          const { documentId } = created
          const entry = await read(documentId)
          expect(entry).to.include({ code: `c${count}`, title: 'n' })
          expect(entry.chief.documentId).to.equal(notes[0])
          expect(entry.notes.map((one: Json) => one.documentId)).to.deep.equal(notes)
          expect(entry.links[0]).to.include({ label: 't' })
          expect(entry.links[0].target.documentId).to.equal(notes[1])
          expect(entry.zone[0]).to.include({ label: 'z' })
          expect(entry.zone[0].target.documentId).to.equal(notes[0])
          const changed = { lead: target(1), items: { disconnect: [target(0)] } }
          const updated = await bulk(tokenOf(), { documentId, data: changed }, query)
          expect(updated, JSON.stringify(updated)).to.include({ result: 'updated' })
          const after = await read(documentId)
          expect(after.chief.documentId).to.equal(notes[1])
          expect(after.notes.map((one: Json) => one.documentId)).to.deep.equal([notes[1]])
          const again = await bulk(tokenOf(), { documentId, data: { lead: target(1) } }, query)
          expect(again).to.include({ result: 'unchanged' })
        })
      }
    }
  }

  it('is refused if an object has both names', async () => {
    for (const data of [
      { name: 'a', title: 'a' },
      { lead: notes[0], chief: notes[0] },
      { links: [{ label: 'a', text: 'a' }] },
      { number: 'both', code: 'both' },
    ]) {
      const line = await bulk(ROOT_TOKEN, { key: { code: 'both' }, data })
      expect(line, JSON.stringify(line)).to.include({ status: 400, code: 'invalid_key' })
      expect(line.error.message).to.include('is an alias of')
    }
  })
})
