import { expect } from 'chai'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const title = { type: 'string', ...LOCALIZED }
const NOTE = 'api::note.note'
const PAGE = 'api::page.page'
const TAG = 'api::tag.tag'

/** Notes: 3 in English, 2 in French, 1 draft in German. Pages have no drafts. */
describe('GET /admin/counts for administrators limited to some locales', () => {
  let server: TestServer

  before(async () => {
    server = await serve('counts', {
      contentTypes: {
        note: declare('note', { title }, { draftAndPublish: true, localized: true }),
        page: declare('page', { title }, { localized: true }),
        tag: declare('tag', { name: { type: 'string' } }),
      },
      environment: { RATE_LIMIT: 'off' },
      locales: ['fr', 'de'],
    })
    for (const [path, count] of [
      ['/api/notes?locale=en', 3],
      ['/api/notes?locale=fr', 2],
      ['/api/notes?locale=de&status=draft', 1],
      ['/api/pages?locale=en', 4],
      ['/api/pages?locale=de', 2],
      ['/api/tags?', 5],
    ] as const) {
      for (let n = 0; n < count; n += 1) {
        const { status, text } = await server.post(
          path,
          path.includes('tags') ? { name: `${n}` } : { title: `${n}` },
        )
        expect(status, text).to.equal(201)
      }
    }
  })
  after(() => server.close())

  let roles = 0
  const somebody = async (permissions: readonly (string | object)[]): Promise<AdminClient> => {
    roles += 1
    await addRole(server, `role${roles}`, permissions)
    await addAdministrator(server, `Somebody${roles}`, [`role${roles}`])
    return signIn(server, `somebody${roles}@example.org`)
  }
  const counts = async (client: AdminClient): Promise<object> => {
    const { status, body, text } = await client.send('GET', '/admin/counts')
    expect(status, text).to.equal(200)
    return body.data
  }
  const bound = (uid: string, verb: string, ...locales: readonly string[]): object => ({
    action: `${uid}.${verb}`,
    locales,
  })

  it('counts the default locale for a caller with access to all locales', async () => {
    expect((await server.get('/admin/counts')).body.data).to.deep.equal({
      [NOTE]: 3,
      [PAGE]: 4,
      [TAG]: 5,
    })
  })

  it('counts a permitted locale and leaves out the others', async () => {
    const permissions = [bound(NOTE, 'find', 'fr'), bound(PAGE, 'find', 'de')]
    expect(await counts(await somebody(permissions))).to.deep.equal({ [NOTE]: 2, [PAGE]: 2 })
  })

  it('counts drafts only with permission to read the drafts of that locale', async () => {
    const german = [bound(NOTE, 'find', 'de')]
    expect(await counts(await somebody(german))).to.deep.equal({ [NOTE]: 0 })
    const others = [...german, bound(NOTE, 'readDrafts', 'fr')]
    expect(await counts(await somebody(others))).to.deep.equal({ [NOTE]: 0 })
    const drafts = [...german, bound(NOTE, 'readDrafts', 'de')]
    expect(await counts(await somebody(drafts))).to.deep.equal({ [NOTE]: 1 })
  })

  it('leaves out types without permission to find, even if their drafts are readable', async () => {
    const permissions = [bound(NOTE, 'readDrafts', 'en'), `${TAG}.find`]
    expect(await counts(await somebody(permissions))).to.deep.equal({ [TAG]: 5 })
  })
})
