import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const ARTICLE = 'api::article.article'
const HOME = 'api::home.home'
const CANARY = 'CANARY-OF-A-COMMENT'
const NONE = 'aaaaaaaaaaaaaaaaaaaaaaaa'
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const CONTENT_TYPES = {
  article: declare(
    'article',
    { title: { type: 'string', ...LOCALIZED }, secret: { type: 'string', ...LOCALIZED } },
    { draftAndPublish: true, localized: true, search: { title: 1 } },
  ),
  home: declare('home', { title: { type: 'string' } }, { kind: 'singleType' }),
}
const may = (verb: string, rule: object = {}) => ({ action: `${ARTICLE}.${verb}`, ...rule })

describe('comments on entries', () => {
  let server: TestServer
  let mail: MailServer
  let ids: Readonly<Record<string, string>>
  let ada: AdminClient
  let ben: AdminClient

  before(async () => {
    mail = await startMailServer()
    server = await serve('comments', {
      contentTypes: CONTENT_TYPES,
      locales: ['de'],
      permitted: ['find', 'findOne', 'sync'].map((verb) => `${ARTICLE}.${verb}`),
      environment: { RATE_LIMIT: 'off', SMTP_URL: mail.url, PUBLIC_URL: 'https://cms.example.org' },
    })
    await addRole(server, 'outsider', [`${HOME}.find`])
    await addRole(server, 'reader', [may('find').action])
    const only = { where: { title: { $eq: 'Shown' } } }
    const rules = [may('find', { ...only, fields: ['title'] }), may('readDrafts', only)]
    const role = { type: 'ruled', name: 'Ruled', permissions: [], rules }
    const made = await server.send('POST', '/admin/administrator-roles', { body: role })
    expect(made.status, made.text).to.equal(201)
    const people: Record<string, string> = {}
    for (const [name, type] of [
      ['Ada', 'administrator'],
      ['Ben', 'editor'],
      ['Out', 'outsider'],
      ['Reader', 'reader'],
      ['Ruled', 'ruled'],
    ] as const) {
      people[name] = (await addAdministrator(server, name, [type])).id
    }
    ids = people
    ada = await signIn(server, 'ada@example.org')
    ben = await signIn(server, 'ben@example.org')
  })
  after(async () => {
    await server.close()
    await mail.close()
  })

  const create = async (title = 'Shown', locale = 'en'): Promise<string> => {
    const data = { title, secret: 'x' }
    const answer = await ada.send('POST', `/admin/content/${ARTICLE}?locale=${locale}`, { data })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }
  const doorOf = (documentId: string, locale = 'en', id = ''): string =>
    `/admin/content/${ARTICLE}/${documentId}/comments${id}?locale=${locale}`
  const comment = async (of: AdminClient, documentId: string, body: object): Promise<Json> => {
    const answer = await of.send('POST', doorOf(documentId), body)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }
  const textsOf = async (of: AdminClient, documentId: string, locale = 'en'): Promise<string[]> => {
    const answer = await of.send('GET', doorOf(documentId, locale))
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data.map(({ text }: Json) => text)
  }
  const expectFault = ({ status, body, text }: Answer, path: string): void => {
    expect(status, text).to.equal(400)
    expect(body.error.details.errors.map((one: Json) => one.path.join('.'))).to.include(path)
  }

  it('adds, changes, resolves, opens again and deletes', async () => {
    const id = await create()
    const mentions = [ids['Ben']]
    const first = await comment(ada, id, { text: 'Is this right?', attribute: 'title', mentions })
    expect(first).to.deep.include({
      attribute: 'title',
      text: 'Is this right?',
      by: { id: ids['Ada'], name: 'Ada' },
      mentions: [{ id: ids['Ben'], name: 'Ben' }],
      editedAt: null,
      resolved: null,
    })
    const second = await comment(ben, id, { text: 'Yes\nit is' })
    expect(second.attribute).to.equal(null)
    expect(await textsOf(ada, id)).to.deep.equal(['Is this right?', 'Yes\nit is'])
    expect(await textsOf(ada, id, 'en')).to.have.length(2)
    const door = (one: Json): string => doorOf(id, 'en', `/${one.id}`)
    expect((await ben.send('PUT', door(first), { text: 'No' })).status).to.equal(403)
    expect((await ben.send('PUT', door(first), { mentions: [] })).status).to.equal(403)
    expect((await ben.send('DELETE', door(first))).status).to.equal(403)
    const edited = (await ada.send('PUT', door(first), { text: 'Is it?' })).body.data
    expect(edited).to.include({ text: 'Is it?' })
    expect(edited.editedAt).to.be.a('string')
    const resolved = (await ben.send('PUT', door(first), { resolved: true })).body.data
    expect(resolved.resolved.by).to.deep.equal({ id: ids['Ben'], name: 'Ben' })
    expect(resolved.editedAt).to.equal(edited.editedAt)
    const again = (await ada.send('PUT', door(first), { resolved: true })).body.data
    expect(again.resolved).to.deep.equal(resolved.resolved)
    expect((await ada.send('PUT', door(first), { resolved: false })).body.data.resolved).to.equal(
      null,
    )
    expect((await ada.send('DELETE', door(first))).status).to.equal(204)
    expect((await ada.send('DELETE', door(first))).status).to.equal(404)
    expect(await textsOf(ben, id)).to.deep.equal(['Yes\nit is'])
  })

  it('keeps the comments of each language apart, and refuses languages without a version', async () => {
    const id = await create()
    await comment(ada, id, { text: 'English' })
    expect((await ada.send('GET', doorOf(id, 'de'))).status).to.equal(404)
    expect((await ada.send('GET', doorOf(id, 'xx'))).status).to.equal(404)
    const german = { data: { title: 'Gezeigt' } }
    await ada.send('PUT', `/admin/content/${ARTICLE}/${id}?locale=de`, german)
    expect(await textsOf(ada, id, 'de')).to.deep.equal([])
    await ada.send('POST', doorOf(id, 'de'), { text: 'Deutsch' })
    expect(await textsOf(ada, id, 'de')).to.deep.equal(['Deutsch'])
    expect(await textsOf(ada, id)).to.deep.equal(['English'])
  })

  it('accepts comments on a single type', async () => {
    const { documentId } = (await server.put('/api/home', { title: 'Home' })).body.data
    const door = `/admin/content/${HOME}/${documentId}/comments`
    expect((await ada.send('POST', door, { text: 'Fine' })).status).to.equal(201)
    const wrong = `/admin/content/${HOME}/${NONE}/comments`
    expect((await ada.send('POST', wrong, { text: 'x' })).status).to.equal(404)
  })

  it('admits only administrators who read the draft', async () => {
    const id = await create()
    const { id: one } = await comment(ada, id, { text: 'x' })
    for (const name of ['out', 'reader']) {
      const client = await signIn(server, `${name}@example.org`)
      expect((await client.send('GET', doorOf(id))).status, name).to.equal(403)
      expect((await client.send('POST', doorOf(id), { text: 'x' })).status, name).to.equal(403)
      const change = await client.send('PUT', doorOf(id, 'en', `/${one}`), { resolved: true })
      expect(change.status, name).to.equal(403)
    }
    const { meta } = (await ada.send('GET', doorOf(id))).body
    expect(meta.people.map(({ name }: Json) => name)).to.deep.equal(['Ada', 'Ben', 'Ruled'])
    expect(Object.keys(meta.people[0])).to.deep.equal(['id', 'name'])
  })

  it('hides entries and attributes that rules hide', async () => {
    const [shown, hidden] = [await create('Shown'), await create('Hidden')]
    const ruled = await signIn(server, 'ruled@example.org')
    expect((await ruled.send('GET', doorOf(hidden))).status).to.equal(404)
    expect((await ruled.send('POST', doorOf(hidden), { text: 'x' })).status).to.equal(404)
    await comment(ada, shown, { text: 'of the title', attribute: 'title' })
    const secret = await comment(ada, shown, { text: 'of the secret', attribute: 'secret' })
    expect(await textsOf(ruled, shown)).to.deep.equal(['of the title'])
    const door = doorOf(shown, 'en', `/${secret.id}`)
    expect((await ruled.send('PUT', door, { resolved: true })).status).to.equal(404)
    expectFault(
      await ruled.send('POST', doorOf(shown), { text: 'x', attribute: 'secret' }),
      'attribute',
    )
  })

  it('are hidden with the draft, even if the published version is visible', async () => {
    const id = await create('Shown')
    await ada.send('POST', `/admin/content/${ARTICLE}/${id}/actions/publish?locale=en`)
    await ada.send('PUT', `/admin/content/${ARTICLE}/${id}?locale=en`, {
      data: { title: 'Board only' },
    })
    const told = await comment(ada, id, { text: 'quotes the draft', mentions: [ids['Ruled']] })
    const ruled = await signIn(server, 'ruled@example.org')
    const sent = mail.mails.length
    for (const [method, door, body] of [
      ['GET', doorOf(id), undefined],
      ['POST', doorOf(id), { text: 'x' }],
      ['PUT', doorOf(id, 'en', `/${told.id}`), { resolved: true }],
      ['DELETE', doorOf(id, 'en', `/${told.id}`), undefined],
    ] as const) {
      expect((await ruled.send(method, door, body)).status, method).to.equal(404)
    }
    expect((await ruled.send('GET', '/admin/recent')).text).to.not.include('quotes the draft')
    await ada.send('PUT', doorOf(id, 'en', `/${told.id}`), { mentions: [ids['Ruled'], ids['Ben']] })
    await until(() => mail.mails.length > sent, 10_000)
    expect(mail.mails.slice(sent).flatMap(({ to }) => to)).to.not.include('ruled@example.org')
  })

  const WRONG: readonly (readonly [object, string])[] = [
    [{}, 'text'],
    [{ text: '' }, 'text'],
    [{ text: ' \n' }, 'text'],
    [{ text: 'x'.repeat(2_001) }, 'text'],
    [{ text: 'a\u001b[2J' }, 'text'],
    [{ text: 'a\u0000' }, 'text'],
    [{ text: '\ud800' }, 'text'],
    [{ text: { $ne: null } }, 'text'],
    [{ text: 'x', attribute: 'missing' }, 'attribute'],
    [{ text: 'x', attribute: 'title.$gt' }, 'attribute'],
    [{ text: 'x', attribute: { $ne: 1 } }, 'attribute'],
    [{ text: 'x', mentions: ['nobody'] }, 'mentions.0'],
    [{ text: 'x', mentions: [{ $gt: '' }] }, 'mentions.0'],
    [{ text: 'x', mentions: Array.from({ length: 21 }, (_, index) => `${index}`) }, 'mentions'],
    [{ text: 'x', resolved: true }, 'resolved'],
    [{ text: 'x', by: { id: 'other' } }, 'by'],
  ]
  it('refuses invalid comments with the path of each fault', async () => {
    const id = await create()
    for (const [body, path] of WRONG) expectFault(await ada.send('POST', doorOf(id), body), path)
    const wide = { text: 'x', mentions: [ids['Ben'], ids['Out']] }
    expectFault(await ada.send('POST', doorOf(id), wide), 'mentions.1')
    const { id: one } = await comment(ada, id, { text: 'x' })
    const door = doorOf(id, 'en', `/${one}`)
    for (const [body, path] of [
      [{ text: '' }, 'text'],
      [{ resolved: 'yes' }, 'resolved'],
      [{ attribute: 'title' }, 'attribute'],
    ] as const) {
      expectFault(await ada.send('PUT', door, body), path)
    }
    for (const query of ['locale[$ne]=x', 'filters[text]=x', `locale=${'x'.repeat(36)}`]) {
      const answer = await ada.send('GET', `/admin/content/${ARTICLE}/${id}/comments?${query}`)
      expect(answer.status, query).to.equal(400)
    }
    const polluting = '{ "text": "x", "__proto__": { "resolved": true } }'
    const { status } = await server.send('POST', doorOf(id), {
      token: null,
      headers: { cookie: ada.cookie, 'sec-fetch-site': 'same-origin' },
      body: polluting,
    })
    expect(status).to.equal(400)
    expect(await textsOf(ada, id)).to.deep.equal(['x'])
  })

  it('responds with 404 to unknown entries, comments and types', async () => {
    const [id, other] = [await create(), await create()]
    const { id: one } = await comment(ada, id, { text: 'x' })
    for (const target of [
      doorOf(NONE),
      doorOf('__proto__'),
      `/admin/content/api::none.none/${id}/comments`,
      `/admin/content/plugin::upload.file/${id}/comments`,
    ]) {
      expect((await ada.send('GET', target)).status, target).to.equal(404)
    }
    const elsewhere = doorOf(other, 'en', `/${one}`)
    expect((await ada.send('PUT', elsewhere, { resolved: true })).status).to.equal(404)
    expect((await ada.send('DELETE', elsewhere)).status).to.equal(404)
    expect((await server.send('POST', doorOf(id), { body: { text: 'root' } })).status).to.equal(404)
    expect((await server.send('GET', doorOf(id), { token: null })).status).to.equal(401)
  })

  it('limits an entry to 300 comments', async () => {
    const id = await create()
    const { id: one } = await comment(ada, id, { text: 'first' })
    const client = await MongoClient.connect(server.uri)
    const rows = client.db(server.database).collection<{ _id: string }>('quire_comments')
    const row = await rows.findOne({ _id: one })
    await rows.insertMany(
      Array.from({ length: 299 }, (_, index) => ({ ...row, _id: `${id}${index}` })),
    )
    await client.close()
    const refused = await ada.send('POST', doorOf(id), { text: 'one too many' })
    expect(refused.status).to.equal(400)
    expect(refused.body.error.details.errors[0].code).to.equal('any.tooMany')
    expect(await textsOf(ada, id)).to.have.length(300)
  })

  it('removes comments with their entry for good, and restores them with it', async () => {
    const id = await create()
    const entry = `/admin/content/${ARTICLE}/${id}`
    await ada.send('PUT', `${entry}?locale=de`, { data: { title: 'Gezeigt' } })
    await comment(ada, id, { text: 'English' })
    await ada.send('POST', doorOf(id, 'de'), { text: 'Deutsch' })
    const before = await server.count('quire_comments')
    await ada.send('DELETE', `${entry}?locale=*`)
    expect((await ada.send('GET', doorOf(id))).status).to.equal(404)
    expect(await server.count('quire_comments')).to.equal(before)
    await ada.send('POST', `/admin/trash/${ARTICLE}/${id}/restore`)
    expect(await textsOf(ben, id)).to.deep.equal(['English'])
    expect(await textsOf(ben, id, 'de')).to.deep.equal(['Deutsch'])
    await ada.send('DELETE', `${entry}?locale=de`)
    await ada.send('DELETE', `/admin/trash/${ARTICLE}/${id}`)
    expect(await server.count('quire_comments')).to.equal(before - 1)
    expect(await textsOf(ben, id)).to.deep.equal(['English'])
    await ada.send('DELETE', `${entry}?locale=*`)
    await ada.send('DELETE', `/admin/trash/${ARTICLE}/${id}`)
    expect(await server.count('quire_comments')).to.equal(before - 2)
  })

  it('mails mentioned administrators who see the comment', async () => {
    const id = await create('Shown')
    const sent = mail.mails.length
    const everybody = [ids['Ada'], ids['Ben'], ids['Ruled']]
    await comment(ada, id, { text: 'All of you', attribute: 'secret', mentions: everybody })
    const second = await comment(ada, id, { text: 'Again', mentions: [ids['Ruled']] })
    await until(() => mail.mails.length >= sent + 2, 10_000)
    const mails = mail.mails.slice(sent)
    const to = mails.map((one) => one.to[0])
    expect(to).to.have.members(['ben@example.org', 'ruled@example.org'])
    const bens = mails[to.indexOf('ben@example.org')]
    expect(bens?.headers.get('subject')).to.equal('Ada mentioned you: Shown')
    expect(bens?.text).to.include('All of you')
    expect(bens?.text.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')).to.include(
      `https://cms.example.org/studio/content/articles/${id}?locale=en`,
    )
    const door = doorOf(id, 'en', `/${second.id}`)
    await ada.send('PUT', door, { mentions: [ids['Ruled'], ids['Ben']] })
    await until(() => mail.mails.length >= sent + 3, 10_000)
    expect(mail.mails.at(-1)?.to).to.deep.equal(['ben@example.org'])
  })

  it('lists open comments for an administrator on the home screen', async () => {
    const [mine, other] = [await create('Mine'), await create('Other')]
    const inboxOf = async (of: AdminClient): Promise<Json[]> =>
      (await of.send('GET', '/admin/recent')).body.data.inbox.filter(({ documentId }: Json) =>
        [mine, other].includes(documentId),
      )
    await comment(ada, mine, { text: 'Own comments are no news' })
    const plain = await comment(ben, mine, { text: 'y'.repeat(300) })
    const asked = await comment(ada, other, {
      text: 'Ben?',
      attribute: 'title',
      mentions: [ids['Ben']],
    })
    const [found, ...more] = await inboxOf(ada)
    expect(more).to.deep.equal([])
    expect(found).to.include({ id: plain.id, title: 'Mine', by: 'Ben', mentioned: false })
    expect(found.text).to.have.length(200)
    const place = { uid: ARTICLE, documentId: other, locale: 'en', attribute: 'title' }
    expect(await inboxOf(ben)).to.have.length(1)
    expect((await inboxOf(ben))[0]).to.include({ id: asked.id, mentioned: true, ...place })
    const ruled = await comment(ada, other, { text: 'Hidden', mentions: [ids['Ruled']] })
    expect(await inboxOf(await signIn(server, 'ruled@example.org'))).to.deep.equal([])
    await ada.send('PUT', doorOf(other, 'en', `/${ruled.id}`), { resolved: true })
    await ada.send('PUT', doorOf(other, 'en', `/${asked.id}`), { resolved: true })
    expect(await inboxOf(ben)).to.deep.equal([])
  })

  it('shows no comment to apps', async () => {
    const id = await create('Shown')
    await ada.send('POST', `/admin/content/${ARTICLE}/${id}/actions/publish?locale=en`)
    await comment(ada, id, { text: CANARY, attribute: 'title' })
    const targets = [
      '/api/articles?populate=*',
      `/api/articles/${id}?populate=*&status=draft`,
      `/api/articles?filters[title][$eq]=Shown`,
      '/api/articles?search=Shown',
      '/api/_sync?types=article',
      '/api/openapi.json',
      `/admin/content/${ARTICLE}/${id}?locale=en`,
      `/admin/history/${ARTICLE}/${id}?locale=en`,
    ]
    for (const target of targets) {
      const { status, text } = await server.get(target)
      expect(status, `${target}: ${text}`).to.equal(200)
      expect(text, target).to.not.include(CANARY)
      if (target.startsWith('/api/')) expect(text.toLowerCase(), target).to.not.include('comment')
    }
  })
})

