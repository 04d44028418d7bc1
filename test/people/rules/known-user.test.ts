import { expect } from 'chai'
import { createCommandMonitor } from '../../../src/mongo/connection/command-monitor.ts'
import { resolveFilter } from '../../../src/mongo/read/resolve-filter.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { compileRule } from '../../../src/people/rules/compile-rule.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { compile, typeFile } from '../../schema/define.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const USER = 'plugin::users-permissions.user'
const NOTE = 'api::note.note'
const ANN = 'ann'.padEnd(24, '0')

const schema = compile(
  typeFile('note', {
    title: { type: 'string' },
    owner: { type: 'relation', relation: 'manyToOne', target: USER },
    members: { type: 'relation', relation: 'manyToMany', target: USER },
    parent: { type: 'relation', relation: 'manyToOne', target: NOTE },
  }),
)

describe('rules on the signed-in user', () => {
  let test: TestDatabase
  let commands: string[] = []
  before(async () => {
    const monitor = createCommandMonitor('totals')
    monitor.onCommand(({ name }) => commands.push(name))
    test = await openTestDatabase('known_user', {}, { monitor })
  })
  beforeEach(() => {
    commands = []
  })
  after(() => test.drop())

  const matchOf = async (where: Data, user: string | null = ANN): Promise<unknown> => {
    const rule = compileRule(schema, { action: `${NOTE}.find`, where }, [])
    if (!('bindWhere' in rule)) throw new Error(rule[0]?.message ?? 'no rule')
    const filter = rule.bindWhere({ user, now: new Date(0), paths: new Map() })
    const { version, reader } = parseQuery({}, rule.plan, rulesWith('en'))
    return (await resolveFilter(test.database, filter, version, reader)).match
  }

  it('need no command, because the user exists', async () => {
    expect(await matchOf({ owner: '$user' })).to.deep.equal({ owner: { $in: [ANN] } })
    const either = { $or: [{ owner: '$user' }, { members: { documentId: '$user' } }] }
    expect(JSON.stringify(await matchOf(either))).to.include(`{"members":{"$in":["${ANN}"]}}`)
    expect(JSON.stringify(await matchOf({ $not: { owner: '$user' } }))).to.include(ANN)
    expect(commands).to.deep.equal([])
  })

  it('look up other documents, which may be missing', async () => {
    const other = 'ben'.padEnd(24, '0')
    for (const where of [{ owner: other }, { parent: '$user' }, { owner: { username: 'ann' } }]) {
      commands = []
      expect(JSON.stringify(await matchOf(where))).to.not.include(ANN)
      expect(commands, JSON.stringify(where)).to.have.length(1)
    }
  })
})
