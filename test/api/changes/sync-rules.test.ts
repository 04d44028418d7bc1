import { expect } from 'chai'
import { addEntry, addMember, type Member, RULED_TYPES, setRules } from '../people/rules-world.ts'
import { type EventStream, openEventStream } from '../../support/event-stream.ts'
import { type Answer, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const FIND = 'api::note.note.find'
const SYNC = 'api::note.note.sync'
const OWN_OR_TEAM = { $or: [{ owner: '$user' }, { team: '$user.teams' }] }
const SOON_MS = 20_000

interface Reader {
  readonly token: string
}

const ROOT: Reader = { token: ROOT_TOKEN }

describe('GET /api/_sync under rules', () => {
  let server: TestServer
  let ann: Member
  let bob: Member
  let team: string
  const streams: EventStream[] = []

  before(async () => {
    server = await serve('sync_rules', {
      contentTypes: RULED_TYPES,
      environment: { RATE_LIMIT: 'off' },
    })
    ann = await addMember(server, 'ann')
    bob = await addMember(server, 'bob')
    team = (await addEntry(server, '/api/teams', { name: 'Reds' })).documentId
  })
  beforeEach(() => setRules(server, 'authenticated', rulesWith(OWN_OR_TEAM)))
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close()
  })
  after(() => server.close())

  const rulesWith = (where: object, more: object = {}): readonly object[] =>
    [FIND, SYNC].map((action) => ({ action, where, ...more }))

  const ask = (query: string, { token }: Reader): Promise<Answer> =>
    server.get(`/api/_sync?${query}`, { token })

  const sync = async (query: string, reader: Reader): Promise<Json> => {
    const answer = await ask(query, reader)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body
  }

  const begin = (reader: Reader): Promise<Json> => sync('types=note', reader)

  /** Runs a write, and waits until a reader of all notes gets it. */
  const numbered = async (write: () => Promise<Answer>): Promise<Json> => {
    const { next } = await begin(ROOT)
    const answer = await write()
    expect(answer.status, answer.text).to.be.within(200, 299)
    await until(async () => (await sync(`token=${next}`, ROOT)).items.length > 0, SOON_MS)
    return answer.body
  }
  const addNote = async (data: object): Promise<string> => {
    const { data: added } = await numbered(() => server.post('/api/notes', data))
    return added.documentId
  }
  const change = (note: string, data: object): Promise<Json> =>
    numbered(() => server.put(`/api/notes/${note}`, data))

  const opsOf = ({ items }: Json): readonly string[] =>
    items.map(({ op, documentId, reason }: Json) => `${op} ${documentId ?? reason}`)

  it('sends visible rows only, and leaves the token alone after hidden changes', async () => {
    const other = await addNote({ title: 'canary', owner: bob.documentId })
    const own = await addNote({ title: 'a', owner: ann.documentId })
    const page = await begin(ann)
    expect(opsOf(page)).to.include(`put ${own}`)
    expect(JSON.stringify(page)).not.to.include(other)
    await change(other, { title: 'canary 2' })
    await addNote({ title: 'canary 3' })
    const first = await ask(`token=${page.next}`, ann)
    await numbered(() => server.send('DELETE', `/api/notes/${other}`))
    const second = await ask(`token=${page.next}`, ann)
    expect(second.body).to.deep.equal({ items: [], next: page.next, more: false })
    expect(second.headers['etag']).to.equal(first.headers['etag'])
    expect(second.headers['cache-control']).to.equal('private, no-cache')
    await change(own, { title: 'b' })
    expect(opsOf(await sync(`token=${page.next}`, ann))).to.deep.equal([`put ${own}`])
  })

  it('sends a delete when a row becomes hidden, and a put when it becomes visible', async () => {
    const note = await addNote({ title: 'a', owner: ann.documentId })
    const [anns, bobs] = [await begin(ann), await begin(bob)]
    await change(note, { owner: bob.documentId })
    const moved = await sync(`token=${anns.next}`, ann)
    expect(opsOf(moved)).to.deep.equal([`delete ${note}`])
    const taken = await sync(`token=${bobs.next}`, bob)
    expect(opsOf(taken)).to.deep.equal([`put ${note}`])
    await numbered(() => server.send('DELETE', `/api/notes/${note}`))
    expect(opsOf(await sync(`token=${moved.next}`, ann))).to.deep.equal([])
    expect(opsOf(await sync(`token=${taken.next}`, bob))).to.deep.equal([`delete ${note}`])
  })

  it('waits for visible changes only', async () => {
    const { next } = await begin(ann)
    const waiting = sync(`token=${next}&wait=25`, ann)
    const hidden = await addNote({ title: 'canary', owner: bob.documentId })
    await change(hidden, { title: 'canary 2' })
    const own = await addNote({ title: 'a', owner: ann.documentId })
    expect(opsOf(await waiting)).to.deep.equal([`put ${own}`])
  })

  it('cuts rows to the fields, and refuses hidden attributes in the scope', async () => {
    await addNote({ title: 'shown', body: 'canary', owner: ann.documentId })
    const before = await begin(ann)
    const rules = rulesWith({ owner: '$user' }, { fields: ['title'] })
    await setRules(server, 'authenticated', rules)
    const page = await sync(`token=${before.next}`, ann)
    expect(opsOf(page)[0]).to.equal('reset schema')
    expect(page.items.at(-1).data).to.have.property('title')
    expect(JSON.stringify(page)).not.to.include('canary')
    for (const part of ['fields[note]=body', 'filters[note][body][$eq]=canary']) {
      const refused = await ask(`types=note&${part}`, ann)
      expect([refused.status, refused.body.error.name]).to.deep.equal([400, 'ValidationError'])
    }
    await setRules(server, 'authenticated', rulesWith({ owner: '$user' }))
    const filtered = await sync('types=note&filters[note][body][$eq]=canary', ann)
    expect(filtered.items).to.have.length(1)
    await setRules(server, 'authenticated', rules)
    const lost = await sync(`token=${filtered.next}`, ann)
    expect(opsOf(lost)).to.deep.equal(['reset permission'])
  })

  it('reads a type again when a membership changes', async () => {
    const note = await addNote({ title: 'a', team })
    let page = await begin(ann)
    expect(opsOf(page)).not.to.include(`put ${note}`)
    for (const [members, isShown] of [
      [[ann.documentId], true],
      [[], false],
    ] as const) {
      await server.put(`/api/teams/${team}`, { members })
      await until(async () => {
        page = await sync(`token=${page.next}`, ann)
        return page.items.length > 0
      }, SOON_MS)
      expect(opsOf(page)[0]).to.equal('reset permission')
      expect(opsOf(page).includes(`put ${note}`)).to.equal(isShown)
    }
  })

  it('reads a type again when a rule is new, or the token belongs to another user', async () => {
    const open = await addNote({ title: 'a', isOpen: true })
    const own = await addNote({ title: 'a', owner: ann.documentId })
    const page = await begin(ann)
    const bobs = await sync(`token=${page.next}`, bob)
    expect(opsOf(bobs)[0]).to.equal('reset permission')
    expect(opsOf(bobs)).not.to.include(`put ${own}`)
    await setRules(server, 'authenticated', rulesWith({ isOpen: true }))
    const next = await sync(`token=${page.next}`, ann)
    expect(opsOf(next)).to.deep.equal(['reset schema', `put ${open}`])
    await setRules(server, 'authenticated', [{ action: FIND }])
    expect((await ask(`token=${next.next}`, ann)).status).to.equal(403)
  })

  it('reads a type again after a change whose compared attributes are too large', async () => {
    await setRules(server, 'authenticated', rulesWith({ body: { $startsWith: 'a' } }))
    const { next } = await begin(ann)
    const long = await addNote({ body: 'a'.repeat(2_000) })
    const page = await sync(`token=${next}`, ann)
    expect(opsOf(page)).to.deep.equal(['reset permission', `put ${long}`])
    const short = await addNote({ body: 'a' })
    expect(opsOf(await sync(`token=${page.next}`, ann))).to.deep.equal([`put ${short}`])
  })

  it('refuses types whose rule of find only the database can decide', async () => {
    await setRules(server, 'authenticated', [
      { action: FIND, where: { title: { $eqi: 'a' } } },
      { action: SYNC, where: { owner: '$user' } },
    ])
    const refused = await ask('types=note', ann)
    expect([refused.status, refused.body.error.name]).to.deep.equal([403, 'ForbiddenError'])
    await setRules(server, 'authenticated', [{ action: SYNC, where: { owner: '$user' } }])
    expect((await ask('types=note', ann)).status).to.equal(403)
  })

  it('refuses a rule that no commit can decide, with the reason', async () => {
    const rules = [{ action: SYNC, where: { opensAt: { $lte: '$now' } } }]
    const refused = await server.send('PUT', '/admin/roles/authenticated', { body: { rules } })
    expect(refused.status).to.equal(400)
    expect(refused.text).to.include('sync takes no $now')
  })

  it('shows the compared attributes nowhere else', async () => {
    const note = await addNote({ title: 'a', owner: ann.documentId })
    for (const path of ['/admin/audit', `/admin/content/api::note.note/${note}/history`]) {
      const { text } = await server.get(path)
      expect(text).not.to.match(/"(?:was|is)":/)
    }
  })

  const listen = async ({ token }: Reader): Promise<EventStream> => {
    const stream = await openEventStream(server.port, '/api/_live?types=note', {
      authorization: `Bearer ${token}`,
    })
    streams.push(stream)
    expect(stream.status, JSON.stringify(stream.body)).to.equal(200)
    await until(() => stream.lastId() !== '', SOON_MS)
    return stream
  }

  it('sends the events of visible rows on streams', async () => {
    const stream = await listen(ann)
    const hidden = await addNote({ title: 'canary', owner: bob.documentId })
    const own = await addNote({ title: 'a', owner: ann.documentId })
    await change(own, { owner: bob.documentId })
    await change(own, { title: 'canary' })
    await change(hidden, { owner: ann.documentId })
    await until(() => stream.events.length >= 3, SOON_MS)
    expect(
      stream.events.map(({ data: { op, documentId, revision } }) => [
        op,
        documentId,
        revision === null,
      ]),
    ).to.deep.equal([
      ['put', own, false],
      ['delete', own, true],
      ['put', hidden, false],
    ])
  })

  it('sends a reset on streams when a membership changes, before any event under it', async () => {
    await server.put(`/api/teams/${team}`, { members: [ann.documentId] })
    const note = await addNote({ title: 'a', team })
    await until(async () => opsOf(await begin(ann)).includes(`put ${note}`), SOON_MS)
    const stream = await listen(ann)
    await change(note, { title: 'b' })
    await until(() => stream.events.length > 0, SOON_MS)
    await server.put(`/api/teams/${team}`, { members: [] })
    await change(note, { title: 'c' })
    await until(() => stream.events.length > 1, SOON_MS)
    const own = await addNote({ title: 'a', owner: ann.documentId })
    await until(() => stream.events.length > 2, SOON_MS)
    expect(
      stream.events.map(({ event, data }) => [event, data.documentId ?? data.reason]),
    ).to.deep.equal([
      ['message', note],
      ['reset', 'permission'],
      ['message', own],
    ])
  })
})
