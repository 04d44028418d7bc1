import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { aheadOfTime, sendSoon } from '../../support/plan-ahead.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', required: true, ...LOCALIZED },
      slug: { type: 'string', unique: true, ...LOCALIZED },
    },
    { draftAndPublish: true, localized: true },
  ),
  note: declare('note', { text: { type: 'string', required: true } }, { draftAndPublish: true }),
  tag: declare('tag', { name: { type: 'string' } }),
  card: declare(
    'card',
    {
      text: { type: 'string', required: true, default: 'text' },
      code: { type: 'string', unique: true },
      links: { type: 'component', component: 'shared.link', repeatable: true },
    },
    { draftAndPublish: true },
  ),
  'components/shared/link': { attributes: { url: { type: 'string', unique: true } } },
}
const ARTICLE = 'api::article.article'
const NOTE = 'api::note.note'
const CARD = 'api::card.card'

const LATER = new Date(Date.now() + 86_400_000).toISOString()

describe('schedules and releases', () => {
  let server: TestServer
  let editor: AdminClient

  before(async () => {
    server = await serve('planning', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['fr'],
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
  })
  after(() => server.close())

  const ok = async (method: string, target: string, body?: unknown): Promise<Json> => {
    const answer = await editor.send(method, target, body)
    expect(answer.status, answer.text).to.be.oneOf([200, 201, 202, 204])
    return answer.body
  }
  const make = async (uid: string, data: object): Promise<string> =>
    (await ok('POST', `/admin/content/${uid}`, { data })).data.documentId
  const plan = (uid: string, documentId: string, action: string, at: string, query = '') =>
    ok('POST', `/admin/content/${uid}/${documentId}/actions/${action}${query}`, { data: { at } })
  const planSoon = async (
    [uid, documentId]: readonly [string, string],
    action: string,
    leadMs?: number,
  ): Promise<Json> => {
    const target = `/admin/content/${uid}/${documentId}/actions/${action}`
    const answer = await sendSoon((at) => editor.send('POST', target, { data: { at } }), leadMs)
    expect(answer.status, answer.text).to.equal(202)
    return answer.body.data
  }
  const isPublished = async (path: string): Promise<boolean> =>
    (await server.get(`/api/${path}`)).status === 200
  const schedulesOf = async (documentId: string): Promise<Json[]> =>
    (await ok('GET', `/admin/schedules?documentId=${documentId}`)).data

  const permit = async (role: string, actions: readonly string[]): Promise<void> => {
    const { status, text } = await server.send('PUT', `/admin/administrator-roles/${role}`, {
      body: { permissions: actions.map((action) => ({ action })) },
    })
    expect(status, text).to.equal(200)
  }

  describe('a schedule', () => {
    it('publishes and unpublishes at its time, once, in the name of its author', async () => {
      const { documentId, data, early } = await aheadOfTime(async (leadMs) => {
        const made = await make(NOTE, { text: 'one' })
        const planned = await planSoon([NOTE, made], 'publish', leadMs)
        const isDone = await isPublished(`notes/${made}`)
        const titles = (await schedulesOf(made)).map(({ title }) => title)
        return { at: planned.at, documentId: made, data: planned, early: { isDone, titles } }
      })
      expect(data).to.include({ kind: 'document', action: 'publish', uid: NOTE, state: 'waiting' })
      expect(early).to.deep.equal({ isDone: false, titles: ['one'] })
      await until(() => isPublished(`notes/${documentId}`), 10_000)
      await until(async () => (await schedulesOf(documentId)).length === 0, 10_000)
      const { data: rows } = await ok(
        'GET',
        `/admin/history/${NOTE}/${documentId}?status=published`,
      )
      expect(rows).to.have.length(1)
      expect(rows[0].by).to.include({ kind: 'administrator', name: 'Editor' })
      expect(rows[0].requestId).to.equal(`schedule:${data.id}`)
      await planSoon([NOTE, documentId], 'unpublish')
      await until(async () => !(await isPublished(`notes/${documentId}`)), 10_000)
    })

    it('can be created by API tokens, and for some locales', async () => {
      const documentId = await make(ARTICLE, { title: 'en' })
      await ok('PUT', `/admin/content/${ARTICLE}/${documentId}?locale=fr`, {
        data: { title: 'fr' },
      })
      const target = `/api/articles/${documentId}/actions/publish?locale=fr`
      const answer = await sendSoon((at) => server.send('POST', target, { body: { data: { at } } }))
      expect(answer.status, answer.text).to.equal(202)
      expect(answer.body.data.locales).to.deep.equal(['fr'])
      await until(() => isPublished(`articles/${documentId}?locale=fr`), 10_000)
      expect(await isPublished(`articles/${documentId}`)).to.equal(false)
    })

    it('is shown after a failure, and can be deleted', async () => {
      const documentId = await make(NOTE, {})
      await planSoon([NOTE, documentId], 'publish')
      await until(async () => (await schedulesOf(documentId))[0]?.state === 'failed', 10_000)
      const [row] = await schedulesOf(documentId)
      expect(row.failure).to.include({ name: 'ValidationError' })
      expect(row.failure.details.errors[0].path).to.deep.equal(['text'])
      await ok('DELETE', `/admin/schedules/${row.id}`)
      expect(await schedulesOf(documentId)).to.deep.equal([])
      expect((await editor.send('DELETE', `/admin/schedules/${row.id}`)).status).to.equal(404)
    })

    it('can be retried after the missing data was added', async () => {
      const { documentId, data, path, early } = await aheadOfTime(async (leadMs) => {
        const made = await make(NOTE, {})
        const planned = await planSoon([NOTE, made], 'publish', leadMs)
        const retry = `/admin/schedules/${planned.id}/actions/retry`
        const retried = await editor.send('POST', retry)
        return { at: planned.at, documentId: made, data: planned, path: retry, early: retried }
      })
      expect([early.status, early.headers['error-code']]).to.deep.equal([400, 'conflicting_state'])
      await until(async () => (await schedulesOf(documentId))[0]?.state === 'failed', 10_000)
      await ok('POST', path) // its text is still missing
      await until(async () => (await schedulesOf(documentId))[0]?.state === 'failed', 10_000)
      await ok('PUT', `/admin/content/${NOTE}/${documentId}`, { data: { text: 'mended' } })
      expect((await editor.send('POST', path, { data: {} })).status).to.equal(400)
      const begun = await editor.send('POST', path)
      expect(begun.status, begun.text).to.equal(202)
      expect(begun.body.data).to.include({ id: data.id, state: 'waiting', title: 'mended' })
      await until(() => isPublished(`notes/${documentId}`), 10_000)
      await until(async () => (await schedulesOf(documentId)).length === 0, 10_000)
      expect((await editor.send('POST', path)).status).to.equal(404)
    })

    it('requires the permissions of its author again, and of the canceling user', async () => {
      const all = ['find', 'findOne', 'readDrafts', 'update', 'publish', 'create'].map(
        (verb) => `${NOTE}.${verb}`,
      )
      await addRole(server, 'publisher', all)
      await addRole(
        server,
        'reader',
        ['find', 'findOne', 'readDrafts'].map((verb) => `${NOTE}.${verb}`),
      )
      await addAdministrator(server, 'Publisher', ['publisher'])
      await addAdministrator(server, 'Reader', ['reader'])
      const publisher = await signIn(server, 'publisher@example.org')
      const reader = await signIn(server, 'reader@example.org')
      const { documentId, planned, statuses, listed } = await aheadOfTime(async (leadMs) => {
        const made = await make(NOTE, { text: 'two' })
        const target = `/admin/content/${NOTE}/${made}/actions/publish`
        await permit('publisher', all)
        const refused = await reader.send('POST', target, { data: { at: LATER } })
        const accepted = await sendSoon(
          (at) => publisher.send('POST', target, { data: { at } }),
          leadMs,
        )
        expect(accepted.status, accepted.text).to.equal(202)
        const { id, at } = accepted.body.data
        const { data } = (await reader.send('GET', `/admin/schedules?documentId=${made}`)).body
        const cancelled = await reader.send('DELETE', `/admin/schedules/${id}`)
        await permit('publisher', [`${NOTE}.find`])
        const answers = [refused.status, cancelled.status]
        return { at, documentId: made, planned: accepted, statuses: answers, listed: data }
      }, 1_500)
      expect(statuses).to.deep.equal([403, 403])
      expect(listed).to.have.length(1)
      await until(async () => (await schedulesOf(documentId))[0]?.state === 'failed', 15_000)
      expect((await schedulesOf(documentId))[0].failure.code).to.equal('forbidden')
      const retried = `/admin/schedules/${planned.body.data.id}/actions/retry`
      expect((await reader.send('POST', retried)).status).to.equal(403)
      expect(await isPublished(`notes/${documentId}`)).to.equal(false)
    })

    it('is listed page by page, without schedules that the caller may not see', async () => {
      const from = new Date(Date.now() + 100 * 86_400_000)
      const at = (index: number): string => new Date(from.getTime() + index).toISOString()
      for (let index = 0; index < 4; index += 1) {
        const id = await make(ARTICLE, { title: `hidden ${index}` })
        await plan(ARTICLE, id, 'publish', at(0))
      }
      const expected: string[] = []
      for (const index of [3, 1, 2]) {
        const id = await make(NOTE, { text: String(index) })
        expected[index - 1] = (await plan(NOTE, id, 'publish', at(index))).data.id
      }
      await addRole(
        server,
        'notes',
        ['find', 'findOne', 'readDrafts'].map((verb) => `${NOTE}.${verb}`),
      )
      await addAdministrator(server, 'Notes', ['notes'])
      const notes = await signIn(server, 'notes@example.org')
      const seen: string[] = []
      let cursor = ''
      do {
        const query = `from=${from.toISOString()}&pagination[pageSize]=2${cursor}`
        const { status, text, body } = await notes.send('GET', `/admin/schedules?${query}`)
        expect(status, text).to.equal(200)
        expect(body.data.length).to.be.within(1, 2)
        seen.push(...body.data.map(({ id }: Json) => id))
        const { nextCursor } = body.meta.pagination
        cursor = nextCursor === null ? '' : `&pagination[cursor]=${nextCursor}`
      } while (cursor !== '')
      expect(seen).to.deep.equal(expected)
    })

    it('refuses invalid bodies', async () => {
      const documentId = await make(NOTE, { text: 'three' })
      const target = `/admin/content/${NOTE}/${documentId}/actions`
      const wrong: readonly (readonly [string, unknown])[] = [
        ['publish', { data: {} }],
        ['publish', { data: { at: 'tomorrow' } }],
        ['publish', { data: { at: '2099-01-01' } }],
        ['publish', { data: { at: { $gt: 0 } } }],
        ['publish', { data: { at: '2020-01-01T00:00:00Z' } }],
        ['publish', { data: { at: '2999-01-01T00:00:00Z' } }],
        ['publish', { data: { at: LATER, text: 'x' } }],
        ['publish', { at: LATER }],
        ['discard', { data: { at: LATER } }],
      ]
      for (const [action, body] of wrong) {
        const answer = await editor.send('POST', `${target}/${action}`, body)
        expect(answer.status, JSON.stringify(body)).to.equal(400)
      }
      const conditional = await server.send('POST', `/api/notes/${documentId}/actions/publish`, {
        body: { data: { at: LATER } },
        headers: { 'if-match': '*' },
      })
      expect(conditional.headers['error-code']).to.equal('invalid_header')
      const none = await editor.send(
        'POST',
        `/admin/content/${NOTE}/aaaaaaaaaaaaaaaaaaaaaaaa/actions/publish`,
        {
          data: { at: LATER },
        },
      )
      expect(none.status).to.equal(404)
      expect(await schedulesOf(documentId)).to.deep.equal([])
      for (const query of ['from=x', 'filters[a]=b', 'uid[$ne]=1', 'pagination[cursor]=x']) {
        expect((await editor.send('GET', `/admin/schedules?${query}`)).status, query).to.equal(400)
      }
    })
  })

  describe('a release', () => {
    it('is listed page by page, newest first', async () => {
      const made: string[] = []
      for (const name of ['a', 'b', 'c']) {
        made.unshift((await ok('POST', '/admin/releases', { data: { name } })).data.id)
      }
      const first = await ok('GET', '/admin/releases?pagination[pageSize]=2')
      const cursor = first.meta.pagination.nextCursor
      const second = await ok('GET', `/admin/releases?pagination[cursor]=${cursor}`)
      const ids = [...first.data, ...second.data].map(({ id }: Json) => id)
      expect(ids.slice(0, 3)).to.deep.equal(made)
      expect(second.meta.pagination.nextCursor).to.equal(null)
    })

    const begin = async (name = 'spring'): Promise<string> =>
      (await ok('POST', '/admin/releases', { data: { name } })).data.id
    const add = (id: string, items: readonly object[]) =>
      ok('POST', `/admin/releases/${id}/items`, { data: { items } })
    const publish = (id: string, body?: unknown): Promise<Answer> =>
      editor.send('POST', `/admin/releases/${id}/actions/publish`, body)
    const publishSoon = async (id: string): Promise<void> => {
      const { status, text } = await sendSoon((at) => publish(id, { data: { at } }))
      expect(status, text).to.equal(202)
    }

    it('publishes and unpublishes several types and locales together', async () => {
      const gone = await make(ARTICLE, { title: 'gone', slug: 'same' })
      await ok('POST', `/admin/content/${ARTICLE}/${gone}/actions/publish`)
      const article = await make(ARTICLE, { title: 'en', slug: 'same' })
      await ok('PUT', `/admin/content/${ARTICLE}/${article}?locale=fr`, { data: { title: 'fr' } })
      const note = await make(NOTE, { text: 'n' })
      const id = await begin()
      const { data } = await add(id, [
        { uid: ARTICLE, documentId: article, action: 'publish' },
        { uid: ARTICLE, documentId: article, locale: 'fr', action: 'publish' },
        { uid: ARTICLE, documentId: gone, action: 'unpublish' }, // this frees its slug
        { uid: NOTE, documentId: note, action: 'publish' },
      ])
      expect(data.items.map(({ title, state }: Json) => [title, state])).to.deep.equal([
        ['en', 'draft'],
        ['fr', 'draft'],
        ['gone', 'published'],
        ['n', 'draft'],
      ])
      const checked = await ok('POST', `/admin/releases/${id}/check`)
      expect(checked.data).to.deep.equal({ items: 4, faults: [] })
      const done = await publish(id)
      expect(done.status, done.text).to.equal(200)
      expect(done.body.data.state).to.equal('published')
      expect(await isPublished(`articles/${article}`)).to.equal(true)
      expect(await isPublished(`articles/${article}?locale=fr`)).to.equal(true)
      expect(await isPublished(`articles/${gone}`)).to.equal(false)
      expect(await isPublished(`notes/${note}`)).to.equal(true)
      const again = await publish(id)
      expect([again.status, again.headers['error-code']]).to.deep.equal([409, 'release_state'])
    })

    it('lists all faults of an item, and unique values in components', async () => {
      const card = (code: string) => ({ code, links: [{ url: code }, { url: 'shared' }] })
      const held = await make(CARD, card('held'))
      await ok('POST', `/admin/content/${CARD}/${held}/actions/publish`)
      const one = await make(CARD, { ...card('held'), text: null })
      const two = await make(CARD, { code: 'two', text: 't', links: [{ url: 'u' }, { url: 'u' }] })
      const three = await make(CARD, { code: 'three', text: 't', links: [{ url: 'u' }] })
      const id = await begin('cards')
      await add(
        id,
        [one, two, three].map((documentId) => ({ uid: CARD, documentId, action: 'publish' })),
      )
      const { data } = await ok('POST', `/admin/releases/${id}/check`)
      const found = data.faults.map(({ documentId, code, details }: Json) => [
        documentId,
        code,
        details.errors.map(({ path }: Json) => path.join('.')),
      ])
      expect(found).to.deep.equal([
        [one, 'invalid_payload', ['text', 'code', 'links.0.url', 'links.1.url']],
        [two, 'value_not_unique', ['links.1.url']],
        [three, 'value_not_unique', ['links.0.url']],
      ])
    })

    it('counts a value as free that the same release takes from its holder', async () => {
      const link = { links: [{ url: 'moves' }] }
      const old = await make(CARD, { code: 'old', text: 't', ...link })
      await ok('POST', `/admin/content/${CARD}/${old}/actions/publish`)
      const next = await make(CARD, { code: 'next', text: 't', ...link })
      const id = await begin('moves')
      await add(id, [
        { uid: CARD, documentId: next, action: 'publish' },
        { uid: CARD, documentId: old, action: 'unpublish' },
      ])
      const checked = await ok('POST', `/admin/releases/${id}/check`)
      expect(checked.data).to.deep.equal({ items: 2, faults: [] })
      expect((await publish(id)).status).to.equal(200)
    })

    it('lists all faults in advance, and changes no document if there is one', async () => {
      const held = await make(ARTICLE, { title: 'held', slug: 'held' })
      await ok('POST', `/admin/content/${ARTICLE}/${held}/actions/publish`)
      const good = await make(NOTE, { text: 'good' })
      const empty = await make(NOTE, {})
      const taken = await make(ARTICLE, { title: 'taken', slug: 'held' })
      const [one, two] = [
        await make(ARTICLE, { title: 'one', slug: 'twice' }),
        await make(ARTICLE, { title: 'two', slug: 'twice' }),
      ]
      const id = await begin('faulty')
      const items = [good, empty, 'aaaaaaaaaaaaaaaaaaaaaaaa'].map((documentId) => ({
        uid: NOTE,
        documentId,
        action: 'publish',
      }))
      const articles = [taken, one, two].map((documentId) => ({
        uid: ARTICLE,
        documentId,
        action: 'publish',
      }))
      await add(id, [...items, ...articles])
      const { data } = await ok('POST', `/admin/releases/${id}/check`)
      expect(data.faults.map(({ documentId, code }: Json) => [documentId, code])).to.deep.equal([
        [empty, 'invalid_payload'],
        ['aaaaaaaaaaaaaaaaaaaaaaaa', 'not_found'],
        [taken, 'value_not_unique'],
        [two, 'value_not_unique'],
      ])
      const refused = await publish(id)
      expect([refused.status, refused.headers['error-code']]).to.deep.equal([400, 'release_faults'])
      expect(refused.body.error.details.errors).to.have.length(4)
      expect(await isPublished(`notes/${good}`)).to.equal(false)
      const { data: shown } = await ok('GET', `/admin/releases/${id}`)
      expect(shown.state).to.equal('open')
      const faulty = shown.items.filter(({ documentId }: Json) =>
        [empty, taken, two, 'aaaaaaaaaaaaaaaaaaaaaaaa'].includes(documentId),
      )
      for (const item of faulty) await ok('DELETE', `/admin/releases/${id}/items/${item.id}`)
      expect((await publish(id)).status).to.equal(200)
      expect(await isPublished(`notes/${good}`)).to.equal(true)
    })

    it('is published at its time, and cannot change before', async () => {
      const note = await make(NOTE, { text: 'at its time' })
      const id = await begin('timed')
      await add(id, [{ uid: NOTE, documentId: note, action: 'publish' }])
      const planned = await publish(id, { data: { at: LATER } })
      expect(planned.status, planned.text).to.equal(202)
      expect(planned.body.data.schedule).to.include({ state: 'waiting', at: LATER })
      const other = await make(NOTE, { text: 'not in it' })
      const added = await editor.send('POST', `/admin/releases/${id}/items`, {
        data: { items: [{ uid: NOTE, documentId: other, action: 'publish' }] },
      })
      expect([added.status, added.headers['error-code']]).to.deep.equal([409, 'release_state'])
      const listed = (await ok('GET', '/admin/schedules')).data.find((row: Json) => row.id === id)
      expect(listed).to.include({ kind: 'release', title: 'timed' })
      await ok('DELETE', `/admin/schedules/${id}`)
      expect((await ok('GET', `/admin/releases/${id}`)).data).to.include({
        state: 'open',
        schedule: null,
      })
      await publishSoon(id)
      await until(() => isPublished(`notes/${note}`), 10_000)
      expect((await ok('GET', `/admin/releases/${id}`)).data).to.include({
        state: 'published',
        schedule: null,
      })
    })

    it('shows the reason of a failure at its time', async () => {
      const empty = await make(NOTE, {})
      const id = await begin('late')
      await add(id, [{ uid: NOTE, documentId: empty, action: 'publish' }])
      await publishSoon(id)
      const scheduleOf = async (): Promise<Json> =>
        (await ok('GET', `/admin/releases/${id}`)).data.schedule
      await until(async () => (await scheduleOf())?.state === 'failed', 10_000)
      expect((await scheduleOf()).failure).to.include({ code: 'release_faults' })
      await ok('DELETE', `/admin/releases/${id}`)
      expect((await editor.send('GET', `/admin/releases/${id}`)).status).to.equal(404)
      expect(
        (await ok('GET', '/admin/schedules')).data.filter((row: Json) => row.id === id),
      ).to.deep.equal([])
    })

    it('requires the permission of its author to publish releases again', async () => {
      const content = ['find', 'findOne', 'readDrafts', 'publish'].map((verb) => `${NOTE}.${verb}`)
      const releases = ['read', 'create', 'update', 'publish'].map(
        (verb) => `admin::releases.${verb}`,
      )
      await addRole(server, 'former', [...content, ...releases])
      await addAdministrator(server, 'Former', ['former'])
      const former = await signIn(server, 'former@example.org')
      const { documentId, id } = await aheadOfTime(async (leadMs) => {
        const made = await make(NOTE, { text: 'released' })
        const release = await begin('without the right by then')
        await add(release, [{ uid: NOTE, documentId: made, action: 'publish' }])
        await permit('former', [...content, ...releases])
        const target = `/admin/releases/${release}/actions/publish`
        const planned = await sendSoon(
          (at) => former.send('POST', target, { data: { at } }),
          leadMs,
        )
        expect(planned.status, planned.text).to.equal(202)
        await permit('former', content)
        return { at: planned.body.data.schedule.at, documentId: made, id: release }
      }, 1_500)
      const scheduled = async (): Promise<Json> =>
        (await ok('GET', `/admin/releases/${id}`)).data.schedule
      await until(async () => (await scheduled())?.state !== 'waiting', 15_000)
      expect((await scheduled())?.failure?.code).to.equal('forbidden')
      expect(await isPublished(`notes/${documentId}`)).to.equal(false)
    })

    it('requires permission to publish each of its documents', async () => {
      await addRole(server, 'releaser', [
        ...['read', 'create', 'update', 'publish', 'delete'].map(
          (verb) => `admin::releases.${verb}`,
        ),
        ...['find', 'readDrafts', 'publish'].map((verb) => `${NOTE}.${verb}`),
      ])
      await addAdministrator(server, 'Releaser', ['releaser'])
      const releaser = await signIn(server, 'releaser@example.org')
      const article = await make(ARTICLE, { title: 'not theirs' })
      const id = await begin('rights')
      const unseen = await releaser.send('POST', `/admin/releases/${id}/items`, {
        data: { items: [{ uid: ARTICLE, documentId: article, action: 'publish' }] },
      })
      expect(unseen.status).to.equal(403)
      await add(id, [{ uid: ARTICLE, documentId: article, action: 'publish' }])
      const shown = await releaser.send('GET', `/admin/releases/${id}`)
      expect(shown.body.data.items[0]).to.include({ title: '', state: null })
      const refused = await releaser.send('POST', `/admin/releases/${id}/actions/publish`)
      expect(refused.body.error.details.errors[0].code).to.equal('forbidden')
      await addAdministrator(server, 'Writer', ['author'])
      const author = await signIn(server, 'writer@example.org')
      expect((await author.send('GET', '/admin/releases')).status).to.equal(403)
    })

    it('refuses invalid bodies', async () => {
      const id = await begin('wrong')
      const items = `/admin/releases/${id}/items`
      const item = { uid: NOTE, documentId: 'aaaaaaaaaaaaaaaaaaaaaaaa', action: 'publish' }
      const wrong: readonly (readonly [string, unknown, number])[] = [
        ['/admin/releases', { data: { name: '' } }, 400],
        ['/admin/releases', { data: { name: { $ne: 1 } } }, 400],
        [items, { data: { items: [] } }, 400],
        [items, { data: { items: [{ ...item, action: 'delete' }] } }, 400],
        [items, { data: { items: [{ ...item, documentId: 'x' }] } }, 400],
        [items, { data: { items: [{ ...item, uid: 'api::tag.tag' }] } }, 404],
        [items, { data: { items: [{ ...item, uid: ARTICLE, locale: 'xx' }] } }, 400],
        [items, { data: { items: Array.from({ length: 501 }, () => item) } }, 400],
        [`/admin/releases/${id}/actions/publish`, undefined, 400],
        ['/admin/releases/nothing/check', undefined, 404],
      ]
      for (const [target, body, status] of wrong) {
        expect((await editor.send('POST', target, body)).status, JSON.stringify(body)).to.equal(
          status,
        )
      }
    })
  })
})
