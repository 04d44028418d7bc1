import { expect } from 'chai'
import { serve, type TestServer } from '../../support/server.ts'
import { addEntry, addMember, type Member, RULED_TYPES, setRules } from './rules-world.ts'

const COMMENTS = { type: 'comment', fields: ['text'], populate: { note: { fields: ['title'] } } }
const NOTES = { type: 'note', fields: ['title'], filters: { title: { $contains: 'canary' } } }

const QUERIES = {
  'src/queries/own-notes': { ...NOTES, rules: 'caller' },
  'src/queries/all-notes': { ...NOTES, rules: 'none' },
  'src/queries/teams': { type: 'team', fields: ['name'] },
  'src/queries/own-comments': { ...COMMENTS, rules: 'caller' },
}

describe('named queries under rules', () => {
  let server: TestServer
  let ann: Member

  before(async () => {
    server = await serve('rules_queries', { contentTypes: { ...RULED_TYPES, ...QUERIES } })
    ann = await addMember(server, 'ann')
    const bob = await addMember(server, 'bob')
    for (const [name, owner] of [
      ['ann', ann],
      ['bob', bob],
    ] as const) {
      const data = { title: `canary-${name}`, owner: owner.documentId }
      const note = await addEntry(server, '/api/notes', data)
      await addEntry(server, '/api/comments', { text: 'a', note: note.documentId })
    }
    const queries = ['own-notes', 'all-notes', 'own-comments'].map((name) => `query::${name}`)
    await setRules(
      server,
      'authenticated',
      [{ action: 'api::note.note.find', where: { owner: '$user' } }],
      [...queries, 'api::comment.comment.find'],
    )
    await setRules(server, 'public', [], queries)
  })
  after(() => server.close())

  for (const name of ['own-notes', 'own-comments']) {
    it(`apply the rules of the caller: ${name}`, async () => {
      const answer = await server.get(`/api/_q/${name}`, { token: ann.token })
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.text).to.include('canary-ann').and.not.include('canary-bob')
      expect(answer.headers['cache-control']).to.equal('private, no-cache')
    })

    it(`need find of each type: ${name}`, async () => {
      expect((await server.get(`/api/_q/${name}`, { token: null })).status).to.equal(403)
    })
  }

  it('show everything with rules none', async () => {
    const answer = await server.get('/api/_q/all-notes', { token: ann.token })
    expect(answer.text).to.include('canary-ann').and.include('canary-bob')
  })

  it('are refused without the key while one of their types has a rule', async () => {
    const read = (token: string | null | undefined): Promise<number> =>
      server.get('/api/_q/teams', token === undefined ? {} : { token }).then(({ status }) => status)
    const rule = { action: 'api::team.team.find', where: { name: 'Reds' } }
    await setRules(server, 'public', [], ['query::teams'])
    expect([await read(null), await read(null)]).to.deep.equal([200, 200])
    await setRules(server, 'public', [rule], [])
    expect([await read(null), await read(undefined)]).to.deep.equal([403, 200])
    await setRules(server, 'public', [], [])
    expect(await read(null)).to.equal(200)
  })

  it('stay refused after a restart, which names the file in the log', async () => {
    const restarted = await serve('rules_queries', {
      contentTypes: { ...RULED_TYPES, 'src/queries/notes': NOTES },
      environment: { MONGODB_DATABASE: server.database },
    })
    try {
      await setRules(restarted, 'public', [], ['query::notes'])
      expect((await restarted.get('/api/_q/notes', { token: null })).status).to.equal(403)
      const named = restarted.takeLog().find(({ msg }) => String(msg).includes('queries/notes'))
      expect(named?.['msg']).to.include('api::note.note').and.include('set rules to')
    } finally {
      await restarted.close()
    }
  })
})
