import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../../support/admin-client.ts'
import { aheadOfTime, sendSoon } from '../../../support/plan-ahead.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../../support/server.ts'
import { until } from '../../../support/until.ts'

const PAGE = 'api::page.page'
const PAGES = `/admin/content/${PAGE}`
const MISSING = 'a'.repeat(24)
const LATER = new Date(Date.now() + 86_400_000).toISOString()

const CONTENT_TYPES = {
  page: {
    ...declare('page', {
      title: { type: 'string' },
      body: { type: 'string', required: true },
      code: { type: 'string', required: true },
      team: { type: 'string' },
    }),
    options: {
      draftAndPublish: true,
      preview: 'https://app.example.org/preview?id={documentId}&secret={secret}',
    },
  },
}

/** Ann reads and writes pages of team a. She sees no `code`, and publishes no page that is locked. */
const RULES: readonly object[] = [
  ...['find', 'findOne', 'readDrafts'].map((verb) => ({
    action: `${PAGE}.${verb}`,
    where: { team: 'a' },
    fields: ['title', 'body', 'team'],
  })),
  { action: `${PAGE}.create`, fields: ['title', 'body', 'code'], set: { team: 'a' } },
  { action: `${PAGE}.update`, where: { team: 'a' }, fields: ['title', 'body'] },
  { action: `${PAGE}.delete`, where: { team: 'a', title: { $ne: 'kept' } } },
  { action: `${PAGE}.publish`, where: { team: 'a', title: { $ne: 'locked' } } },
  { action: `${PAGE}.publish`, where: { team: 'a', body: 'urgent' } },
]

