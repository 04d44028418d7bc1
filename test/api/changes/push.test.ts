import { expect } from 'chai'
import type { Extension } from '../../../src/extensions/extension.ts'
import {
  Device,
  digestOf,
  permitPushes,
  PUSHED_TYPES,
  readPushed,
  setting,
} from '../../support/push-world.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'

describe('POST /api/_push', () => {
  let server: TestServer
  let device: Device

  before(async () => {
    server = await serve('push', { contentTypes: PUSHED_TYPES, locales: ['en', 'fr'] })
    await permitPushes(server)
    device = await Device.of(server, 'anna')
  })
  after(() => server.close())

  const read = async (id: string, plural = 'notes', query = ''): Promise<Json> =>
    (await server.get(`/api/${plural}/${id}?populate=*${query}`)).body.data
  const revisionOf = async (id: string, plural = 'notes'): Promise<string> => {
    const { etag = '' } = (await server.get(`/api/${plural}/${id}`)).headers
    return etag.replaceAll('"', '').replace('W/', '')
  }
  const update = (id: string, base: unknown, patch: object, seen: object) => ({
    op: 'update',
    type: 'note',
    documentId: id,
    base,
    patch,
    seen,
  })
  const tag = async (name: string): Promise<string> =>
    (await server.post('/api/tags', { name })).body.data.documentId

  it('creates, updates and deletes an entry', async () => {
    const id = device.newId()
    const [created] = await device.push({
      op: 'create',
      type: 'note',
      documentId: id,
      patch: setting({ title: 'a', stock: 1 }),
    })
    expect(created).to.deep.equal({
      n: device.last,
      outcome: 'applied',
      revision: created.revision,
    })
    expect((await read(id)).title).to.equal('a')
    const [updated] = await device.push(
      update(
        id,
        created.revision,
        { title: { set: 'b' }, stock: { inc: 2 } },
        { title: 'a', stock: 1 },
      ),
    )
    expect(updated.outcome).to.equal('applied')
    expect(await read(id)).to.include({ title: 'b', stock: 3 })
    const [deleted] = await device.push({
      op: 'delete',
      type: 'note',
      documentId: id,
      base: updated.revision,
    })
    expect(deleted).to.deep.include({ outcome: 'applied', revision: null })
    expect((await server.get(`/api/notes/${id}`)).status).to.equal(404)
    const [again] = await device.push({ op: 'delete', type: 'note', documentId: id, base: 'x' })
    expect(again).to.deep.include({ outcome: 'applied', revision: null, changed: false })
  })

  it('takes the base of a mutation from an earlier one of the request', async () => {
    const n = device.last + 1
    const id = device.newId()
    const lines = await device.push(
      { op: 'create', type: 'note', documentId: id, patch: setting({ title: 'a' }) },
      update(id, { n }, { title: { set: 'b' } }, { title: 'a' }),
      { op: 'delete', type: 'note', documentId: id, base: { n: n + 1 } },
    )
    expect(lines.map(({ outcome }) => outcome)).to.deep.equal(['applied', 'applied', 'applied'])
  })

  it('merges different attributes, and reports a conflict of the same one', async () => {
    const id = await device.create('note', { title: 'a', stock: 1, mood: 'a', color: 'a' })
    const base = await revisionOf(id)
    await server.put(`/api/notes/${id}`, { title: 'theirs', mood: 'theirs', color: 'theirs' })
    const lines = await device.push(
      update(id, base, { stock: { set: 5 } }, { stock: 1 }),
      update(id, base, { title: { set: 'mine' } }, { title: 'a' }),
      update(
        id,
        base,
        { mood: { set: 'mine' }, color: { set: 'mine' } },
        { mood: 'a', color: 'a' },
      ),
    )
    expect(lines[0]).to.include({ outcome: 'applied' })
    expect(lines[1]).to.deep.include({
      outcome: 'conflict',
      code: 'attribute_conflict',
      attributes: ['title'],
      base: { title: 'a' },
      mine: { title: 'mine' },
      theirs: { title: 'theirs' },
    })
    expect(lines[2]).to.deep.include({ outcome: 'merged', attributes: ['mood'] })
    const entry = await read(id)
    expect(entry).to.include({ title: 'theirs', stock: 5, mood: 'theirs', color: 'mine' })
  })

  it('joins edits of different words, and knows a long text by its digest', async () => {
    const text = 'one two three four'
    const id = await device.create('note', { title: 'a', body: text })
    const base = await revisionOf(id)
    await server.put(`/api/notes/${id}`, { body: 'one two three 4' })
    const [joined, same] = await device.push(
      update(id, base, { body: { set: '1 two three four' } }, { body: text }),
      update(id, base, { body: { set: '1 two three FOUR' } }, { body: digestOf('1 two three 4') }),
    )
    expect(joined).to.deep.include({ outcome: 'merged', attributes: ['body'] })
    expect(same).to.include({ outcome: 'applied' })
    const [other] = await device.push(
      update(id, base, { body: { set: 'new' } }, { body: digestOf(text) }),
    )
    expect(other).to.include({ outcome: 'conflict' })
    expect((await read(id)).body).to.equal('1 two three FOUR')
  })

  it('changes lists of relations next to the changes of others', async () => {
    const [a = '', b = '', c = '', d = ''] = await Promise.all(['a', 'b', 'c', 'd'].map(tag))
    const id = await device.create('note', { title: 'a', tags: [a, b], main: a })
    const base = await revisionOf(id)
    await server.put(`/api/notes/${id}`, { tags: { connect: [c], disconnect: [a] } })
    const connect = [{ documentId: d, after: null }]
    const [connected] = await device.push(
      update(
        id,
        base,
        { tags: { connect, disconnect: [b] }, main: { set: b } },
        { tags: [a, b], main: a },
      ),
    )
    expect(connected).to.deep.include({ outcome: 'merged', attributes: ['tags'] })
    const tagsOf = async () => (await read(id)).tags.map(({ documentId }: Json) => documentId)
    expect(await tagsOf()).to.deep.equal([d, c])
    expect((await read(id)).main.documentId).to.equal(b)
    const [union] = await device.push(update(id, base, { tags: { set: [b, a] } }, { tags: [b] }))
    expect(union, JSON.stringify(union)).to.include({ outcome: 'merged' })
    expect(await tagsOf()).to.have.members([d, c, a])
    const [missing] = await device.push(
      update(id, base, { tags: { connect: [{ documentId: b, after: id }] } }, { tags: [d, c, a] }),
    )
    expect(missing).to.include({ outcome: 'merged' })
    expect((await tagsOf()).at(-1)).to.equal(b)
    const [invalid] = await device.push(
      update(id, base, { tags: { set: { connect: [a] } } }, { tags: [] }),
    )
    expect(invalid).to.include({ outcome: 'refused', code: 'invalid_payload' })
  })

  it('changes components by id, and maps temporary keys to ids', async () => {
    const id = device.newId()
    const [created] = await device.push({
      op: 'create',
      type: 'note',
      documentId: id,
      patch: setting({ title: 'a', lines: [{ $key: 'x', text: 'one' }, { text: 'two' }] }),
    })
    const lines = async () => (await read(id)).lines
    const [one, two] = await lines()
    expect(created.keys).to.deep.equal({ lines: { x: one.id } })
    await server.put(`/api/notes/${id}`, { lines: [{ id: one.id, done: true }, { id: two.id }] })
    const seen = {
      lines: [
        { id: one.id, text: 'one', done: null },
        { id: two.id, text: 'two', done: null },
      ],
    }
    const [merged] = await device.push(
      update(
        id,
        created.revision,
        { lines: { set: [{ id: one.id, text: '1', done: null }, seen.lines[1]] } },
        seen,
      ),
    )
    expect(merged).to.deep.include({ outcome: 'merged', attributes: ['lines'] })
    expect((await lines())[0]).to.include({ id: one.id, text: '1', done: true })
    const append = [{ $key: 'y', text: 'three' }]
    const move = [{ key: two.id, after: null }]
    const [changed] = await device.push(
      update(id, null, { lines: { remove: [one.id], move, append } }, seen),
    )
    const now = await lines()
    expect(now.map(({ text }: Json) => text)).to.deep.equal(['two', 'three'])
    expect(changed.keys).to.deep.equal({ lines: { y: now[1].id } })
  })

  it('reports a deletion against an edit in both directions', async () => {
    const id = await device.create('note', { title: 'a' })
    const base = await revisionOf(id)
    await server.put(`/api/notes/${id}`, { title: 'b' })
    const [changed] = await device.push({ op: 'delete', type: 'note', documentId: id, base })
    expect(changed).to.include({ outcome: 'conflict', code: 'document_changed' })
    expect(changed.theirs.title).to.equal('b')
    await server.delete(`/api/notes/${id}`)
    const [deleted] = await device.push(update(id, base, { title: { set: 'c' } }, { title: 'a' }))
    expect(deleted).to.deep.include({
      outcome: 'conflict',
      code: 'document_deleted',
      base: { title: 'a' },
      mine: { title: 'c' },
      theirs: null,
    })
  })

  it('refuses invalid values, and reports an invalid result of a merge as a conflict', async () => {
    const [refused] = await device.push({
      op: 'create',
      type: 'note',
      documentId: device.newId(),
      patch: setting({ stock: 1 }),
    })
    expect(refused).to.deep.include({ outcome: 'refused', code: 'invalid_payload' })
    const text = 'x'.repeat(10)
    const id = await device.create('note', { title: 'a', lines: [], stock: 2_147_483_640 })
    const base = await revisionOf(id)
    await server.put(`/api/notes/${id}`, { stock: 2_147_483_647, title: text })
    const [invalid] = await device.push(
      update(id, base, { stock: { inc: 5 } }, { stock: 2_147_483_640 }),
    )
    expect(invalid).to.include({ outcome: 'conflict', code: 'invalid_after_merge' })
    expect(invalid.error.status).to.equal(400)
  })

  it('refuses a mutation that depends on a failed one, and goes on with others', async () => {
    const n = device.last + 1
    const id = device.newId(n)
    const other = device.newId(n + 3)
    const lines = await device.push(
      { op: 'create', type: 'note', documentId: id, patch: {} },
      update(id, { n }, { title: { set: 'b' } }, { title: null }),
      { op: 'delete', type: 'note', documentId: id, base: 'x', depends: [n] },
      { op: 'create', type: 'note', documentId: other, patch: setting({ title: 'a' }) },
    )
    expect(lines.map(({ outcome, code }) => [outcome, code])).to.deep.equal([
      ['refused', 'invalid_payload'],
      ['refused', 'push_dependency'],
      ['refused', 'push_dependency'],
      ['applied', undefined],
    ])
  })

  it('keeps mutations of unknown types and attributes as conflicts', async () => {
    const id = await device.create('note', { title: 'a' })
    const lines = await device.push(
      update(id, 'x', { gone: { set: 1 } }, { gone: null }),
      update(id, 'x', { internal: { set: 'x' } }, { internal: null }),
      update(id, 'x', { title: { inc: 1 } }, { title: 'a' }),
      { op: 'delete', type: 'gone', documentId: id, base: 'x' },
      { op: 'delete', type: 'tag', documentId: id, base: 'x' },
    )
    expect(lines.map(({ code }) => code)).to.deep.equal([
      'unknown_attribute',
      'unknown_attribute',
      'unknown_attribute',
      'unknown_type',
      'unknown_type',
    ])
  })

  it('decides by values after a merge that a later mutation is based on', async () => {
    const id = await device.create('note', { title: 'a', body: 'one two', color: 'a' })
    const base = await revisionOf(id)
    await server.put(`/api/notes/${id}`, { body: 'zero one two', title: 'theirs' })
    const n = device.last + 1
    const lines = await device.push(
      update(id, base, { body: { set: 'one two three' } }, { body: 'one two' }),
      update(id, { n }, { body: { set: 'one two three four' } }, { body: 'one two three' }),
      update(id, { n }, { title: { set: 'mine' } }, { title: 'a' }),
    )
    expect(lines[0]).to.include({ outcome: 'merged', rebased: true })
    expect(lines[1]).to.include({ outcome: 'merged', rebased: true })
    expect(lines[2]).to.include({ outcome: 'conflict', code: 'attribute_conflict' })
    expect(await read(id)).to.include({ body: 'zero one two three four', title: 'theirs' })
  })

  it('stores nothing for a patch that is equal to the stored values', async () => {
    const first = await tag('first')
    const values = { title: 'a', stock: 3, tags: [first] }
    const [created] = await device.push({
      op: 'create',
      type: 'note',
      documentId: device.newId(),
      patch: setting(values),
    })
    const id = device.newId(created.n)
    const base = created.revision
    const [equal] = await device.push(
      update(
        id,
        base,
        { title: { set: 'a' }, stock: { inc: 0 }, tags: { connect: [{ documentId: first }] } },
        values,
      ),
    )
    const n = device.last
    expect(equal).to.deep.equal({ n, outcome: 'applied', revision: base, changed: false })
    const [merged] = await device.push(
      update(id, 'other', { mood: { set: 'mine' } }, { mood: 'base' }),
    )
    expect(merged).to.deep.include({ outcome: 'merged', attributes: ['mood'], changed: false })
    expect(merged).to.deep.include({ revision: base, rebased: true })
    expect(await revisionOf(id)).to.match(new RegExp(`^${base}`))
  })

  it('gives up the number of a skipped mutation', async () => {
    const id = device.newId(device.last + 2)
    const lines = await device.push(
      { op: 'skip' },
      { op: 'create', type: 'note', documentId: id, patch: setting({ title: 'a' }) },
    )
    expect(lines[0]).to.deep.equal({
      n: device.last - 1,
      outcome: 'applied',
      revision: null,
      changed: false,
    })
    expect((await read(id)).title).to.equal('a')
    const answer = await device.send([
      device.head(),
      { n: device.last + 1, op: 'skip', type: 'note' },
    ])
    expect(answer.body.error.details.errors[0].path).to.deep.equal(['2', 'type'])
  })

  it('publishes only entries without an unfinished draft', async () => {
    const id = await device.create('page', { title: 'a', text: 'x' })
    const base = await revisionOf(id, 'pages')
    const change = (title: string, seen: string, from: unknown) => ({
      ...update(id, from, { title: { set: title } }, { title: seen }),
      type: 'page',
    })
    const [updated] = await device.push(change('b', 'a', base))
    expect(updated.outcome).to.equal('applied')
    expect((await read(id, 'pages')).title).to.equal('b')
    expect((await read(id, 'pages', '&status=draft')).title).to.equal('b')
    await server.put(`/api/pages/${id}?status=draft`, { text: 'unfinished' })
    const [modified] = await device.push(change('c', 'b', updated.revision))
    expect(modified).to.include({ outcome: 'conflict', code: 'draft_modified' })
    const [kept] = await device.push({
      op: 'delete',
      type: 'page',
      documentId: id,
      base: updated.revision,
    })
    expect(kept).to.include({ outcome: 'conflict', code: 'draft_modified' })
    expect((await read(id, 'pages')).title).to.equal('b')
  })

  it('changes drafts without publishing them, and publishes as an operation', async () => {
    const drafts = await Device.of(server, 'doris', 'draft')
    const id = drafts.newId()
    const [created] = await drafts.push({
      op: 'create',
      type: 'page',
      documentId: id,
      patch: setting({ title: 'a' }),
    })
    expect((await server.get(`/api/pages/${id}`)).status).to.equal(404)
    const base = created.revision
    const [published] = await drafts.push({ op: 'publish', type: 'page', documentId: id, base })
    expect(published, JSON.stringify(published)).to.include({ outcome: 'applied' })
    expect((await read(id, 'pages')).title).to.equal('a')
    const [stale] = await drafts.push({ op: 'publish', type: 'page', documentId: id, base: 'x' })
    expect(stale).to.include({ outcome: 'conflict', code: 'document_changed' })
  })

  it('writes the locale of a mutation, and adds missing ones', async () => {
    const id = await device.create('greeting', { word: 'hello' })
    const lines = await device.push(
      {
        ...update(id, null, { word: { set: 'bonjour' } }, { word: null }),
        type: 'greeting',
        locale: 'fr',
      },
      {
        ...update(id, null, { word: { set: 'x' } }, { word: null }),
        type: 'greeting',
        locale: 'xx',
      },
    )
    expect(lines[0]).to.include({ outcome: 'applied' })
    expect(lines[1]).to.include({ outcome: 'refused', code: 'unknown_locale' })
    expect((await read(id, 'greetings', '&locale=fr')).word).to.equal('bonjour')
    expect((await read(id, 'greetings')).word).to.equal('hello')
  })

  it('repeats outcomes without a second write', async () => {
    const id = await device.create('note', { title: 'a', stock: 0 })
    const n = device.last + 1
    const lines = [
      device.head(),
      { n, ...update(id, null, { stock: { inc: 1 } }, { stock: 0 }) },
      { n: n + 1, ...update(id, 'x', { title: { set: 'mine' } }, { title: 'other' }) },
      { n: n + 2, op: 'create', type: 'note', documentId: device.newId(n + 2), patch: {} },
    ]
    const first = readPushed(await device.send(lines))
    const second = readPushed(await device.send(lines))
    expect((await read(id)).stock).to.equal(1)
    expect(second.head).to.deep.equal(first.head)
    expect(second.lines[0]).to.deep.equal({ ...first.lines[0], replayed: true })
    expect(second.lines[1]).to.deep.equal({ ...first.lines[1], replayed: true })
    expect(second.lines[2]).to.deep.include({
      outcome: 'refused',
      code: 'invalid_payload',
      replayed: true,
    })
    device.last = first.head.last
    device.ack = device.last
    await device.push()
    const forgotten = await device.send(lines)
    expect([forgotten.status, forgotten.headers['error-code']]).to.deep.equal([409, 'push_gap'])
    expect(forgotten.body.error.details).to.deep.equal({ last: n + 2 })
  })

  it('refuses gaps, and a client that it does not know any more', async () => {
    const gap = await device.send([
      device.head(),
      { n: device.last + 2, op: 'delete', type: 'note', documentId: device.newId(), base: null },
    ])
    expect([gap.status, gap.headers['error-code']]).to.deep.equal([409, 'push_gap'])
    const stale = await device.send([device.head({ log: 'another' })])
    expect([stale.status, stale.headers['error-code']]).to.deep.equal([409, 'push_log_changed'])
    expect(stale.body.error.details).to.deep.equal({ log: device.log })
    const unknown = await device.send([device.head({ client: 'never-seen' })])
    expect(unknown.status).to.equal(409)
    const started = new Device(server, device.member, 'with-a-start')
    const id = started.newId(8)
    const create = {
      n: 8,
      op: 'create',
      type: 'note',
      documentId: id,
      patch: setting({ title: 'a' }),
    }
    const { lines } = readPushed(await started.send([started.head({ start: 7 }), create]))
    expect(lines[0]).to.include({ n: 8, outcome: 'applied' })
  })

  it('answers retry while 100 outcomes are not acknowledged', async () => {
    const busy = new Device(server, device.member, 'a-busy-client')
    const refused = (n: number) => ({
      n,
      op: 'delete',
      type: 'gone',
      documentId: device.newId(),
      base: null,
    })
    const all = Array.from({ length: 100 }, (_, index) => refused(index + 1))
    readPushed(await busy.send([busy.head(), ...all]))
    const more = readPushed(await busy.send([busy.head(), refused(101)]))
    expect(more.lines).to.deep.equal([{ n: 101, outcome: 'retry' }])
    const done = readPushed(await busy.send([busy.head({ ack: 100 }), refused(101)]))
    expect(done.lines[0]).to.include({ n: 101, outcome: 'conflict' })
  })

  it('names the place of input that it does not understand', async () => {
    const n = device.last + 1
    const base = { n, op: 'delete', type: 'note', documentId: device.newId(), base: null }
    const cases: readonly (readonly [unknown, unknown, string])[] = [
      [{ client: 'short', log: null }, base, '1.client'],
      [{ ...device.head(), more: 1 }, base, '1.more'],
      [{ ...device.head(), log: 5 }, base, '1.log'],
      [{ ...device.head(), ack: -1 }, base, '1.ack'],
      [{ ...device.head(), start: 3 }, base, '1.start'],
      [{ ...device.head(), status: 'all' }, base, '1.status'],
      [device.head(), [], '2'],
      [device.head(), { ...base, op: 'upsert' }, '2.op'],
      [device.head(), { ...base, op: 'publish' }, '2.op'],
      [device.head(), { ...base, n: '1' }, '2.n'],
      [device.head(), { ...base, type: {} }, '2.type'],
      [device.head(), { ...base, documentId: '$ne' }, '2.documentId'],
      [device.head(), { ...base, locale: { $ne: 'en' } }, '2.locale'],
      [device.head(), { ...base, base: { $gt: '' } }, '2.base.$gt'],
      [device.head(), { ...base, base: { n } }, '2.base.n'],
      [device.head(), { ...base, depends: [n] }, '2.depends.0'],
      [device.head(), { ...base, patch: {} }, '2.patch'],
      [
        device.head(),
        { ...base, op: 'create', base: undefined, documentId: device.newId(99), patch: {} },
        '2.documentId',
      ],
      [
        device.head(),
        { ...base, op: 'update', patch: { a: { inc: 'x' } }, seen: { a: 1 } },
        '2.patch.a.inc',
      ],
      [
        device.head(),
        { ...base, op: 'update', patch: { a: { $inc: 1 } }, seen: { a: 1 } },
        '2.patch.a',
      ],
      [
        device.head(),
        { ...base, op: 'update', patch: { a: { set: 1, inc: 1 } }, seen: { a: 1 } },
        '2.patch.a',
      ],
      [device.head(), { ...base, op: 'update', patch: { a: { set: 1 } }, seen: {} }, '2.seen.a'],
      [device.head(), { ...base, op: 'update', patch: {}, seen: { a: 1 } }, '2.seen.a'],
    ]
    for (const [head, mutation, path] of cases) {
      const answer = await device.send([head, mutation])
      expect(
        [answer.status, answer.body.error?.details?.errors?.[0]?.path?.join('.')],
        path,
      ).to.deep.equal([400, path])
    }
    expect((await device.send([device.head(), '{"n":'])).status).to.equal(400)
    expect((await device.send([])).status).to.equal(400)
    const two = [base, { ...base, n: n + 2 }]
    expect((await device.send([device.head(), ...two])).status).to.equal(400)
  })

  it('is closed to everyone but signed-in users with the action', async () => {
    const body = JSON.stringify({ client: 'a-client-id', log: null })
    const headers = { 'content-type': 'application/x-ndjson' }
    for (const token of [null, undefined]) {
      const answer = await server.send('POST', '/api/_push', {
        headers,
        body,
        ...(token === null && { token }),
      })
      expect(answer.status).to.equal(403)
    }
    await permitPushes(server, ['api::note.note.find', 'api::note.note.create'])
    expect((await device.send([device.head()])).status).to.equal(403)
    await permitPushes(server)
  })
})

