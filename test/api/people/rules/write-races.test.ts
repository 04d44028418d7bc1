import { expect } from 'chai'
import type { Answer } from '../../../support/server.ts'
import type { Version } from './dump.ts'
import { type ServedWrites, serveWrites, type WritingPrincipal } from './serve-writes.ts'
import type { WriteRights } from './write-world.ts'

const OPEN: WriteRights = Object.fromEntries(
  ['doc', 'page', 'box'].flatMap((type) =>
    ['find', 'findOne', 'readDrafts']
      .filter((verb) => verb !== 'readDrafts' || type === 'page')
      .map((verb) => [`${type}.${verb}`, 'always' as const]),
  ),
)
const NEAR = { rank: { $lte: 1 } }
const OWN = { owner: '$user' }
/** Users of the first role write entries near the edge, and pages that they own. Those of the second write all. */
const WORLD = {
  one: {
    ...OPEN,
    'doc.update': [{ where: NEAR }],
    'page.update': [{ where: OWN, set: OWN }],
    'page.publish': [{ where: OWN }],
    'page.delete': [{ where: OWN }],
    'box.update': 'always',
  },
  two: { ...OPEN, 'doc.update': 'always', 'page.update': 'always' },
  public: {},
  token: { ...OPEN, 'doc.update': [{ where: NEAR, fields: ['word'] }] },
} as const
const ROUNDS = 3
const DOCUMENTS = 6

describe('concurrent writes at the edge of a rule', () => {
  let served: ServedWrites

  before(async () => {
    served = await serveWrites(WORLD)
  })
  after(() => served.close())

  const root = undefined
  const send = async (
    by: WritingPrincipal | undefined,
    method: string,
    path: string,
    data?: object,
  ): Promise<Answer> => {
    const answer = await served.server.send(method, path, {
      ...(by !== undefined && { token: by.token }),
      ...(data !== undefined && { body: { data } }),
    })
    expect(answer.status, answer.text).to.be.oneOf([200, 201, 204, 403, 404])
    return answer
  }
  const add = async (path: string, data: object, count = DOCUMENTS): Promise<string[]> => {
    const made = await Promise.all(
      Array.from({ length: count }, () => send(root, 'POST', path, data)),
    )
    return made.map(({ body }) => body.data.documentId)
  }
  const statesOf = async (ids: readonly string[]): Promise<readonly Version[]> => {
    const { versions } = await served.dump()
    return versions.filter(({ documentId }) => ids.includes(documentId))
  }
  const user = (at: number): WritingPrincipal => {
    const principal = served.principals[at]
    if (principal === undefined) throw new Error(`no user ${at}`)
    return principal
  }

  it('never moves an entry back into a rule that it has left', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = await add('/api/docs', { rank: 1 })
      const writes = ids.flatMap((id) => [
        send(user(0), 'PUT', `/api/docs/${id}`, { rank: 0, word: 'ape' }),
        send(root, 'PUT', `/api/docs/${id}`, { rank: 3 }),
        send(user(1), 'PUT', `/api/docs/${id}`, { rank: 1, word: 'bee' }),
        send(user(0), 'PUT', `/api/docs/${id}`, { rank: null }),
      ])
      await Promise.all(writes)
      const ranks = (await statesOf(ids)).map(({ values }) => values['rank'])
      expect(ranks).to.deep.equal(ids.map(() => 3))
    }
  })

  it('never takes back an entry that has another owner', async () => {
    const [mine = '', other = ''] = served.users
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = await add('/api/pages', { owner: mine })
      const writes = ids.flatMap((id) => [
        send(user(0), 'PUT', `/api/pages/${id}?status=draft`, { word: 'ape' }),
        send(root, 'PUT', `/api/pages/${id}`, { owner: other }),
        send(user(0), 'PUT', `/api/pages/${id}`, { word: 'bee' }),
        send(user(0), 'POST', `/api/pages/${id}/actions/publish`),
      ])
      await Promise.all(writes)
      const states = await statesOf(ids)
      expect(states).to.have.length(2 * ids.length)
      const owners = states.flatMap(({ values }) => values['owner'])
      expect(new Set(owners)).to.deep.equal(new Set([other]))
    }
  })

  it('never connects an entry that has left a rule', async () => {
    const [box = ''] = await add('/api/boxes', { word: 'ape' }, 1)
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = await add('/api/docs', { rank: 1 })
      const writes = ids.flatMap((id) => [
        send(user(0), 'PUT', `/api/boxes/${box}`, { docs: { connect: [id] } }),
        send(root, 'PUT', `/api/docs/${id}`, { rank: 3, box: null }),
      ])
      await Promise.all(writes)
      const boxes = (await statesOf(ids)).flatMap(({ values }) => values['box'])
      expect(boxes).to.deep.equal([])
    }
  })

  it('applies to each write of a group the rules of its own principal', async () => {
    const [first = '', second = '', third = ''] = served.users
    for (let round = 0; round < ROUNDS; round += 1) {
      const near = await add('/api/docs', { rank: 1, word: 'asp', hidden: 'h0' })
      const far = await add('/api/docs', { rank: 2, word: 'asp', hidden: 'h0' })
      const writers = [user(0), user(2), user(3), user(1), user(4), root] as const
      const data = [
        { hidden: 'h1' },
        { rank: 3 },
        { word: 'bee' },
        { rank: 3 },
        { word: 'bee' },
        { rank: 0 },
      ]
      const write = (ids: readonly string[]) =>
        ids.map((id, at) => send(writers[at], 'PUT', `/api/docs/${id}`, data[at]))
      const answers = await Promise.all([...write(near), ...write(far)])
      expect(answers.map(({ status }) => status)).to.deep.equal(
        [
          [200, 200, 200, 403, 403, 200],
          [403, 200, 403, 403, 403, 200],
        ].flat(),
      )
      const valuesOf = async (ids: readonly string[]): Promise<unknown> => {
        const states = new Map((await statesOf(ids)).map((one) => [one.documentId, one.values]))
        return ids.map((id) => ['rank', 'word', 'hidden'].map((name) => states.get(id)?.[name]))
      }
      expect(await valuesOf(near)).to.deep.equal([
        [1, 'asp', 'h1'],
        [3, 'asp', 'h0'],
        [1, 'bee', 'h0'],
        [1, 'asp', 'h0'],
        [1, 'asp', 'h0'],
        [0, 'asp', 'h0'],
      ])
      expect(await valuesOf(far)).to.deep.equal([
        [2, 'asp', 'h0'],
        [3, 'asp', 'h0'],
        ...[2, 3, 4].map(() => [2, 'asp', 'h0']),
        [0, 'asp', 'h0'],
      ])
    }
    const pages = (
      await Promise.all([first, second, third].map((owner) => add('/api/pages', { owner }, 2)))
    ).flat()
    const writers = [user(0), user(1), user(1), user(0), user(2), user(2)] as const
    const answers = await Promise.all(
      pages.map((id, at) =>
        send(writers[at], 'PUT', `/api/pages/${id}?status=draft`, { word: 'bee' }),
      ),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 403, 200, 403, 200, 200])
    const owners = (await statesOf(pages)).map(({ documentId, values }) => [
      documentId,
      values['owner'],
    ])
    const expected = pages.map(
      (id, at) => [id, [[first, second, third][Math.floor(at / 2)]]] as const,
    )
    expect(new Map(owners.map(([id, owner]) => [String(id), owner]))).to.deep.equal(
      new Map(expected),
    )
  })
})
