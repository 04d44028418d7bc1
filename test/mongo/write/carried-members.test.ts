import { expect } from 'chai'
import { COMMITS } from '../../../src/mongo/connection/commit-record.ts'
import type { CommitItem } from '../../../src/mongo/connection/database.ts'
import { carryMembers } from '../../../src/mongo/write/carried-members.ts'
import {
  documentIdOf,
  openRuledWorld,
  type RuledWorld,
  type RuledWrite,
  USERS,
} from '../../changes/sync/ruled-world.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const [ANNA = '', BEN = ''] = USERS

describe('the states in commit items', () => {
  let test: TestDatabase
  let world: RuledWorld

  before(async () => {
    test = await openTestDatabase('carried_members')
    world = await openRuledWorld(test.database)
  })
  after(() => test.drop())
  beforeEach(async () => {
    await world.clear()
    const rules = ['note', 'page'].map((kind) => ({
      action: `api::${kind}.${kind}.sync`,
      where: { owner: '$user', rank: 1 },
    }))
    await world.setRules(rules, [])
    await world.principalOf(ANNA)
  })

  const write = (
    kind: RuledWrite['kind'],
    what: RuledWrite['what'],
    data: object = {},
    more: Partial<RuledWrite> = {},
  ): Promise<void> =>
    world.write({
      kind,
      document: 0,
      locale: 'en',
      what,
      data: { ...data },
      isStale: false,
      ...more,
    })

  const states = async (kind: RuledWrite['kind']): Promise<readonly unknown[]> => {
    const rows = await test.database
      .table<{ readonly _id: string; readonly items?: readonly CommitItem[] }>(COMMITS)
      .find({ 'items.documentId': documentIdOf(kind, 0) })
      .sort({ _id: 1 })
      .toArray()
    return rows.map(({ items = [] }) =>
      items.map(({ op, locale, status, was, is }) => [
        [op, locale, status].filter((one) => one !== '').join(' '),
        was === undefined ? 'unknown' : was,
        is === undefined ? 'unknown' : is,
      ]),
    )
  }

  it('are those before and after each write', async () => {
    await write('note', 'put', { owner: ANNA, rank: 1, title: 'hidden' })
    await write('note', 'put', { owner: BEN })
    await write('note', 'delete')
    const [annas, bens] = [ANNA, BEN].map((owner) => ({ owner, rank: 1 }))
    expect(await states('note')).to.deep.equal([
      [['put published', null, annas]],
      [['put published', annas, bens]],
      [['delete published', bens, 'unknown']],
    ])
  })

  it('include those of other locales and of published versions', async () => {
    await write('page', 'put', { owner: ANNA, rank: 0 })
    await write('page', 'put', { rank: 1 }, { locale: 'fr' })
    await write('page', 'publish')
    await write('page', 'put', { rank: 0 })
    await write('page', 'publish')
    await write('page', 'unpublish')
    const of = (rank: number, owner: string | null = ANNA): object => ({ owner, rank })
    expect(await states('page')).to.deep.equal([
      [['put en draft', null, of(0)]],
      [
        ['put fr draft', null, of(1, null)],
        ['put en draft', of(0), of(1)],
      ],
      [
        ['put en draft', of(1), of(1)],
        ['put en published', null, of(1)],
      ],
      [
        ['put en draft', of(1), of(0)],
        ['put fr draft', of(1, null), of(0, null)],
      ],
      [
        ['put en draft', of(0), of(0)],
        ['put en published', of(1), of(0)],
      ],
      [['delete en published', of(0), 'unknown']],
    ])
  })

  it('are unknown for writers that do not know the rules', async () => {
    await write('note', 'put', { owner: ANNA }, { isStale: true })
    await write('note', 'put', { owner: BEN, rank: 1 }, { isStale: true })
    await write('note', 'put', { rank: 0 })
    expect(await states('note')).to.deep.equal([
      [['put published', 'unknown', 'unknown']],
      [['put published', 'unknown', 'unknown']],
      [['put published', { owner: BEN, rank: 1 }, { owner: BEN, rank: 0 }]],
    ])
  })

  it('are unknown above one KiB', async () => {
    const plans = [...world.schema.contentTypes.values()]
    carryMembers(plans, new Map([['api::note.note', new Set(['secret', 'title'])]]))
    const of = (letter: string, length = 250): object => {
      const text = letter.repeat(length)
      return { secret: text, title: text }
    }
    await write('note', 'put', of('a'))
    await write('note', 'put', of('b'))
    await write('note', 'put', of('c', 1))
    expect(await states('note')).to.deep.equal([
      [['put published', null, of('a')]],
      [['put published', 'unknown', 'unknown']],
      [['put published', of('b'), of('c', 1)]],
    ])
  })
})
