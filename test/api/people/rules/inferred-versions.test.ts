import { expect } from 'chai'
import { type Answer, declare, type Json, serve, type TestServer } from '../../../support/server.ts'

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
  story: declare('story', ATTRIBUTES, OPTIONS),
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
})
