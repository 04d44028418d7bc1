import { expect } from 'chai'
import * as fc from 'fast-check'
import { isHardSuite } from '../../support/model-runs.ts'
import { Device, permitPushes, PUSHED_TYPES } from '../../support/push-world.ts'
import { serve, type TestServer } from '../../support/server.ts'

const NAMES = [
  'title',
  'body',
  'stock',
  'tags',
  'main',
  'lines',
  'zone',
  'data',
  'owner',
  'internal',
]
const NASTY = [
  '__proto__',
  'constructor',
  '$where',
  'a.b',
  '\u0000',
  '',
  'documentId',
  'id',
  'locale',
]

const json = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
  fc.constantFrom<unknown>(
    { $gt: '' },
    { $ne: null },
    ['$set'],
    'x\u0000y',
    '\ud800',
    Number.MAX_VALUE,
    -0,
  ),
  fc.constantFrom<unknown>(
    { sha256: 'x' },
    [{ id: 1 }],
    [{ $key: 'k' }],
    [{ __component: 'shared.line' }],
  ),
)
const name = fc.constantFrom(...NAMES, ...NASTY)
const operation = fc.oneof(
  fc.record({ set: json }),
  fc.record({ inc: fc.oneof(fc.integer(), json) }),
  fc.record({ connect: json, disconnect: json }, { requiredKeys: [] }),
  fc.record({ remove: json, move: json, append: json }, { requiredKeys: [] }),
  json,
)
const line = fc.record(
  {
    op: fc.oneof({ weight: 6, arbitrary: fc.constantFrom('update', 'delete', 'create') }, json),
    type: fc.oneof({ weight: 6, arbitrary: fc.constantFrom('note', 'page', 'greeting') }, json),
    base: fc.oneof(fc.constant(null), fc.string(), json),
    locale: fc.oneof(
      { weight: 4, arbitrary: fc.constant(null) },
      fc.constantFrom('fr', 'xx'),
      json,
    ),
    depends: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, json),
    patch: fc.dictionary(name, operation, { maxKeys: 3 }),
  },
  { requiredKeys: ['op', 'type', 'base', 'patch'] },
)

describe('POST /api/_push with arbitrary input', () => {
  let server: TestServer
  let device: Device
  let id: string

  before(async () => {
    server = await serve('push_fuzz', { contentTypes: PUSHED_TYPES, locales: ['en', 'fr'] })
    await permitPushes(server)
    device = await Device.of(server, 'anna')
    id = await device.create('note', { title: 'a', lines: [{ text: 'a' }] })
  })
  after(() => server.close())

  it('responds with an outcome or a 400, and never fails', async () => {
    server.takeLog()
    const outcomes = new Set<string>()
    await fc.assert(
      fc.asyncProperty(line, json, fc.boolean(), async (sent, noise, isNoise) => {
        const n = device.last + 1
        const seen = Object.fromEntries(Object.keys(sent.patch).map((key) => [key, noise]))
        const documentId = sent.op === 'create' ? device.newId(n) : id
        const { base, patch, ...others } = sent
        const members = {
          ...(others.op !== 'create' && { base }),
          ...(others.op !== 'delete' && { patch }),
          ...(others.op === 'update' && { seen }),
        }
        const mutation = { n, documentId, ...others, ...members }
        const answer = await device.send([device.head(), isNoise ? noise : mutation])
        expect(answer.status, answer.text).to.be.oneOf([200, 400])
        if (answer.status !== 200) return
        const [head = '', outcome = '{}'] = answer.text.trim().split('\n')
        const { last, log } = JSON.parse(head)
        expect(last, answer.text).to.equal(outcome === '{}' ? n - 1 : n)
        Object.assign(device, { last, log, ack: last })
        outcomes.add(JSON.parse(outcome).outcome)
      }),
      { numRuns: isHardSuite() ? 3_000 : 250 },
    )
    expect(server.takeLog()).to.deep.equal([])
    expect([...outcomes]).to.include.members(['conflict', 'refused'])
  })
})