describe('requests of editors under rules', () => {
  let server: TestServer
  let ann: AdminClient
  let mine: string
  let locked: string
  let foreign: string

  const add = async (data: object): Promise<string> => {
    const whole = { body: 'text', code: 'canary', ...data }
    const answer = await server.post('/api/pages?status=draft', whole)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }
  const change = async (documentId: string, data: object): Promise<void> => {
    const answer = await server.put(`/api/pages/${documentId}?status=draft`, data)
    expect(answer.status, answer.text).to.equal(200)
  }
  const stored = async (documentId: string, status = 'draft'): Promise<Json> => {
    const { body, status: code } = await server.get(`/api/pages/${documentId}?status=${status}`)
    return code === 404 ? null : body.data
  }
  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await ann.send(method, path, body)
    expect(answer.text).not.to.include('canary')
    return answer
  }
  const ok = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await send(method, path, body)
    expect(answer.status, `${path} ${answer.text}`).to.be.oneOf([200, 201, 202, 204])
    return answer.body
  }
  const act = (documentId: string, name: string, body?: unknown): Promise<Answer> =>
    send('POST', `${PAGES}/${documentId}/actions/${name}`, body)

  before(async () => {
    const environment = { RATE_LIMIT: 'off' }
    server = await serve('rules_editor_doors', { contentTypes: CONTENT_TYPES, environment })
    const permissions = ['read', 'create', 'update', 'publish'].map((verb) => ({
      action: `admin::releases.${verb}`,
    }))
    const body = { type: 'team', name: 'Team', permissions, rules: RULES }
    const made = await server.send('POST', '/admin/administrator-roles', { body })
    expect(made.status, made.text).to.equal(201)
    await addAdministrator(server, 'Ann', ['team'])
    ann = await signIn(server, 'ann@example.org')
    mine = await add({ title: 'mine', team: 'a' })
    locked = await add({ title: 'locked', team: 'a' })
    foreign = await add({ title: 'canary', body: 'canary', team: 'b' })
  })
  after(() => server.close())

  /** Each request as [method, path after the document, body], with its status for a locked page. */
  const DOORS: readonly (readonly [string, string, string, object | undefined, number])[] = [
    ['a direct publication', 'PUT', '?status=published', { data: { body: 'new' } }, 403],
    ['a publication', 'POST', '/actions/publish', undefined, 403],
    ['a planned publication', 'POST', '/actions/publish', { data: { at: LATER } }, 403],
    ['a check', 'POST', '/check', undefined, 200],
    ['a preview', 'POST', '/preview', {}, 200],
    ['a duplicate', 'POST', '/duplicate', undefined, 201],
  ]
  for (const [name, method, path, body, onLocked] of DOORS) {
    it(`treats a hidden page like a missing one for ${name}`, async () => {
      const of = (documentId: string) => send(method, `${PAGES}/${documentId}${path}`, body)
      const [hidden, missing] = [await of(foreign), await of(MISSING)]
      expect([hidden.status, hidden.text]).to.deep.equal([404, missing.text])
      expect((await of(locked)).status).to.equal(onLocked)
    })
  }

  it('publish directly under the rules of update and publish', async () => {
    const path = `${PAGES}/${mine}?status=published`
    await ok('PUT', path, { data: { body: 'direct' } })
    expect(await stored(mine, 'published')).to.include({ body: 'direct', title: 'mine' })
    const renamed = await send('PUT', path, { data: { title: 'locked' } })
    expect(renamed.status, renamed.text).to.equal(403)
    await ok('PUT', path, { data: { body: 'urgent' } })
    await ok('PUT', path, { data: { title: 'locked' } })
    const calm = await send('PUT', path, { data: { body: 'calm' } })
    expect(calm.status, calm.text).to.equal(403)
    await ok('PUT', path, { data: { title: 'mine' } })
    const data = { title: 'new', body: 'b', code: 'c' }
    const made = await ok('POST', `${PAGES}?status=published`, { data })
    expect(await stored(made.data.documentId, 'published')).to.include({ team: 'a' })
    const refused = await send('POST', `${PAGES}?status=published`, {
      data: { ...data, title: 'locked' },
    })
    expect(refused.status, refused.text).to.equal(403)
  })

  it('run a planned publication under the rules of its author at that time', async () => {
    const documentId = await add({ title: 'planned', team: 'a' })
    const planned = await sendSoon((at) => act(documentId, 'publish', { data: { at } }))
    expect(planned.status, planned.text).to.equal(202)
    await until(async () => (await stored(documentId, 'published')) !== null, 10_000)
    await change(documentId, { title: 'again' })
    const later = await act(documentId, 'publish', { data: { at: LATER } })
    const { id } = later.body.data
    const schedule = `/admin/schedules/${id}`
    await change(documentId, { title: 'locked' })
    const body = { data: { at: new Date(Date.parse(LATER) + 1_000).toISOString() } }
    expect((await send('DELETE', schedule)).status).to.equal(403)
    expect((await send('PUT', schedule, body)).status).to.equal(403)
    await change(documentId, { title: 'again' })
    await ok('PUT', schedule, body)
    await ok('DELETE', schedule)
    const unseen = await add({ title: 'unseen', team: 'a' })
    const other = await act(unseen, 'publish', { data: { at: LATER } })
    await change(unseen, { team: 'b' })
    const hidden = await send('DELETE', `/admin/schedules/${other.body.data.id}`)
    const missing = await send('DELETE', `/admin/schedules/${MISSING}`)
    expect([hidden.status, hidden.text]).to.deep.equal([404, missing.text])
    const unmoved = await send('PUT', `/admin/schedules/${other.body.data.id}`, body)
    expect([unmoved.status, unmoved.text]).to.deep.equal([404, missing.text])
  })

  it('keep the failure of a planned publication that the rules refuse when it is due', async () => {
    const documentId = await aheadOfTime(async (leadMs) => {
      const made = await add({ title: 'due', team: 'a' })
      const planned = await sendSoon((at) => act(made, 'publish', { data: { at } }), leadMs)
      await change(made, { title: 'locked' })
      return { at: planned.body.data.at, documentId: made }
    }).then((planned) => planned.documentId)
    const failureOf = async (): Promise<Json> =>
      (await ok('GET', `/admin/schedules?documentId=${documentId}`)).data[0].failure
    await until(async () => (await failureOf()) !== null, 10_000)
    expect(await failureOf()).to.include({ code: 'forbidden' })
    expect(await stored(documentId, 'published')).to.equal(null)
  })

  it('publish releases under the rules of their publisher', async () => {
    const documentId = await add({ title: 'locked', team: 'a' })
    const { data } = await ok('POST', '/admin/releases', { data: { name: 'Spring' } })
    const release = `/admin/releases/${data.id}`
    const items = [{ uid: PAGE, documentId, action: 'publish' }]
    await ok('POST', `${release}/items`, { data: { items } })
    const refused = await send('POST', `${release}/actions/publish`)
    const [error] = refused.body.error.details.errors
    expect([refused.status, error.name]).to.deep.equal([400, 'ForbiddenError'])
    expect(await stored(documentId, 'published')).to.equal(null)
    await change(documentId, { title: 'free' })
    await ok('POST', `${release}/actions/publish`)
    expect(await stored(documentId, 'published')).to.include({ title: 'free' })
  })

  it('check a publication without the faults of hidden attributes', async () => {
    const documentId = await add({ title: 'empty', team: 'a', body: null, code: null })
    const { data } = await ok('POST', `${PAGES}/${documentId}/check`)
    const [fault] = data.faults
    expect(fault.details.errors.map(({ path }: Json) => path)).to.deep.equal([['body']])
  })

  it('preview what the rules show', async () => {
    const { data } = await ok('POST', `${PAGES}/${mine}/preview`, {})
    const token = new URL(data.url).searchParams.get('secret') ?? ''
    const shown = await server.get(`/api/pages/${mine}?status=draft`, { token })
    expect(shown.status, shown.text).to.equal(200)
    expect(shown.body.data).to.include({ team: 'a' }).and.not.have.property('code')
    const list = await server.get('/api/pages?status=draft', { token })
    expect(list.text).not.to.include('canary')
    const hidden = await server.get(`/api/pages/${foreign}?status=draft`, { token })
    expect(hidden.status).to.equal(404)
  })

  it('duplicate what the rules show, with the values of the server', async () => {
    const { data, meta } = await ok('POST', `${PAGES}/${locked}/duplicate`)
    expect(await stored(data.documentId)).to.include({ title: 'locked', team: 'a', code: null })
    expect(meta.leftOut).to.deep.equal([
      { path: ['code'], why: 'unreadable' },
      { path: ['team'], why: 'readOnly' },
    ])
  })

  describe('in the history', () => {
    let moved: string

    const versionsOf = async (documentId: string, query = ''): Promise<readonly Json[]> =>
      (await ok('GET', `/admin/history/${PAGE}/${documentId}${query}`)).data

    before(async () => {
      moved = await add({ title: 'canary of b', team: 'b' })
      await change(moved, { title: 'first', team: 'a' })
      await change(moved, { title: 'second', code: 'canary 2' })
    })

    it('show the versions that match, of entries that match now', async () => {
      expect(await versionsOf(moved)).to.have.length(2)
      const { body } = await send('GET', `/admin/history/${PAGE}/${moved}?pagination[pageSize]=1`)
      expect(body.data).to.have.length(1)
      const { nextCursor } = body.meta.pagination
      const rest = `?pagination[pageSize]=1&pagination[cursor]=${nextCursor}`
      const last = await send('GET', `/admin/history/${PAGE}/${moved}${rest}`)
      expect(last.body.data).to.have.length(1)
      expect(last.body.meta.pagination.nextCursor).to.equal(null)
      expect(await versionsOf(foreign)).to.deep.equal(await versionsOf(MISSING))
    })

    it('cut differences and restores to the fields', async () => {
      const [second, first] = await versionsOf(moved)
      const past = `/admin/history/${PAGE}/${moved}`
      const { data } = await ok('GET', `${past}/diff?from=${first.revision}&to=${second.revision}`)
      expect(data.changes.map(({ attribute }: Json) => attribute)).to.deep.equal(['title'])
      const one = await ok('GET', `${past}/${first.revision}`)
      expect(one.data.content).to.deep.equal({ title: 'first', body: 'text', team: 'a' })
      const beyond = await send('POST', `${past}/${first.revision}/restore`, {
        attributes: ['team'],
      })
      expect(beyond.status, beyond.text).to.equal(403)
      await ok('POST', `${past}/${first.revision}/restore`)
      expect(await stored(moved)).to.include({ title: 'first', code: 'canary 2' })
    })

    it('refuse revisions that do not match', async () => {
      const { body } = await server.get(`/admin/history/${PAGE}/${moved}`)
      const hidden = body.data.at(-1).revision
      const past = `/admin/history/${PAGE}/${moved}/${hidden}`
      const missing = `/admin/history/${PAGE}/${moved}/${'0'.repeat(16)}`
      for (const [method, end] of [
        ['GET', ''],
        ['POST', '/restore'],
      ] as const) {
        const [one, other] = [await send(method, past + end), await send(method, missing + end)]
        expect([one.status, one.text]).to.deep.equal([404, other.text])
      }
      await change(moved, { team: 'b' })
      expect(await versionsOf(moved)).to.deep.equal([])
    })
  })

  describe('in the trash', () => {
    const remove = async (documentId: string): Promise<string> => {
      const gone = await server.send('DELETE', `/api/pages/${documentId}`)
      expect(gone.status, gone.text).to.equal(204)
      return documentId
    }
    const trash = (documentId: string): string => `/admin/trash/${PAGE}/${documentId}`

    it('restore and end deletions under the rules of create and delete', async () => {
      const free = await remove(await add({ title: 'gone', team: 'a' }))
      await ok('POST', `${trash(free)}/restore`)
      expect(await stored(free)).to.include({ title: 'gone', team: 'a', code: 'canary' })
      await remove(free)
      await ok('DELETE', trash(free))
      const kept = await remove(await add({ title: 'kept', team: 'a' }))
      expect((await send('DELETE', trash(kept))).status).to.equal(403)
      await ok('POST', `${trash(kept)}/restore`)
    })

    it('restore a published version under the rules of publish', async () => {
      const documentId = await add({ title: 'locked', team: 'a' })
      const root = await server.send('POST', `/api/pages/${documentId}/actions/publish`)
      expect(root.status, root.text).to.equal(200)
      await remove(documentId)
      const both = await send('POST', `${trash(documentId)}/restore`, { data: { from: 'both' } })
      expect(both.status, both.text).to.equal(403)
      await ok('POST', `${trash(documentId)}/restore`)
      expect(await stored(documentId, 'published')).to.equal(null)
      await remove(documentId)
      await server.send('POST', `/admin/trash/${PAGE}/${documentId}/restore`)
    })

    it('restore no version that a creation could not give', async () => {
      const rules = RULES.map((rule) =>
        (rule as { readonly action: string }).action.endsWith('.create')
          ? { ...rule, set: { team: 'c' } }
          : rule,
      )
      const path = '/admin/administrator-roles/team'
      const changed = await server.send('PUT', path, { body: { rules } })
      expect(changed.status, changed.text).to.equal(200)
      const other = await remove(await add({ title: 'other', team: 'a' }))
      const refused = await send('POST', `${trash(other)}/restore`)
      expect(refused.status, refused.text).to.equal(403)
      expect(await stored(other)).to.equal(null)
      await server.send('PUT', path, { body: { rules: RULES } })
    })
  })
})
