import { expect } from 'chai'
import * as fc from 'fast-check'
import { MongoClient } from 'mongodb'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const ARTICLE = 'api::article.article'
const PAGE = 'api::page.page'
const PLAIN = 'api::plain.plain'
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const TITLE = { title: { type: 'string', ...LOCALIZED } }
const DRAFTS = { draftAndPublish: true, localized: true } as const

function reviewedType(name: string, review: unknown): object {
  const type = declare(name, TITLE, DRAFTS)
  return { ...type, options: { draftAndPublish: true, review } }
}

const CONTENT_TYPES = {
  article: reviewedType('article', true),
  page: reviewedType('page', {
    stages: [{ name: 'draft' }, { name: 'checked' }, { name: 'ready', roles: ['editor'] }],
    publish: 'ready',
  }),
  plain: declare('plain', TITLE, DRAFTS),
}
const may = (verb: string, rule: object = {}) => ({ action: `${ARTICLE}.${verb}`, ...rule })

describe('the review of drafts', () => {
  let server: TestServer
  let mail: MailServer
  let ids: Readonly<Record<string, string>>
  let ada: AdminClient
  let ben: AdminClient
  let cleo: AdminClient

  before(async () => {
    mail = await startMailServer()
    server = await serve('review', {
      contentTypes: CONTENT_TYPES,
      locales: ['de'],
      permitted: ['find', 'findOne', 'sync'].map((verb) => `${ARTICLE}.${verb}`),
      environment: { RATE_LIMIT: 'off', SMTP_URL: mail.url, PUBLIC_URL: 'https://cms.example.org' },
    })
    await addRole(server, 'reader', [may('find').action, may('readDrafts').action])
    await addRole(server, 'outsider', [`${PLAIN}.find`])
    const shown = { where: { title: { $eq: 'Shown' } } }
    const own = { where: { title: { $in: ['Shown', 'Other'] } } }
    const verbs = ['find', 'findOne', 'readDrafts']
    const rules = [...verbs.map((verb) => may(verb, own)), may('update', shown)]
    const role = { type: 'ruled', name: 'Ruled', permissions: [], rules }
    const made = await server.send('POST', '/admin/administrator-roles', { body: role })
    expect(made.status, made.text).to.equal(201)
    const german = { action: may('update').action, locales: ['de'] }
    await addRole(server, 'german', [may('find').action, may('readDrafts').action, german])
    const people: Record<string, string> = {}
    for (const [name, type] of [
      ['Ada', 'administrator'],
      ['Ben', 'editor'],
      ['Cleo', 'author'],
      ['Reader', 'reader'],
      ['Out', 'outsider'],
      ['Ruled', 'ruled'],
      ['German', 'german'],
    ] as const) {
      people[name] = (await addAdministrator(server, name, [type])).id
    }
    ids = people
    ada = await signIn(server, 'ada@example.org')
    ben = await signIn(server, 'ben@example.org')
    cleo = await signIn(server, 'cleo@example.org')
  })
  after(async () => {
    await server.close()
    await mail.close()
  })

  const contentOf = (documentId: string, rest = '', uid = ARTICLE, locale = 'en'): string =>
    `/admin/content/${uid}/${documentId}${rest}?locale=${locale}`
  const create = async (title = 'Shown', uid = ARTICLE): Promise<string> => {
    const answer = await ada.send('POST', `/admin/content/${uid}?locale=en`, { data: { title } })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }
  const edit = async (documentId: string, title: string, uid = ARTICLE): Promise<void> => {
    const answer = await ada.send('PUT', contentOf(documentId, '', uid), { data: { title } })
    expect(answer.status, answer.text).to.equal(200)
  }
  const move = (of: AdminClient, documentId: string, body: object, uid = ARTICLE) =>
    of.send('PUT', contentOf(documentId, '/review', uid), body)
  const moved = async (documentId: string, body: object, of = ada, uid = ARTICLE) => {
    const answer = await move(of, documentId, body, uid)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data
  }
  const reviewOf = async (
    documentId: string,
    { uid = ARTICLE, of = ada, locale = 'en' } = {},
  ): Promise<Json> => {
    const answer = await of.send('GET', contentOf(documentId, '/comments', uid, locale))
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.meta.review
  }
  const act = (documentId: string, action: string, uid = ARTICLE, of = ada): Promise<Answer> =>
    of.send('POST', contentOf(documentId, `/actions/${action}`, uid))

  it('moves a draft and assigns it', async () => {
    const id = await create()
    const stages = ['draft', 'in-review', 'ready'].map((name) => ({ name, allowed: true }))
    expect(await reviewOf(id)).to.deep.equal({
      stage: 'draft',
      assignee: null,
      stages,
      publishesLastOnly: false,
    })
    const assignee = { id: ids['Ben'], name: 'Ben' }
    const asked = await moved(id, { stage: 'in-review', assignee: ids['Ben'] })
    expect(asked).to.deep.include({ stage: 'in-review', assignee })
    expect(await moved(id, { stage: 'ready' }, ben)).to.deep.include({ stage: 'ready', assignee })
    expect(await moved(id, { assignee: null })).to.deep.include({ stage: 'ready', assignee: null })
    expect(await reviewOf(id)).to.deep.include({ stage: 'ready', assignee: null })
    expect(await reviewOf(await create('Other'))).to.deep.include({ stage: 'draft' })
  })

  it('sets an edited draft of the last stage back, and keeps the other stages', async () => {
    const id = await create()
    await moved(id, { stage: 'in-review', assignee: ids['Ben'] })
    await edit(id, 'Two')
    expect(await reviewOf(id)).to.include({ stage: 'in-review' })
    await moved(id, { stage: 'ready' })
    await edit(id, 'Three')
    expect(await reviewOf(id)).to.include({ stage: 'draft' })
    expect((await reviewOf(id)).assignee).to.include({ name: 'Ben' })
    expect(await moved(id, { assignee: ids['Ada'] })).to.include({ stage: 'draft' })
    expect(await reviewOf(id), 'an assignment renews no stage').to.include({ stage: 'draft' })
  })

  it('refuses a move of a draft that has changed since it was read', async () => {
    const id = await create()
    const read = await ada.send('GET', contentOf(id))
    const headers = {
      cookie: ada.cookie,
      'sec-fetch-site': 'same-origin',
      'if-match': String(read.headers['etag']),
    }
    const sent = { token: null, headers, body: { stage: 'ready' } }
    await edit(id, 'Two')
    const late = await server.send('PUT', contentOf(id, '/review'), sent)
    expect(late.status, late.text).to.equal(412)
    expect(await reviewOf(id)).to.include({ stage: 'draft' })
    const again = await ada.send('GET', contentOf(id))
    const fresh = { ...headers, 'if-match': String(again.headers['etag']) }
    const timely = await server.send('PUT', contentOf(id, '/review'), { ...sent, headers: fresh })
    expect(timely.status, timely.text).to.equal(200)
  })

  it('keeps the languages apart', async () => {
    const id = await create()
    const german = { data: { title: 'Gezeigt' } }
    await ada.send('PUT', contentOf(id, '', ARTICLE, 'de'), german)
    await moved(id, { stage: 'ready' })
    expect(await reviewOf(id, { locale: 'de' })).to.include({ stage: 'draft' })
    await ada.send('PUT', contentOf(id, '', ARTICLE, 'de'), { data: { title: 'Neu' } })
    expect(await reviewOf(id)).to.include({ stage: 'ready' })
  })

  it('ends the review with a publication or a discard', async () => {
    const id = await create()
    await moved(id, { stage: 'in-review', assignee: ids['Ben'] })
    expect((await act(id, 'publish')).status).to.equal(200)
    expect(await reviewOf(id)).to.deep.include({ stage: 'draft', assignee: null })
    await edit(id, 'Two')
    await moved(id, { stage: 'in-review', assignee: ids['Ben'] })
    expect((await act(id, 'discard')).status).to.equal(200)
    expect(await reviewOf(id)).to.deep.include({ stage: 'draft', assignee: null })
    await edit(id, 'Three')
    await moved(id, { stage: 'ready', assignee: ids['Ben'] })
    expect((await act(id, 'publish')).status).to.equal(200)
    expect(await reviewOf(id)).to.deep.include({ stage: 'ready', assignee: null })
    await edit(id, 'Four')
    expect(await reviewOf(id)).to.include({ stage: 'draft' })
  })

  it('begins copies in the first stage, and restored drafts before the last', async () => {
    const id = await create()
    await moved(id, { stage: 'ready', assignee: ids['Ben'] })
    const copied = await ada.send('POST', `/admin/content/${ARTICLE}/${id}/duplicate`)
    const copy = await reviewOf(copied.body.data.documentId)
    expect(copy).to.deep.include({ stage: 'draft', assignee: null })
    await ada.send('DELETE', contentOf(id))
    const back = await ada.send('POST', `/admin/trash/${ARTICLE}/${id}/restore`, { data: {} })
    expect(back.status, back.text).to.equal(200)
    expect(await reviewOf(id)).to.include({ stage: 'draft' })
    expect((await reviewOf(id)).assignee).to.include({ name: 'Ben' })
  })

  it('forgets the review of an entry that is deleted for good', async () => {
    const before = await server.count('quire_reviews')
    const id = await create()
    await moved(id, { stage: 'ready' })
    await ada.send('DELETE', contentOf(id))
    expect(await server.count('quire_reviews')).to.equal(before + 1)
    const ended = await ada.send('DELETE', `/admin/trash/${ARTICLE}/${id}`)
    expect(ended.status, ended.text).to.equal(204)
    expect(await server.count('quire_reviews')).to.equal(before)
  })

  it('lets only the roles of a stage move drafts into it', async () => {
    const id = await create('One', PAGE)
    const refused = await move(cleo, id, { stage: 'ready' }, PAGE)
    expect(refused.status, refused.text).to.equal(403)
    expect((await reviewOf(id, { uid: PAGE, of: cleo })).stages).to.deep.equal([
      { name: 'draft', allowed: true },
      { name: 'checked', allowed: true },
      { name: 'ready', allowed: false },
    ])
    expect(await moved(id, { stage: 'checked' }, cleo, PAGE)).to.include({ stage: 'checked' })
    expect(await moved(id, { stage: 'ready' }, ben, PAGE)).to.include({ stage: 'ready' })
    await edit(id, 'Two', PAGE)
    await moved(id, { assignee: ids['Ben'] }, cleo, PAGE)
    expect(await reviewOf(id, { uid: PAGE })).to.include({ stage: 'draft' })
    expect(await moved(id, { stage: 'ready' }, ada, PAGE)).to.include({ stage: 'ready' })
  })

  it('admits only administrators who update the draft', async () => {
    const [id, other, hidden] = [await create(), await create('Other'), await create('Hidden')]
    const body = { stage: 'ready' }
    for (const name of ['reader', 'out', 'german']) {
      const client = await signIn(server, `${name}@example.org`)
      expect((await move(client, id, body)).status, name).to.equal(403)
    }
    const ruled = await signIn(server, 'ruled@example.org')
    expect((await move(ruled, id, body)).status).to.equal(200)
    expect((await move(ruled, other, body)).status).to.equal(403)
    expect((await move(ruled, hidden, body)).status).to.equal(404)
    for (const one of [other, hidden]) expect(await reviewOf(one)).to.include({ stage: 'draft' })
    const reader = await signIn(server, 'reader@example.org')
    const { stages } = await reviewOf(id, { of: reader })
    expect(stages.every(({ allowed }: Json) => allowed === false)).to.equal(true)
    expect((await server.send('PUT', contentOf(id, '/review'), { body })).status).to.equal(404)
    const nobody = await server.send('PUT', contentOf(id, '/review'), { body, token: null })
    expect(nobody.status).to.equal(401)
  })

  it('refuses malformed changes, and types without a review', async () => {
    const id = await create()
    const expectFault = ({ status, body, text }: Answer, path: string): void => {
      expect(status, text).to.equal(400)
      expect(body.error.details.errors.map((one: Json) => one.path.join('.'))).to.include(path)
    }
    expectFault(await move(ada, id, {}), '')
    expectFault(await move(ada, id, { stage: 'unknown' }), 'stage')
    expectFault(await move(ada, id, { stage: 's'.repeat(65) }), 'stage')
    expectFault(await move(ada, id, { stage: { $ne: '' } }), 'stage')
    expectFault(await move(ada, id, { assignee: 'nobody' }), 'assignee')
    expectFault(await move(ada, id, { assignee: ids['Out'] }), 'assignee')
    expectFault(await move(ada, id, { assignee: { $ne: null } }), 'assignee')
    expectFault(await move(ada, id, { assignee: null, extra: 1 }), 'extra')
    expect((await move(ada, 'aaaaaaaaaaaaaaaaaaaaaaaa', { stage: 'ready' })).status).to.equal(404)
    const missing = contentOf(id, '/review', ARTICLE, 'de')
    expect((await ada.send('PUT', missing, { stage: 'ready' })).status).to.equal(404)
    const plain = await create('One', PLAIN)
    expect(await reviewOf(plain, { uid: PLAIN })).to.equal(null)
    expect((await move(ada, plain, { stage: 'ready' }, PLAIN)).status).to.equal(404)
  })

  it('mails the assignee who sees the draft, once', async () => {
    const [id, hidden] = [await create('Shown'), await create('Hidden')]
    const sent = mail.mails.length
    await moved(hidden, { stage: 'in-review', assignee: ids['Ruled'] })
    await moved(id, { stage: 'in-review', assignee: ids['Ada'] })
    await moved(id, { stage: 'in-review', assignee: ids['Ben'] })
    await moved(id, { stage: 'ready', assignee: ids['Ben'] })
    await moved(id, { assignee: ids['Ruled'] })
    await until(() => mail.mails.length >= sent + 2, 10_000)
    const mails = mail.mails.slice(sent)
    expect(mails.map((one) => one.to[0])).to.have.members(['ben@example.org', 'ruled@example.org'])
    expect(mails[0]?.headers.get('subject')).to.equal('Ada asks you for a review: Shown')
    expect(mails[0]?.text).to.include(`/studio/content/articles/${id}`)
    expect(mails.map(({ text }) => text).join('')).to.not.include('Hidden')
  })

  it('lists unpublished drafts that wait for an administrator on the home screen', async () => {
    const [id, hidden] = [await create('Shown'), await create('Hidden')]
    const waiting = async (of: AdminClient): Promise<Json[]> =>
      (await of.send('GET', '/admin/recent')).body.data.reviews.filter(({ documentId }: Json) =>
        [id, hidden].includes(documentId),
      )
    await moved(id, { stage: 'in-review', assignee: ids['Ruled'] })
    await moved(hidden, { stage: 'in-review', assignee: ids['Ruled'] })
    const ruled = await signIn(server, 'ruled@example.org')
    const [first, ...others] = await waiting(ruled)
    expect(others).to.deep.equal([])
    const place = { uid: ARTICLE, documentId: id, locale: 'en' }
    expect(first).to.deep.include({ ...place, title: 'Shown', stage: 'in-review' })
    expect(first.at).to.be.a('string')
    expect(await waiting(ada)).to.deep.equal([])
    await moved(id, { stage: 'ready' })
    expect((await waiting(ruled))[0]).to.include({ stage: 'ready' })
    await act(id, 'publish')
    expect(await waiting(ruled)).to.deep.equal([])
  })

  it('records changes in the audit', async () => {
    const id = await create('Audited')
    await moved(id, { stage: 'in-review' })
    await until(async () => {
      const { data } = (await server.get('/admin/audit?type=admin::review')).body
      return data.some(({ items, by }: Json) =>
        items.some(
          (item: Json) => item.documentId === id && item.op === 'put' && by.name === 'Ada',
        ),
      )
    }, 10_000)
  })

  it('shows no review to apps', async () => {
    const id = await create('Shown')
    await moved(id, { stage: 'in-review', assignee: ids['Ben'] })
    await act(id, 'publish')
    await edit(id, 'Shown again')
    await moved(id, { stage: 'in-review', assignee: ids['Ben'] })
    const targets = [
      '/api/articles?populate=*',
      `/api/articles/${id}?populate=*&status=draft`,
      '/api/_sync?types=article',
      '/api/openapi.json',
      contentOf(id),
      `/admin/history/${ARTICLE}/${id}?locale=en`,
    ]
    for (const target of targets) {
      const { status, text } = await server.get(target)
      expect(status, `${target}: ${text}`).to.equal(200)
      for (const word of ['in-review', 'assignee', ids['Ben'] ?? 'Ben']) {
        expect(text, target).to.not.include(word)
      }
    }
  })

  it('never changes versions, their state, history or events', async () => {
    const [draft, published] = [await create('Draft'), await create('Published')]
    await act(published, 'publish')
    await edit(published, 'Changed')
    const client = await MongoClient.connect(server.uri)
    const stored = (collection: string, filter: object): Promise<Json[]> =>
      client.db(server.database).collection(collection).find(filter).sort({ _id: 1 }).toArray()
    const seen = async (id: string): Promise<Json> => {
      await server.settled()
      const rows = await stored('article_versions', { documentId: id })
      const history = await ada.send('GET', `/admin/history/${ARTICLE}/${id}?locale=en`)
      const locales = await ada.send('GET', `/admin/content/${ARTICLE}/${id}/locales`)
      const log = await stored('quire_commits', { 'items.type': ARTICLE })
      expect(rows.length * log.length, 'something is compared').to.be.above(0)
      return { rows, history: history.body.data, locales: locales.body.data, log }
    }
    const stages = fc.constantFrom('draft', 'in-review', 'ready')
    const people = fc.constantFrom(null, ids['Ada'], ids['Ben'], ids['Cleo'])
    const change = fc.oneof(
      fc.record({ stage: stages }),
      fc.record({ assignee: people }),
      fc.record({ stage: stages, assignee: people }),
    )
    const changes = fc.array(change, { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(draft, published), changes, async (id, steps) => {
        const before = await seen(id)
        for (const step of steps) await moved(id, step)
        expect(await seen(id)).to.deep.equal(before)
      }),
      { numRuns: 15 },
    )
    await client.close()
  })
})
