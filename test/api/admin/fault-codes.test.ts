import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LONG = `^[a-z]{2}$|${'x'.repeat(300)}`
const MANY = Array.from({ length: 120 }, (_, index) => `kind${index}`)

describe('codes of faults', () => {
  let server: TestServer
  before(async () => {
    server = await serve('fault_codes', {
      contentTypes: {
        note: declare('note', {
          title: { type: 'string', required: true, maxLength: 5, minLength: 2 },
          code: { type: 'string', regex: LONG },
          kind: { type: 'enumeration', enum: MANY },
          price: { type: 'decimal', max: 10.5 },
          day: { type: 'date' },
          extra: { type: 'json' },
          body: { type: 'blocks' },
        }),
        draft: declare(
          'draft',
          { name: { type: 'string', required: true } },
          { draftAndPublish: true },
        ),
      },
      environment: { RATE_LIMIT: 'off' },
    })
  })
  after(() => server.close())

  const errorOf = async (path: string, data: object, headers = {}): Promise<Json> =>
    (await server.send('POST', path, { body: { data }, headers })).body.error
  const both = async (data: object): Promise<readonly [Json, Json]> => [
    await errorOf('/api/notes', data),
    await errorOf('/admin/content/api::note.note', data),
  ]

  const faulty = {
    title: 'too long',
    code: 'ABC',
    kind: 'none',
    price: 11,
    extra: { a: 'x\0' },
    body: [{ type: 'paragraph', children: [] }],
  }

  it('adds codes and their parameters to responses to the Studio only', async () => {
    const [plain, coded] = await both(faulty)
    for (const fault of plain.details.errors) {
      expect(Object.keys(fault).sort()).to.deep.equal(['message', 'name', 'path', 'value'])
    }
    const { errors } = coded.details
    const without = errors.map((fault: Json) => {
      const { code: _, params: __, ...rest } = fault
      return rest
    })
    expect({ ...coded, details: { errors: without } }).to.deep.equal(plain)
    const found = Object.fromEntries(
      errors.map(({ path, code, params }: Json) => [path.join('.'), { code, ...params }]),
    )
    expect(found).to.deep.equal({
      title: { code: 'string.max', limit: 5 },
      code: { code: 'string.match', pattern: `${LONG.slice(0, 199)}…` },
      kind: { code: 'enumeration.only', valids: MANY.slice(0, 50) },
      price: { code: 'number.max', limit: '10.5' },
      'extra.a': { code: 'string.nul' },
      'body.0.children': { code: 'blocks.empty' },
    })
  })

  it('returns the path of an invalid date, which the dialect omits', async () => {
    const [plain, coded] = await both({ title: 'good', day: 'soon' })
    expect(plain.details).to.deep.equal({})
    expect(coded.message).to.equal(plain.message)
    expect(coded.details.errors).to.deep.equal([
      {
        path: ['day'],
        message: plain.message,
        name: 'ValidationError',
        value: 'soon',
        code: 'date.format',
      },
    ])
  })

  it('returns the same codes for the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'codes-of-faults-0001' }
    const path = '/admin/content/api::note.note'
    const first = await errorOf(path, { title: 'x' }, headers)
    expect(first.details.errors[0].code).to.equal('string.min')
    expect(await errorOf(path, { title: 'x' }, headers)).to.deep.equal(first)
  })

  it('returns codes for each entry of a bulk action', async () => {
    const uid = '/admin/content/api::draft.draft'
    const { documentId } = (await server.send('POST', uid, { body: { data: {} } })).body.data
    const body = { action: 'publish', documentIds: [documentId] }
    const { data } = (await server.send('POST', `${uid}/bulk`, { body })).body
    expect(data[0].error.details.errors[0]).to.include({ code: 'any.null' })
    const publish = `/api/drafts/${documentId}/actions/publish`
    const { error } = (await server.send('POST', publish)).body
    expect(error.details.errors[0]).not.to.have.any.keys('code', 'params', 'reason')
  })

  it('returns a code for a failure that concerns no value', async () => {
    const { id } = (
      await server.send('POST', '/admin/releases', { body: { data: { name: 'One' } } })
    ).body.data
    const { error } = (await server.send('POST', `/admin/releases/${id}/actions/publish`)).body
    expect(error.message).to.equal('The release is empty')
    expect(error.details.errors[0]).to.include({ code: 'release.empty', message: error.message })
  })
})
