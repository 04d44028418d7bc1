import { expect } from 'chai'
import * as fc from 'fast-check'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { type Receiver, startReceiver } from '../../support/webhook-receiver.ts'

const ARTICLE = 'api::article.article'
const PLAIN = 'api::plain.plain'
const DRAFTS = { draftAndPublish: true, localized: true } as const
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const TITLE = { title: { type: 'string', ...LOCALIZED } }
const STAGES = ['draft', 'in-review', 'ready'] as const
const SOON = 20_000

type Stage = (typeof STAGES)[number]

describe('reviews in lists and webhooks', () => {
  let server: TestServer
  let receiver: Receiver
  let ada: AdminClient
  let benId: string
  let edits = 0

  before(async () => {
    receiver = await startReceiver()
    const article = declare('article', { ...TITLE, hidden: { type: 'string' } }, DRAFTS)
    server = await serve('review-lists', {
      contentTypes: {
        article: { ...article, options: { draftAndPublish: true, review: true } },
        plain: declare('plain', TITLE, DRAFTS),
      },
      locales: ['de'],
      environment: { RATE_LIMIT: 'off', WEBHOOK_ALLOW_HOSTS: '127.0.0.1' },
    })
    const shown = { where: { title: { $eq: 'Shown' } } }
    const verbs = ['find', 'findOne', 'readDrafts']
    const rules = verbs.map((verb) => ({ action: `${ARTICLE}.${verb}`, ...shown }))
    const role = { type: 'ruled', name: 'Ruled', permissions: [], rules }
    expect(
      (await server.send('POST', '/admin/administrator-roles', { body: role })).status,
    ).to.equal(201)
    await addRole(server, 'published', [`${ARTICLE}.find`])
    await addAdministrator(server, 'Ada', ['administrator'])
    benId = (await addAdministrator(server, 'Ben', ['editor'])).id
    await addAdministrator(server, 'Ruled', ['ruled'])
    await addAdministrator(server, 'Published', ['published'])
    ada = await signIn(server, 'ada@example.org')
  })
  after(async () => {
    await server.close()
    receiver.close()
  })

  const contentOf = (rest: string, locale = 'en'): string =>
    `/admin/content/${ARTICLE}${rest}?locale=${locale}`
  const create = async (title: string, locale = 'en'): Promise<string> => {
    const answer = await ada.send('POST', contentOf('', locale), { data: { title } })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }
  const edit = (id: string, title: string) =>
    ada.send('PUT', contentOf(`/${id}`), { data: { title } })
  const move = async (id: string, body: object, locale = 'en'): Promise<void> => {
    const answer = await ada.send('PUT', contentOf(`/${id}/review`, locale), body)
    expect(answer.status, answer.text).to.equal(200)
  }
  const act = (id: string, action: string) =>
    ada.send('POST', contentOf(`/${id}/actions/${action}`))
  const list = async (query: string, of = ada): Promise<Json> => {
    const answer = await of.send('GET', `${contentOf('')}&sort=id:asc&${query}`)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body
  }
  const idsIn = ({ data }: Json): string[] => data.map(({ documentId }: Json) => documentId)
  const empty = async (): Promise<void> => {
    for (const id of idsIn(await list('pagination[pageSize]=100'))) {
      await ada.send('DELETE', contentOf(`/${id}`))
    }
  }
  afterEach(empty)

  it('show the stage of each draft', async () => {
    const [new_, asked] = [await create('New'), await create('Asked')]
    await move(asked, { stage: 'in-review' })
    expect((await list('')).meta.stages).to.deep.equal({ [new_]: 'draft', [asked]: 'in-review' })
    const both = await ada.send('GET', `/admin/content/${ARTICLE}?locale=*`)
    expect(both.body.meta.stages).to.have.property(`${asked}:en`, 'in-review')
    for (const query of ['', '&fields=title']) {
      const all = await ada.send('GET', `/admin/content/${ARTICLE}?locale=*${query}`)
      const keys = Object.keys(all.body.meta.stages).toSorted()
      expect(keys, query).to.deep.equal([`${asked}:en`, `${new_}:en`].toSorted())
    }
    const published = await list('status=published')
    expect(published.meta).to.not.have.property('stages')
    const plain = await ada.send('GET', `/admin/content/${PLAIN}`)
    expect(plain.body.meta).to.not.have.property('stages')
  })

  type Change = 'edit' | 'publish' | 'discard' | 'assign' | { readonly stage: Stage }

  /** Changes an entry, and its stage in the model. */
  const take = async (model: Map<string, Stage>, id: string, change: Change): Promise<void> => {
    const isReady = model.get(id) === 'ready'
    if (typeof change === 'object') {
      await move(id, change)
      model.set(id, change.stage)
    } else if (change === 'assign') await move(id, { assignee: benId })
    else if (change === 'edit') {
      edits += 1
      await edit(id, `edited ${edits}`)
      if (isReady) model.set(id, 'draft')
    } else {
      const { status } = await act(id, change)
      if (status === 200 && (change === 'discard' || !isReady)) model.set(id, 'draft')
    }
  }

  it('select drafts by stage, as after any changes', async () => {
    const step = fc.record({
      entry: fc.nat(3),
      act: fc.oneof(
        fc.record({ stage: fc.constantFrom(...STAGES) }),
        fc.constantFrom('edit', 'publish', 'discard', 'assign'),
      ),
    })
    const asked = fc.subarray([...STAGES], { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 8 }),
        asked,
        async (steps, stages) => {
          await empty()
          const ids: string[] = []
          for (const title of ['a', 'b', 'c', 'd']) ids.push(await create(title))
          const model = new Map<string, Stage>(ids.map((id) => [id, 'draft']))
          for (const { entry, act: does } of steps) await take(model, ids[entry] ?? '', does)
          const query = stages.map((stage) => `stage=${stage}`).join('&')
          const found = await list(query)
          const expected = ids.filter((id) => stages.includes(model.get(id) ?? 'draft'))
          expect(idsIn(found)).to.deep.equal(expected)
          expect(found.meta.pagination.total).to.equal(expected.length)
          expect(found.meta.stages).to.deep.equal(
            Object.fromEntries(expected.map((id) => [id, model.get(id)])),
          )
        },
      ),
      {
        numRuns: 8,
        examples: [
          [
            [
              { entry: 1, act: { stage: 'ready' } },
              { entry: 1, act: 'edit' },
            ],
            ['ready'],
          ],
        ],
      },
    )
  })

  it('combine stages with states, other filters and pages', async () => {
    const ids: string[] = []
    for (const title of ['Shown', 'Other', 'Shown']) {
      const id = await create(title)
      await move(id, { stage: 'ready' })
      ids.push(id)
    }
    await create('Shown')
    await act(ids[0] ?? '', 'publish')
    const ready = 'stage=ready&stage=in-review'
    expect(idsIn(await list(`${ready}&state=draft`))).to.deep.equal(ids.slice(1))
    expect(idsIn(await list(`${ready}&state=published`))).to.deep.equal(ids.slice(0, 1))
    const filtered = await list(`${ready}&filters[title]=Shown`)
    expect(idsIn(filtered)).to.deep.equal([ids[0], ids[2]])
    const page = await list(`${ready}&pagination[cursor]=&pagination[pageSize]=2`)
    expect(idsIn(page)).to.deep.equal(ids.slice(0, 2))
    const { nextCursor } = page.meta.pagination
    const next = await list(`${ready}&pagination[cursor]=${nextCursor}&pagination[pageSize]=2`)
    expect(idsIn(next)).to.deep.equal(ids.slice(2))
    expect(idsIn(await list(`${ready}&publicationFilter=never-published`))).to.deep.equal(
      ids.slice(1),
    )
  })

  it('keep each language apart', async () => {
    const id = await create('English')
    await ada.send('PUT', contentOf(`/${id}`, 'de'), { data: { title: 'German' } })
    await move(id, { stage: 'in-review' }, 'de')
    expect(idsIn(await list('stage=in-review'))).to.deep.equal([])
    const german = await ada.send('GET', `${contentOf('', 'de')}&stage=in-review`)
    expect(idsIn(german.body)).to.deep.equal([id])
  })

  it('show no more under rules', async () => {
    const [shown, other] = [await create('Shown'), await create('Other')]
    for (const id of [shown, other]) await move(id, { stage: 'in-review' })
    const found = await list('stage=in-review', await signIn(server, 'ruled@example.org'))
    expect(idsIn(found)).to.deep.equal([shown])
    expect(found.meta.stages).to.deep.equal({ [shown]: 'in-review' })
    const reader = await signIn(server, 'published@example.org')
    expect((await reader.send('GET', `${contentOf('')}&stage=in-review`)).status).to.equal(403)
    const app = await server.get('/api/articles?status=draft&stage=in-review')
    expect(app.text).to.not.include('in-review')
  })

  it('refuse other stages, published versions and types without a review', async () => {
    for (const [path, query] of [
      [ARTICLE, 'stage=unknown'],
      [ARTICLE, 'stage='],
      [ARTICLE, 'stage[$ne]=draft'],
      [ARTICLE, 'stage[0][a]=draft'],
      [ARTICLE, 'stage=draft&status=published'],
      [PLAIN, 'stage=draft'],
    ] as const) {
      const answer = await ada.send('GET', `/admin/content/${path}?${query}`)
      expect(answer.status, query).to.equal(400)
      expect(answer.body.error.message, query).to.match(/^Invalid value for stage|^stage/)
    }
  })

  it('send an event for each change of a stage or assignee', async () => {
    await server.settled() // a new webhook receives commits without a number
    const made = await server.send('POST', '/admin/webhooks', {
      body: {
        name: 'chat',
        url: receiver.url,
        events: ['entry.review'],
        types: [ARTICLE],
        locales: ['en'],
        ordered: true,
      },
    })
    expect(made.status, made.text).to.equal(201)
    receiver.answer(() => ({ status: 500 }))
    const id = await create('Shown')
    await edit(id, 'Edited')
    await move(id, { stage: 'in-review', assignee: benId })
    await until(() => receiver.received.length === 1, SOON)
    const [refused] = receiver.received
    receiver.clear()
    receiver.answer(() => ({ status: 204 }))
    await server.send('POST', `/admin/webhooks/${made.body.data.id}/replay`, {
      body: { from: refused?.body.seq, to: refused?.body.seq },
    })
    await until(() => receiver.received.length === 1, SOON)
    const [sent] = receiver.received
    expect(sent?.id, 'the same event').to.equal(refused?.id)
    expect(sent?.headers['x-strapi-event']).to.equal('entry.review')
    const { createdAt: _at, seq: _seq, entry, ...rest } = sent?.body ?? {}
    expect(rest).to.deep.equal({
      event: 'entry.review',
      model: 'article',
      uid: ARTICLE,
      revision: null,
      documentId: id,
      locale: 'en',
      status: 'draft',
      review: { stage: 'in-review', assignee: benId },
    })
    expect(entry.title).to.equal('Edited')
    await move(id, { assignee: null })
    await until(() => receiver.received.length === 2, SOON)
    expect(receiver.received[1]?.body.review).to.deep.equal({ stage: 'in-review', assignee: null })
    await server.send('DELETE', `/admin/webhooks/${made.body.data.id}`)
  })

  it('send no stage if the creator of the webhook does not see the draft', async () => {
    await addRole(server, 'hooks', [
      'admin::webhooks.create',
      `${ARTICLE}.find`,
      `${ARTICLE}.readDrafts`,
    ])
    const { id: hookerId } = await addAdministrator(server, 'Hooker', ['hooks'])
    const hooker = await signIn(server, 'hooker@example.org')
    const body = { name: 'h', url: receiver.url, events: ['entry.review'], types: [ARTICLE] }
    await server.settled()
    receiver.clear()
    const made = await hooker.send('POST', '/admin/webhooks', body)
    expect(made.status, made.text).to.equal(201)
    await server.send('PUT', `/admin/administrators/${hookerId}`, {
      body: { roles: ['published'] },
    })
    receiver.clear()
    const id = await create('Shown')
    await move(id, { stage: 'ready' })
    await until(() => receiver.received.length === 1, SOON)
    expect(receiver.received[0]?.body.entry).to.deep.equal({ documentId: id, locale: 'en' })
    expect(receiver.received[0]?.body).to.not.have.property('review')
    await server.send('DELETE', `/admin/webhooks/${made.body.data.id}`)
  })
})
