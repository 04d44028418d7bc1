import { expect } from 'chai'
import { type Operands, operandsOf } from '../../../src/people/rules/operands.ts'
import { readOperands } from '../../../src/people/rules/read-operands.ts'
import { versionsOf } from '../../../src/mongo/versions/stored-version.ts'
import type { Schema } from '../../../src/schema/plan.ts'
import { compile, typeFile } from '../../schema/define.ts'
import { openTestDatabase } from '../../support/test-database.ts'

const schema: Schema = compile(
  typeFile('member', {
    teams: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'api::team.team',
      mappedBy: 'members',
    },
    boss: { type: 'relation', relation: 'manyToOne', target: 'api::member.member' },
    age: { type: 'integer' },
  }),
  typeFile('team', {
    name: { type: 'string' },
    firm: { type: 'relation', relation: 'manyToOne', target: 'api::firm.firm' },
    members: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'api::member.member',
      inversedBy: 'teams',
    },
  }),
  typeFile('firm', { city: { type: 'string' } }),
)

function planOf(uid: string) {
  const plan = schema.contentTypes.get(uid)
  if (plan === undefined) throw new Error(`There is no ${uid}`)
  return plan
}

describe('readOperands', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>
  const users = planOf('api::member.member')

  const insert = async (uid: string, rows: readonly object[]): Promise<void> => {
    const given = rows.map((row) => ({ status: 'published', locale: '', ...row }))
    const collection = versionsOf(test.database, planOf(uid))
    await collection.insertMany(given as never)
  }

  before(async () => {
    test = await openTestDatabase('read_operands')
    await insert('api::member.member', [
      { _id: 'u1', documentId: 'ann', age: 30, boss: 'bob' },
      { _id: 'u2', documentId: 'bob', age: 50 },
    ])
    await insert('api::firm.firm', [{ _id: 'f1', documentId: 'firm', city: 'Rome' }])
    await insert('api::team.team', [
      { _id: 't1', documentId: 'reds', name: 'Reds', members: ['ann', 'bob'], firm: 'firm' },
      { _id: 't2', documentId: 'blues', name: 'Blues', members: ['ann'], firm: 'firm' },
      { _id: 't3', documentId: 'greens', name: 'Greens', members: ['bob'] },
      { _id: 't4', documentId: 'drafts', name: 'x', members: ['ann'], status: 'draft' },
    ])
  })
  after(() => test.drop())

  const read = async (text: string, documentId = 'ann'): Promise<readonly string[] | undefined> => {
    const { paths }: Operands = operandsOf([text], users)
    return (await readOperands(test.database, users, documentId, paths)).get(text)
  }

  for (const [text, values] of [
    ['$user.age', ['30']],
    ['$user.boss', ['bob']],
    ['$user.boss.age', ['50']],
    ['$user.teams', ['blues', 'reds']],
    ['$user.teams.name', ['Blues', 'Reds']],
    ['$user.teams.firm', ['firm']],
    ['$user.teams.firm.city', ['Rome']],
    ['$user.boss.teams', ['greens', 'reds']],
  ] as const) {
    it(`reads the published values of ${text}`, async () => {
      expect(await read(text)).to.deep.equal(values)
    })
  }

  it('reads no value of an unknown user', async () => {
    expect(await read('$user.teams', 'nobody')).to.deep.equal([])
    expect(await read('$user.age', 'nobody')).to.deep.equal([])
  })

  it('leaves out paths with more values than a condition takes', async () => {
    const members = ['many']
    const teams = Array.from({ length: 1_001 }, (_, index) => ({
      _id: `many${index}`,
      documentId: `many${index}`,
      name: 'n',
      members,
    }))
    await insert('api::team.team', teams)
    expect(await read('$user.teams', 'many')).to.equal(undefined)
  })
})
