import { expect } from 'chai'
import { array, assert, asyncProperty, nat } from 'fast-check'
import { ApplicationError, ForbiddenError, ValidationError } from '../../../src/base/errors.ts'
import { defineExtension } from '../../../src/extensions/extension.ts'
import type { BeforeWrite, BeforeWriteEvent } from '../../../src/extensions/write-hook.ts'
import { addAdministrator, signIn } from '../../support/admin-client.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const NOTE = 'api::note.note'
const COUNTER = 'api::counter.counter'

const CONTENT_TYPES = {
  note: declare(
    'note',
    {
      title: { type: 'string', required: true },
      slug: { type: 'uid', targetField: 'title' },
      views: { type: 'integer', default: 7 },
      at: { type: 'datetime' },
      big: { type: 'biginteger' },
      secret: { type: 'password' },
      links: { type: 'component', component: 'shared.link', repeatable: true },
      related: { type: 'relation', relation: 'manyToMany', target: NOTE },
    },
    { draftAndPublish: true },
  ),
  counter: declare('counter', {
    count: { type: 'integer' },
    name: { type: 'string', required: true, minLength: 3 },
  }),
  ticket: declare('ticket', {
    title: { type: 'string' },
    state: { type: 'string', writable: false, default: 'open' },
    steps: { type: 'component', component: 'shared.step', repeatable: true },
  }),
  'components/shared/step': {
    attributes: {
      text: { type: 'string' },
      done: { type: 'boolean', writable: false, default: false },
    },
  },
  'components/shared/link': { attributes: { url: { type: 'string' }, at: { type: 'date' } } },
}

/** The hooks of the running test. */
let hook: BeforeWrite = () => undefined
let second: BeforeWrite = () => undefined

const EXTENSIONS = [
  defineExtension({
    name: 'first-extension',
    contentTypes: {
      [NOTE]: { beforeWrite: (event) => hook(event) },
      [COUNTER]: { beforeWrite: (event) => hook(event) },
      'api::ticket.ticket': { beforeWrite: (event) => hook(event) },
    },
  }),
  defineExtension({
    name: 'second-extension',
    contentTypes: { [NOTE]: { beforeWrite: (event) => second(event) } },
  }),
]

