import { expect } from 'chai'
import { Device, permitPushes, pushed, readPushed } from '../../../support/push-world.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../../support/server.ts'
import { setRules } from '../rules-world.ts'

const STORY = 'api::story.story'
const SOLO = 'api::solo.solo'
const OPTIONS = { draftAndPublish: true, localized: true } as const
const localized = { pluginOptions: { i18n: { localized: true } } }
const ATTRIBUTES = {
  title: { type: 'string', ...localized },
  owner: { type: 'string', ...localized },
  open: { type: 'boolean', ...localized },
  secret: { type: 'string', private: true, ...localized },
}
const CONTENT_TYPES = {
  story: pushed(declare('story', ATTRIBUTES, OPTIONS), { draftAndPublish: true }),
  solo: declare('solo', ATTRIBUTES, { ...OPTIONS, kind: 'singleType' }),
}

const shown = { $or: [{ owner: 'ann' }, { open: true }] }
const own = { owner: 'ann' }
const rulesOf = (uid: string): readonly object[] => [
  { action: `${uid}.find`, where: shown },
  { action: `${uid}.findOne`, where: shown },
  ...['readDrafts', 'update', 'delete'].map((verb) => ({ action: `${uid}.${verb}`, where: own })),
]

/** Ann sees the published versions of Bob that are open. She cannot see his drafts, and cannot change his entries. */
describe('versions that a rule hides', () => {
  let server: TestServer
  let token: string
  let device: Device

  const ann = (method: string, path: string, body?: unknown): Promise<Answer> =>
    server.send(method, path, { token, ...(body !== undefined && { body }) })

  const bobs = async (): Promise<string> => {
    const made = await server.post('/api/storys', { title: 'B', owner: 'bob', open: true })
    expect(made.status, made.text).to.equal(201)
    return made.body.data.documentId
  }

  const save = async (path: string, data: object): Promise<void> => {
    const saved = await server.put(path, data)
    expect(saved.status, saved.text).to.be.lessThan(300)
  }

  const call = async (name: string, args: object): Promise<Json> => {
    const params = { name, arguments: args }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const answer = await ann('POST', '/mcp', body)
    expect(answer.status, answer.text).to.equal(200)
    return JSON.parse(answer.body.result.content[0].text)
  }

  before(async () => {
    server = await serve('rules_inferred_versions', {
      contentTypes: CONTENT_TYPES,
      locales: ['en', 'de'],
    })
    const rules = [STORY, SOLO].flatMap(rulesOf)
    const body = { name: 'Ann', type: 'custom', rules }
    const made = await server.send('POST', '/admin/api-tokens', { body })
    expect(made.status, made.text).to.equal(201)
    token = made.body.data.accessKey
    await permitPushes(server, [`${STORY}.push`, `${STORY}.publish`])
    await setRules(server, 'authenticated', rules)
    device = await Device.of(server, 'ann')
    await save('/api/solo', { title: 'B', owner: 'bob', open: true })
  })
  after(() => server.close())

  describe('decide no publication filter', () => {
    const refusedFor = (uid: string): string =>
      `publicationFilter: a rule can hide the other version of an entry of ${uid}`

    for (const filter of ['modified', 'unmodified']) {
      it(`of a single entry and a single type: ${filter}`, async () => {
        const id = await bobs()
        for (const [path, uid] of [
          [`/api/storys/${id}`, STORY],
          ['/api/solo', SOLO],
        ] as const) {
          for (const secret of [null, 'changed']) {
            await save(`${path}?status=draft`, { secret })
            const answer = await ann('GET', `${path}?publicationFilter=${filter}`)
            expect(answer.status, answer.text).to.equal(400)
            expect(answer.body.error.message).to.equal(refusedFor(uid))
          }
          expect((await ann('GET', path)).status).to.equal(200)
          expect((await ann('GET', `${path}?hasPublishedVersion=true`)).status).to.equal(200)
        }
      })

      it(`of the tools of agents: ${filter}`, async () => {
        const asked = { status: 'published', publicationFilter: filter }
        const story = await call('get', { type: 'story', documentId: await bobs(), ...asked })
        expect(story.error).to.include({ status: 400, message: refusedFor(STORY) })
        const { error } = await call('get', { type: 'solo', ...asked })
        expect(error).to.include({ status: 400, message: refusedFor(SOLO) })
      })
    }
  })

  const revisionOf = async (id: string): Promise<string> => {
    const { etag = '' } = (await server.get(`/api/storys/${id}`)).headers
    return etag.replaceAll('"', '').replace('W/', '')
  }

  const titled = (documentId: string, base: string | null, seen: string | null): object => ({
    op: 'update',
    type: 'story',
    documentId,
    base,
    patch: { title: { set: 'E' } },
    seen: { title: seen },
  })

  const push = async (...mutations: readonly object[]): Promise<Json> => {
    const answers = await device.push(...mutations)
    return answers.map(({ n: _n, ...answer }) => answer)
  }

  describe('do not change the refusal of a pushed mutation', () => {
    const FORBIDDEN = { outcome: 'refused', code: 'forbidden' }

    for (const change of [null, { title: 'changed' }, { secret: 'changed' }]) {
      it(`with the draft ${JSON.stringify(change)}`, async () => {
        const id = await bobs()
        if (change !== null) await save(`/api/storys/${id}?status=draft`, change)
        const base = await revisionOf(id)
        const answers = await push(
          titled(id, base, 'B'),
          titled(id, base, 'other'),
          titled(id, 'x', 'B'),
          { op: 'delete', type: 'story', documentId: id, base },
          { op: 'delete', type: 'story', documentId: id, base: 'x' },
        )
        for (const answer of answers) expect(answer).to.include(FORBIDDEN)
        expect((await server.get(`/api/storys/${id}`)).body.data.title).to.equal('B')
      })
    }

    it('but report a changed draft to a caller that may replace it', async () => {
      const made = await server.post('/api/storys', { title: 'A', owner: 'ann' })
      const { documentId } = made.body.data
      await save(`/api/storys/${documentId}?status=draft`, { secret: 'changed' })
      const [refused] = await push(titled(documentId, 'x', 'A'))
      expect(refused).to.include({ outcome: 'conflict', code: 'draft_modified' })
      const { revision: base } = refused
      const [deletion] = await push({ op: 'delete', type: 'story', documentId, base })
      expect(deletion).to.include({ outcome: 'conflict', code: 'draft_modified' })
    })
  })

  describe('do not change the refusal of a write to a language', () => {
    const STATES = {
      none: () => Promise.resolve(),
      published: (id: string) =>
        save(`/api/storys/${id}?locale=de`, { title: 'D', owner: 'bob', open: false }),
      draft: (id: string) =>
        save(`/api/storys/${id}?locale=de&status=draft`, { title: 'D', owner: 'bob' }),
    }

    const bulk = async (line: object): Promise<Json> => {
      const answer = await server.send('POST', '/api/_bulk', {
        token,
        headers: { 'content-type': 'application/x-ndjson' },
        body: JSON.stringify({ op: 'upsert', type: 'story', locale: 'de', ...line }),
      })
      return JSON.parse(answer.text.split('\n')[0] ?? '').status
    }

    const pushInto = async (documentId: string): Promise<Json> => {
      const into = new Device(server, device.member, `client-${documentId}`)
      const line = { n: 1, locale: 'de', ...titled(documentId, null, null) }
      const answer = await into.send([into.head(), line])
      return readPushed(answer).lines[0].code
    }

    const answersOf = async (id: string): Promise<Json> => {
      const data = { title: 'E' }
      const path = `/api/storys/${id}?locale=de`
      const headers = { 'if-match': '"x"' }
      const agent = await call('update', {
        type: 'story',
        documentId: id,
        locale: 'de',
        revision: null,
        data,
      })
      return {
        put: (await ann('PUT', path, { data })).status,
        draft: (await ann('PUT', `${path}&status=draft`, { data })).status,
        ifMatch: (await server.send('PUT', path, { token, headers, body: { data } })).status,
        bulk: await bulk({ documentId: id, data }),
        push: await pushInto(id),
        agent: agent.error.status,
      }
    }

    for (const [name, prepare] of Object.entries(STATES)) {
      it(`whose hidden version is: ${name}`, async () => {
        const id = await bobs()
        await prepare(id)
        expect(await answersOf(id)).to.deep.equal({
          put: 403,
          draft: 403,
          ifMatch: 403,
          bulk: 403,
          push: 'forbidden',
          agent: 403,
        })
      })

      it(`of a hidden entry whose other version is: ${name}`, async () => {
        const id = await bobs()
        await save(`/api/storys/${id}`, { open: false })
        await prepare(id)
        expect(await answersOf(id)).to.deep.equal({
          put: 404,
          draft: 404,
          ifMatch: 404,
          bulk: 404,
          push: 'not_found',
          agent: 404,
        })
      })
    }

    it('and a caller that may write the entry adds a version, or cannot write a hidden one', async () => {
      const own = { title: 'A', owner: 'ann' }
      for (const [prepare, status] of [
        [STATES.none, 200],
        [STATES.published, 404],
      ] as const) {
        const { documentId } = (await server.post('/api/storys', own)).body.data
        await prepare(documentId)
        const path = `/api/storys/${documentId}?locale=de&status=draft`
        const answer = await ann('PUT', path, { data: own })
        expect(answer.status, answer.text).to.equal(status)
      }
    })
  })
})