describe('POST /api/_push with an extension that fails', () => {
  let server: TestServer
  before(async () => {
    const extension = {
      name: 'broken',
      contentTypes: {
        'api::note.note': {
          beforeWrite: ({ data }: { readonly data: Json }) => {
            if (data.title === 'broken') throw new Error('a mistake of the extension')
          },
        },
      },
    } as unknown as Extension
    server = await serve('push_fails', { contentTypes: PUSHED_TYPES, extensions: [extension] })
    await permitPushes(server)
  })
  after(() => server.close())

  it('refuses a mutation that fails each time, and goes on with the next one', async () => {
    const device = await Device.of(server, 'bert')
    const [broken, whole] = [1, 2].map((n) => ({
      n,
      op: 'create',
      type: 'note',
      documentId: device.newId(n),
      patch: setting({ title: n === 1 ? 'broken' : 'whole' }),
    }))
    for (let attempt = 1; attempt < 5; attempt += 1) {
      const { head, lines } = readPushed(await device.send([device.head(), broken, whole]))
      expect(head.last).to.equal(0)
      expect(lines).to.deep.equal([
        { n: 1, outcome: 'retry' },
        { n: 2, outcome: 'retry' },
      ])
    }
    const { lines } = readPushed(await device.send([device.head(), broken, whole]))
    expect(lines[0]).to.deep.equal({
      n: 1,
      outcome: 'refused',
      code: 'internal_error',
      error: { status: 500, name: 'InternalServerError', message: 'Internal Server Error' },
    })
    expect(lines[1]).to.include({ n: 2, outcome: 'applied' })
  })
})