describe('beforeWrite', () => {
  let server: TestServer
  before(async () => {
    server = await serve('write_hooks', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      extensions: EXTENSIONS,
      host: { hookTimeoutMs: 60_000 }, // never the reason of a failure on a busy machine
    })
  })
  after(() => server.close())
  beforeEach(() => {
    hook = () => undefined
    second = () => undefined
    server.takeLog()
  })

  it('leaves defaults of read-only attributes to the server', async () => {
    hook = ({ data }) => ({ ...data, title: 'Hooked' })
    const path = '/api/tickets?populate=*'
    const body = { steps: [{ text: 'one' }] }
    const created = await server.post(path, body)
    expect(created.status, created.text).to.equal(201)
    const { data } = created.body
    expect(data).to.include({ title: 'Hooked', state: 'open' })
    expect(data.steps[0]).to.include({ text: 'one', done: false })
    const steps = [...data.steps.map(({ id }: Json) => ({ id })), { text: 'two' }]
    const updated = await server.put(`/api/tickets/${data.documentId}?populate=*`, { steps })
    expect(updated.status, updated.text).to.equal(200)
    expect(updated.body.data.steps.map(({ done }: Json) => done)).to.deep.equal([false, false])
    hook = ({ data: given }) => ({ ...given, state: 'closed' })
    expect((await server.post(path, body)).status).to.equal(400)
  })

  const events: BeforeWriteEvent[] = []
  const record = (): void => {
    events.length = 0
    hook = (event) => void events.push({ ...event }) // reads all members
  }
  const made = async (path: string, data: object): Promise<Json> => {
    const answer = await server.post(path, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }

  describe('the event', () => {
    it('has cast data with defaults, in the form of the API', async () => {
      record()
      const other = await made('/api/notes', { title: 'other' })
      const at = '2026-01-02T03:04:05.000Z'
      await made('/api/notes', {
        title: 'one',
        at,
        big: '9007199254740993',
        secret: 'hush hush',
        links: [{ url: 'u', at: '2026-01-02' }],
        related: [other.documentId],
      })
      const { operation, locale, status, previous } = events.at(-1) ?? {}
      expect([operation, locale, status, previous]).to.deep.equal([
        'create',
        null,
        'published',
        null,
      ])
      expect(events.at(-1)?.data).to.deep.equal({
        title: 'one',
        views: 7,
        at,
        big: '9007199254740993',
        secret: 'hush hush',
        links: [{ url: 'u', at: '2026-01-02' }],
        related: [other.documentId],
      })
      expect(events.at(-1)?.principal).to.deep.equal({ kind: 'root', id: null, name: null })
    })

    it('has the stored version, without passwords', async () => {
      const target = await made('/api/notes', { title: 'target' })
      const { documentId } = await made('/api/notes', {
        title: 'one',
        secret: 'hush hush',
        links: [{ url: 'u', at: '2026-01-02' }],
        related: [target.documentId],
        big: '12',
      })
      record()
      expect((await server.put(`/api/notes/${documentId}`, { views: 8 })).status).to.equal(200)
      const [event] = events
      expect(event?.data).to.deep.equal({ views: 8 })
      expect(event?.previous).to.deep.include({
        documentId,
        status: 'draft',
        locale: null,
        title: 'one',
        views: 7,
        big: '12',
        related: [target.documentId],
      })
      expect(event?.previous).not.to.have.property('secret')
      const links = event?.previous?.['links'] as Json
      expect(links[0]).to.include({ url: 'u', at: '2026-01-02' })
    })

    it('keeps the ids of components, so that they are merged', async () => {
      const { documentId } = await made('/api/notes', { title: 'one', links: [{ url: 'u' }] })
      const path = `/api/notes/${documentId}?status=draft&populate=links`
      const [link] = (await server.get(path)).body.data.links
      const links = [{ id: link.id, at: '2026-01-03' }]
      expect((await server.put(`/api/notes/${documentId}`, { links })).status).to.equal(200)
      const { body } = await server.get(path)
      expect(body.data.links).to.deep.equal([{ id: link.id, url: 'u', at: '2026-01-03' }])
    })

    it('names administrators and API tokens', async () => {
      record()
      const { id } = await addAdministrator(server, 'Editor', ['editor'])
      const editor = await signIn(server, 'editor@example.org')
      await editor.send('POST', `/admin/content/${NOTE}`, { data: { title: 'one' } })
      expect(events.at(-1)?.principal).to.deep.equal({ kind: 'administrator', id, name: 'Editor' })
      const body = { name: 'app', type: 'full-access' }
      const token = (await server.send('POST', '/admin/api-tokens', { body })).body.data
      await server.post('/api/notes', { title: 'one' }, { token: token.accessKey })
      expect(events.at(-1)?.principal).to.include({ kind: 'apiToken', name: 'app' })
    })
  })

  describe('the result', () => {
    it('is validated after the hook, which may add required attributes', async () => {
      const bulk = async (data: object): Promise<Json> => {
        const answer = await server.send('POST', '/api/_bulk', {
          headers: { 'content-type': 'application/x-ndjson' },
          body: JSON.stringify({ op: 'upsert', type: 'counter', documentId: idOf('added'), data }),
        })
        return JSON.parse(answer.text.split('\n')[0] ?? '')
      }
      hook = ({ data }) => ({ ...data, name: 'x' })
      expect((await bulk({ count: 1 })).error.details.errors[0].path).to.deep.equal(['name'])
      hook = ({ data }) => ({ ...data, unknown: 1 })
      expect((await bulk({ name: 'name' })).error.details.key).to.equal('unknown')
      hook = ({ data }) => ({ ...data, name: 'added' })
      expect((await bulk({ count: 1 })).result).to.equal('created')
      const { body } = await server.get(`/api/counters/${idOf('added')}`)
      expect(body.data).to.include({ name: 'added', count: 1 })
    })

    it('may be the changed data of the event', async () => {
      hook = ({ data }) => {
        data['title'] = 'changed'
        data['at'] = new Date(0)
      }
      const note = await made('/api/notes', { title: 'one' })
      expect(note).to.include({ title: 'changed', at: '1970-01-01T00:00:00.000Z' })
    })

    it('passes through the hooks in the order of the extensions', async () => {
      hook = ({ data }) => ({ ...data, title: `${String(data['title'])} first` })
      second = ({ data }) => ({ ...data, title: `${String(data['title'])} second` })
      expect((await made('/api/notes', { title: 'one' })).title).to.equal('one first second')
    })

    it('determines generated uids', async () => {
      hook = ({ data }) => ({ ...data, title: 'Of the hook' })
      const answer = await server.send('POST', `/admin/content/${NOTE}`, {
        body: { data: { title: 'one' } },
      })
      expect(answer.body.data.slug).to.match(/^of-the-hook/)
    })

    it('is the payload of the request for unparsable data, without a call', async () => {
      record()
      const answer = await server.post('/api/notes', { views: 'many', unknown: 1 })
      expect(answer.status).to.equal(400)
      const missing = await server.put('/api/notes/aaaaaaaaaaaaaaaaaaaaaaaa', { title: 'x' })
      expect(missing.status).to.equal(404)
      expect(events).to.deep.equal([])
    })
  })

  describe('refusals', () => {
    const refusals: readonly (readonly [number, Error])[] = [
      [400, new ValidationError('refused')],
      [400, new ApplicationError('refused')],
      [403, new ForbiddenError('refused')],
    ]
    for (const [status, error] of refusals) {
      it(`responds with ${status} for ${error.name}`, async () => {
        hook = () => {
          throw error
        }
        const answer = await server.post('/api/notes', { title: 'one' })
        expect([answer.status, answer.body.error.message]).to.deep.equal([status, 'refused'])
        expect(server.takeLog()).to.deep.equal([])
      })

      it(`marks the message of ${error.name} as text of an extension for the Studio`, async () => {
        hook = () => {
          throw error
        }
        const answer = await server.send('POST', `/admin/content/${NOTE}`, {
          body: { data: { title: 'one' } },
        })
        expect(answer.status).to.equal(status)
        expect(answer.body.error.details.errors).to.deep.equal([
          {
            path: [],
            message: 'refused',
            name: 'ValidationError',
            code: 'extension.refused',
            params: { message: 'refused' },
          },
        ])
      })
    }
  })

  describe('the previous version', () => {
    it('is read again if another write changed it', async () => {
      const { documentId } = await made('/api/notes', { title: 'one' })
      const seen: unknown[] = []
      hook = async ({ previous, data }) => {
        seen.push(previous?.['title'])
        if (seen.length === 1) {
          hook = () => undefined
          await server.put(`/api/notes/${documentId}`, { title: 'two' })
          hook = ({ previous: next, data: given }) => {
            seen.push(next?.['title'])
            return given
          }
        }
        return data
      }
      const answer = await server.put(`/api/notes/${documentId}`, { views: 1 })
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.body.data).to.include({ title: 'two', views: 1 })
      expect(seen).to.deep.equal(['one', 'two'])
    })

    for (const [label, method, path] of [
      ['an update', 'PUT', ''],
      ['an update with If-Match: *', 'PUT', ''],
      ['a publication', 'POST', '/actions/publish'],
      ['a deletion', 'DELETE', ''],
    ] as const) {
      it(`responds with 409 if it changes three times during ${label}`, async () => {
        const { documentId } = await made('/api/notes', { title: 'one' })
        let calls = 0
        hook = async ({ data, principal }) => {
          if (principal.kind !== 'root') return data
          calls += 1
          const token = await tokenOf()
          await server.put(`/api/notes/${documentId}`, { views: calls }, { token })
          return undefined
        }
        const isStar = label.includes('*')
        const answer = await server.send(method, `/api/notes/${documentId}${path}`, {
          ...(method === 'PUT' && { body: { data: { title: 'two' } } }),
          ...(isStar && { headers: { 'if-match': '*' } }),
        })
        expect([answer.status, answer.headers['error-code']], answer.text).to.deep.equal([
          409,
          'entry_changed',
        ])
        expect(calls).to.equal(3)
        const { body } = await server.get(`/api/notes/${documentId}?status=draft`)
        expect(body.data).to.include({ title: 'one', views: 3 })
      })
    }

    let token: string | null = null
    async function tokenOf(): Promise<string> {
      const body = { name: 'other', type: 'full-access' }
      token ??= String(
        (await server.send('POST', '/admin/api-tokens', { body })).body.data.accessKey,
      )
      return token
    }

    it('is never stale: concurrent increments by a hook lose none', async () => {
      hook = ({ previous, data }) => ({
        ...data,
        ...(previous !== null && { count: Number(previous['count']) + 1 }),
      })
      const bulk = (documentId: string, query: string): Promise<Answer> =>
        server.send('POST', `/api/_bulk${query}`, {
          headers: { 'content-type': 'application/x-ndjson' },
          body: JSON.stringify({
            op: 'upsert',
            type: 'counter',
            documentId,
            data: { name: 'bulk' },
          }),
        })
      const ways: readonly ((documentId: string) => Promise<Answer>)[] = [
        (id) => server.put(`/api/counters/${id}`, { name: 'plain' }),
        (id) =>
          server.put(`/api/counters/${id}`, { name: 'any' }, { headers: { 'if-match': '*' } }),
        (id) => bulk(id, ''),
        (id) => bulk(id, '?atomic=true'),
        (id) =>
          server.send('PUT', `/admin/content/${COUNTER}/${id}`, {
            body: { data: { name: 'studio' } },
          }),
      ]
      const way = nat({ max: ways.length - 1 })
      await assert(
        asyncProperty(array(way, { minLength: 2, maxLength: 8 }), async (chosen) => {
          const { documentId } = await made('/api/counters', { name: 'counter', count: 0 })
          const used = chosen.flatMap((each) => ways[each] ?? [])
          const answers = await Promise.all(used.map((write) => write(documentId)))
          const done = answers.filter((answer) => isWritten(answer))
          for (const { status, text } of answers) expect(status, text).to.be.oneOf([200, 409, 503])
          const { body } = await server.get(`/api/counters/${documentId}`)
          expect(body.data.count).to.equal(done.length)
        }),
        { numRuns: 15 },
      )
    })
  })

  describe('hostile hooks', () => {
    const fails = async (isLogged: RegExp): Promise<void> => {
      const answer = await server.post('/api/notes', { title: 'hostile' })
      expect(answer.status, answer.text).to.equal(500)
      expect(answer.body.error).to.deep.equal({
        status: 500,
        name: 'InternalServerError',
        message: 'Internal Server Error',
      })
      expect(answer.text).not.to.include('extension')
      const log = server.takeLog()
      expect(log).to.have.length(1)
      expect(log[0]).to.include({ level: 50, extension: 'first-extension' })
      expect(log[0].msg).to.equal(
        `Extension first-extension: beforeWrite of ${NOTE} (create) failed`,
      )
      expect(log[0].err.message).to.match(isLogged)
      const { body } = await server.get('/api/notes?status=draft&filters[title]=hostile')
      expect(body.data).to.deep.equal([])
    }

    const thrown: readonly (readonly [string, BeforeWrite, RegExp])[] = [
      [
        'an error',
        () => {
          throw new TypeError('boom')
        },
        /^boom$/,
      ],
      ['an error later', () => Promise.reject(new Error('boom')), /^boom$/],
      [
        'no error',
        () => {
          throw 'text' as unknown as Error
        },
        /^text$/,
      ],
      ['an error of the server', () => Promise.reject(new RangeError('boom')), /^boom$/],
    ]
    for (const [label, run, logged] of thrown) {
      it(`responds with 500 if a hook throws ${label}, and names the extension in the log`, async () => {
        hook = run
        await fails(logged)
      })
    }

    const garbage: readonly (readonly [string, unknown])[] = [
      ['null', null],
      ['a list', []],
      ['a text', 'x'],
      ['a number', 1],
      ['a function', () => 1],
    ]
    for (const [label, value] of garbage) {
      it(`responds with 500 if a hook returns ${label}`, async () => {
        hook = () => value as undefined
        await fails(/^The hook returned .*; it must return an object or nothing$/)
      })
    }

    it('responds with 500 if a hook changes a publication', async () => {
      const { documentId } = await made('/api/notes', { title: 'one' })
      hook = ({ data }) => ({ ...data, title: 'two' })
      const answer = await server.send('POST', `/api/notes/${documentId}/actions/publish`)
      expect(answer.status).to.equal(500)
      expect(server.takeLog()[0].err.message).to.equal(
        'The hook returned data, but this operation writes no data',
      )
    })

    it('ends hooks that cause each other by a clear error', async () => {
      let calls = 0
      hook = async ({ content, data, principal }) => {
        calls += 1
        expect(principal.kind).to.equal(calls === 1 ? 'root' : 'extension')
        await content['notes']?.create({ title: `nested ${calls}` }, { as: 'system' })
        return data
      }
      const answer = await server.post('/api/notes', { title: 'recursive' })
      expect([answer.status, answer.headers['error-code']], answer.text).to.deep.equal([
        500,
        'internal_error',
      ])
      expect(calls).to.equal(5)
      const log = server.takeLog()
      expect(log[0].err.message).to.equal(
        'Hooks have caused each other 5 times: this is a recursion',
      )
      const { body } = await server.get('/api/notes?filters[title][$startsWith]=nested')
      expect(body.data).to.deep.equal([])
    })

    it('keeps the writes of a hook if the outer write fails', async () => {
      hook = async ({ content, data, principal }) => {
        if (principal.kind === 'extension') return data
        const made = await content['counters']?.create({ name: 'kept' }, { as: 'system' })
        expect(made).to.include({ name: 'kept' })
        throw new ValidationError('refused')
      }
      expect((await server.post('/api/notes', { title: 'one' })).status).to.equal(400)
      const { body } = await server.get('/api/counters?filters[name]=kept')
      expect(body.data).to.have.length(1)
    })

    it('reports a failed hook in the line of a bulk request', async () => {
      hook = ({ data }) => {
        if (data['title'] === 'fails') throw new Error('boom')
        return data
      }
      const lines = ['fine', 'fails'].map((title) =>
        JSON.stringify({ op: 'upsert', type: 'note', documentId: idOf(title), data: { title } }),
      )
      const answer = await server.send('POST', '/api/_bulk', {
        headers: { 'content-type': 'application/x-ndjson' },
        body: lines.join('\n'),
      })
      expect(answer.text).to.include('internal').and.not.include('boom')
      expect(server.takeLog()[0]).to.include({ extension: 'first-extension' })
    })
  })

  it('costs no read unless a hook asks for the previous version', async () => {
    let asks = false
    const seen: unknown[] = []
    let calls = 0
    const lazy = defineExtension({
      name: 'lazy',
      contentTypes: {
        [NOTE]: {
          beforeWrite: (event) => {
            calls += 1
            if (asks) seen.push(event.previous?.['title'])
          },
        },
      },
    })
    const other = await serve('lazy_hooks', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      extensions: [lazy],
    })
    try {
      const { documentId } = (await other.post('/api/notes', { title: 'one' })).body.data
      const commands: string[] = []
      other.onCommand(({ name, command }) => commands.push(`${name} ${String(command[name])}`))
      const path = `/api/notes/${documentId}?status=draft`
      expect((await other.put(path, { views: 1 })).status).to.equal(200)
      expect(commands).not.to.include('find note_versions')
      expect(calls).to.equal(2)
      asks = true
      expect((await other.put(path, { views: 2 })).status).to.equal(200)
      expect([calls, seen]).to.deep.equal([4, ['one']]) // the first question ends the call
      expect(commands).to.include('find note_versions')
      expect((await other.put(path, { views: 3 })).status).to.equal(200)
      expect([calls, seen]).to.deep.equal([5, ['one', 'one']])
    } finally {
      await other.close()
    }
  })

  describe('the deadline', () => {
    let hasty: TestServer
    before(async () => {
      hasty = await serve('hasty_hooks', {
        contentTypes: CONTENT_TYPES,
        environment: { RATE_LIMIT: 'off' },
        extensions: EXTENSIONS,
        host: { hookTimeoutMs: 300 },
      })
    })
    after(() => hasty.close())

    it('ends a hook that hangs at its deadline, without holding the document', async () => {
      const { documentId } = (await hasty.post('/api/notes', { title: 'one' })).body.data
      let signal: AbortSignal | null = null
      let begun = 0
      hook = (event) => {
        if (event.data['title'] !== 'hang') return undefined
        begun += 1
        signal = event.signal
        return new Promise(() => undefined)
      }
      const hanging = hasty.put(`/api/notes/${documentId}`, { title: 'hang' })
      await until(() => begun === 1, 10_000)
      const other = await hasty.put(`/api/notes/${documentId}`, { views: 2 })
      expect(other.status).to.equal(200)
      const answer = await hanging
      expect([answer.status, answer.headers['error-code']]).to.deep.equal([503, 'unavailable'])
      expect(answer.text).not.to.include('first-extension')
      expect(signal).to.have.property('aborted', true)
      const log = hasty.takeLog().filter((line) => line.extension !== undefined)
      expect(log.map(({ extension }) => extension)).to.deep.equal(['first-extension'])
    })

    it('refuses calls of content after the deadline', async () => {
      let late: Promise<unknown> = Promise.resolve()
      let isDone = false
      hook = ({ content, signal, principal }) => {
        if (principal.kind === 'extension') return undefined
        signal.addEventListener('abort', () => {
          late = content['notes']?.find({}, { as: 'system' }) ?? late
          late.catch(() => (isDone = true))
        })
        return new Promise(() => undefined)
      }
      expect((await hasty.post('/api/notes', { title: 'late' })).status).to.equal(503)
      await until(() => isDone, 10_000)
    })
  })
})

function idOf(title: string): string {
  return title.padEnd(24, 'a')
}

function isWritten({ status, text }: Answer): boolean {
  return status === 200 && !text.includes('"error"')
}
