import { expect } from 'chai'
import { serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { addEntry, addMember, type Member, RULED_TYPES, setRules } from './rules-world.ts'

for (const CACHE_BYTES of ['33554432', '0']) {
  describe(`rules with a cache of ${CACHE_BYTES} bytes`, () => {
    let server: TestServer
    const members: Member[] = []
    let team: string

    before(async () => {
      server = await serve('rules_caches', {
        contentTypes: RULED_TYPES,
        environment: { CACHE_BYTES },
      })
      for (const name of ['ann', 'bob', 'cid', 'dan']) members.push(await addMember(server, name))
      const [ann] = members
      const added = await addEntry(server, '/api/teams', {
        name: 'Reds',
        members: [ann?.documentId],
      })
      team = added.documentId
      for (const [index, owner] of members.entries()) {
        const data = { title: `canary-${index}.`, owner: owner.documentId }
        const note = await addEntry(server, '/api/notes', data)
        await addEntry(server, '/api/comments', { text: 'a', note: note.documentId })
      }
      await addEntry(server, '/api/notes', { title: 'of-the-team', team })
      const where = { $or: [{ owner: '$user' }, { team: '$user.teams' }] }
      await setRules(
        server,
        'authenticated',
        [
          { action: 'api::note.note.find', where },
          { action: 'api::note.note.findOne', where },
        ],
        ['api::comment.comment.find'],
      )
    })
    after(() => server.close())

    for (const path of ['/api/notes', '/api/comments?populate=note', '/api/notes?sort=title']) {
      it(`separates users with the same role in one turn of the event loop: ${path}`, async () => {
        for (let round = 0; round < 3; round += 1) {
          const answers = await Promise.all(members.map(({ token }) => server.get(path, { token })))
          for (const [index, answer] of answers.entries()) {
            expect(answer.status, answer.text).to.equal(200)
            expect(answer.text).to.include(`canary-${index}.`)
            expect(answer.text.match(/canary-\d/g)).to.have.length(1)
            expect(answer.headers['cache-control']).to.equal('private, no-cache')
          }
        }
      })
    }

    it('follows changed memberships soon', async () => {
      const shown = async ({ token }: Member): Promise<boolean> =>
        (await server.get('/api/notes', { token })).text.includes('of-the-team')
      const [ann, bob] = members
      if (ann === undefined || bob === undefined) throw new Error('Members are missing')
      expect([await shown(ann), await shown(bob)]).to.deep.equal([true, false])
      await server.put(`/api/teams/${team}`, { members: [bob.documentId] })
      await until(async () => (await shown(bob)) && !(await shown(ann)), 20_000)
    })
  })
}

describe('rules with the current minute', () => {
  it('hide entries of the future and keep the response out of shared caches', async () => {
    const server = await serve('rules_now', { contentTypes: RULED_TYPES })
    try {
      await addEntry(server, '/api/notes', { title: 'past', opensAt: '2020-01-01T00:00:00Z' })
      await addEntry(server, '/api/notes', { title: 'future', opensAt: '2999-01-01T00:00:00Z' })
      const where = { opensAt: { $lte: '$now' } }
      await setRules(server, 'public', [{ action: 'api::note.note.find', where }])
      const answer = await server.get('/api/notes', { token: null })
      expect(answer.body.data).to.have.length(1)
      expect(answer.text).not.to.include('future')
      expect(answer.headers['cache-control']).to.equal('private, no-cache')
    } finally {
      await server.close()
    }
  })

  it('let shared caches keep responses under rules with constants', async () => {
    const server = await serve('rules_constant', { contentTypes: RULED_TYPES })
    try {
      await addEntry(server, '/api/notes', { title: 'open', isOpen: true })
      await addEntry(server, '/api/notes', { title: 'closed', isOpen: false })
      await setRules(server, 'public', [{ action: 'api::note.note.find', where: { isOpen: true } }])
      const answer = await server.get('/api/notes', { token: null })
      expect(answer.text).to.include('open').and.not.include('closed')
      expect(answer.headers['cache-control']).to.match(/^public/)
    } finally {
      await server.close()
    }
  })
})