describe('comments on a server without a trash', () => {
  it('are deleted with their entry', async () => {
    const server = await serve('comments_no_trash', {
      contentTypes: { home: declare('note', { text: { type: 'string' } }) },
      environment: { TRASH_DAYS: '0' },
    })
    await addAdministrator(server, 'Ada', ['administrator'])
    const ada = await signIn(server, 'ada@example.org')
    const { documentId } = (await server.post('/api/notes', { text: 't' })).body.data
    const door = `/admin/content/api::note.note/${documentId}/comments`
    expect((await ada.send('POST', door, { text: 'x' })).status).to.equal(201)
    expect(await server.count('quire_comments')).to.equal(1)
    await server.delete(`/api/notes/${documentId}`)
    expect(await server.count('quire_comments')).to.equal(0)
    await server.close()
  })
})

describe('a comment on a renamed attribute', () => {
  it('follows the attribute', async () => {
    const typesOf = (attributes: object) => ({ note: declare('note', attributes) })
    const older = await serve('comments_renamed', {
      contentTypes: typesOf({ title: { type: 'string' } }),
    })
    const newer = await serve('comments_renamed_to', {
      contentTypes: typesOf({ name: { type: 'string', from: 'title' } }),
      environment: { MONGODB_DATABASE: older.database },
    })
    await addAdministrator(older, 'Ada', ['administrator'])
    const { documentId } = (await older.post('/api/notes', { title: 't' })).body.data
    const door = `/admin/content/api::note.note/${documentId}/comments`
    const before = await signIn(older, 'ada@example.org')
    await before.send('POST', door, { text: 'old', attribute: 'title' })
    const after = await signIn(newer, 'ada@example.org')
    await after.send('POST', door, { text: 'new', attribute: 'name' })
    const attributesOf = async (of: AdminClient): Promise<string[]> =>
      (await of.send('GET', door)).body.data.map(({ attribute }: Json) => attribute)
    expect(await attributesOf(before)).to.deep.equal(['title', 'title'])
    expect(await attributesOf(after)).to.deep.equal(['name', 'name'])
    await newer.close()
    await older.close()
  })
})
