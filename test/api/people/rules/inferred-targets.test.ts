import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../../support/server.ts'
import { addEntry } from '../rules-world.ts'

const NOTE = 'api::note.note'
const BOARD = 'api::board.board'

const RELATIONS = {
  lead: { type: 'relation', relation: 'manyToOne', target: NOTE },
  notes: { type: 'relation', relation: 'manyToMany', target: NOTE },
}

const CONTENT_TYPES = {
  note: declare('note', { title: { type: 'string' }, owner: { type: 'string' } }),
  board: declare('board', {
    ...RELATIONS,
    name: { type: 'string' },
    card: { type: 'component', component: 'shared.card' },
    cards: { type: 'component', component: 'shared.card', repeatable: true },
    zone: { type: 'dynamiczone', components: ['shared.card'] },
  }),
  'components/shared/card': {
    attributes: {
      text: { type: 'string' },
      inner: { type: 'component', component: 'shared.inner' },
    },
  },
  'components/shared/inner': { attributes: RELATIONS },
}

/** Ann may write all boards, and sees her own notes only. */
describe('bulk writes of relations with hidden targets', () => {
  let server: TestServer
  let token: string
  let own: string
  let hidden: string

  before(async () => {
    server = await serve('rules_inferred_targets', { contentTypes: CONTENT_TYPES })
    const permissions = ['find', 'findOne', 'create', 'update'].map((verb) => `${BOARD}.${verb}`)
    const rules = ['find', 'findOne'].map((verb) => ({
      action: `${NOTE}.${verb}`,
      where: { owner: 'ann' },
    }))
    const body = { name: 'Ann', type: 'custom', permissions, rules }
    const made = await server.send('POST', '/admin/api-tokens', { body })
    expect(made.status, made.text).to.equal(201)
    token = made.body.data.accessKey
    own = (await addEntry(server, '/api/notes', { title: 'own', owner: 'ann' })).documentId
    hidden = (await addEntry(server, '/api/notes', { title: 'hidden', owner: 'bob' })).documentId
  })
  after(() => server.close())

  const resultOf = async (documentId: string, data: object, query = ''): Promise<Json> => {
    const answer = await server.send('POST', `/api/_bulk${query}`, {
      token,
      headers: { 'content-type': 'application/x-ndjson' },
      body: JSON.stringify({ op: 'upsert', type: 'board', documentId, data }),
    })
    expect(answer.status, answer.text).to.equal(200)
    const [line] = answer.text.trim().split('\n')
    return JSON.parse(line ?? '').result
  }

  const WITHIN: Readonly<Record<string, (relations: object) => object>> = {
    'an entry': (relations) => relations,
    'a component': (inner) => ({ card: { text: 'a', inner } }),
    'a list of components': (inner) => ({ cards: [{ text: 'a', inner }] }),
    'a dynamic zone': (inner) => ({ zone: [{ __component: 'shared.card', text: 'a', inner }] }),
  }

  for (const [place, within] of Object.entries(WITHIN)) {
    for (const query of ['?atomic=false', '?atomic=true']) {
      it(`have the same result for each hidden target, in ${place}: ${query}`, async () => {
        const start = { documentId: own, position: { start: true } }
        for (const [given, stored] of [
          [{ lead: null }, { lead: hidden }],
          [{ lead: null, notes: [own] }, { notes: [hidden, own] }],
          [{ lead: null, notes: { connect: [start] } }, { notes: [hidden, own] }],
        ] as const) {
          const visible = 'notes' in stored ? { notes: [own] } : {}
          for (const relations of [stored, visible]) {
            const { documentId } = await addEntry(server, '/api/boards', within(relations))
            expect(await resultOf(documentId, within(given), query)).to.equal('updated')
          }
        }
      })
    }
  }

  it('do not change the result of other attributes', async () => {
    const { documentId } = await addEntry(server, '/api/boards', { name: 'a', lead: hidden })
    expect(await resultOf(documentId, { name: 'a' })).to.equal('unchanged')
    expect(await resultOf(documentId, { name: 'b' })).to.equal('updated')
  })
})
