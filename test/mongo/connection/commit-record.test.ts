import { expect } from 'chai'
import { BSON, type ClientSession, MongoClient } from 'mongodb'
import {
  assertLater,
  authorshipOf,
  beginCommit,
  beginNextCommit,
  CommitBehind,
  commitId,
  commitIdOf,
  dropCommit,
  itemsOf as notedItems,
  MAX_ITEMS,
  type NotedItem,
  noteItems,
  noteRow,
  rowIdsOf,
  rowsOf,
  takeRows,
  timeOfCommit,
} from '../../../src/mongo/connection/commit-record.ts'
import { currentAuthorship, writingAs } from '../../../src/mongo/connection/authorship.ts'
import type { CommitItem } from '../../../src/mongo/connection/database.ts'
import { HISTORY_PREFIX } from '../../../src/mongo/connection/history-rows.ts'

const by = { kind: 'apiToken', id: 1, name: 'app' }

function itemsOf(count: number): readonly CommitItem[] {
  return Array.from({ length: count }, (_, index) => itemOf(String(index)))
}

function itemOf(documentId: string): CommitItem {
  const version = { locale: '', status: 'published', op: 'put', revision: 'r' } as const
  return { type: 'api::a.a', documentId, ...version }
}

describe('commitId', () => {
  it('is later than all earlier ids and a given id', () => {
    const ids = Array.from({ length: 1_000 }, () => commitId(null))
    expect(ids).to.deep.equal([...ids].sort())
    expect(new Set(ids).size).to.equal(ids.length)
    expect(Math.abs(timeOfCommit(ids[0] ?? '').getTime() - Date.now())).to.be.below(60_000)
    const ahead = `${(Date.now() + 3_000).toString(16).padStart(12, '0')}ffffffffffff`
    const next = commitId(ahead)
    expect(next > ahead).to.equal(true)
    expect(commitId(null) > ahead, 'as the clock of this process from then on').to.equal(true)
  })

  it('is unique and in order for more than 65,536 ids of a millisecond', () => {
    const ahead = commitId(commitId(null)).slice(0, 12)
    // Later tests of this process compare the times of commits with its clock.
    const future = (Number.parseInt(ahead, 16) + 20_000).toString(16).padStart(12, '0')
    const ids = [commitId(`${future}000000000000`)]
    while (ids.length < 70_000) ids.push(commitId(null))
    const sorted = ids.map((id) => id.slice(0, 16))
    expect(ids.every((id) => /^[0-9a-f]{24}$/.test(id))).to.equal(true)
    expect(sorted.every((id, index) => index === 0 || id > (sorted[index - 1] ?? ''))).to.equal(
      true,
    )
    const milliseconds = ids.map((id) => timeOfCommit(id).getTime() - Number.parseInt(future, 16))
    expect([...new Set(milliseconds)]).to.deep.equal([1, 2])
    expect(milliseconds.indexOf(2)).to.equal(65_536)
  })

  it('has a random end, which differs between processes', () => {
    const ends = Array.from({ length: 100 }, () => commitId(null).slice(16))
    expect(new Set(ends).size).to.equal(100)
  })
})

describe('rows of a commit', () => {
  const ITEM: CommitItem = { ...itemOf('one'), isNew: true }

  it('name the author, the time and the cause', () => {
    const id = commitId(null)
    const row = { _id: id, pending: 1, states: 1, at: timeOfCommit(id), by, requestId: 'r1' }
    expect(rowsOf({ id, by, requestId: 'r1' }, [ITEM])).to.deep.equal([{ ...row, items: [ITEM] }])
    expect(rowsOf({ id, by, requestId: 'r1', via: 'restore' }, [ITEM])).to.deep.equal([
      { ...row, via: 'restore', items: [ITEM] },
    ])
  })

  it('do not exist without items', () => {
    expect(rowsOf({ id: commitId(null), by, requestId: null }, [])).to.deep.equal([])
  })

  describe('carry the compared members of an item', () => {
    const carried = (item: CommitItem): CommitItem | undefined =>
      rowsOf({ id: commitId(null), by, requestId: null }, [item])[0]?.items[0]
    const sized = (bytes: number, name: 'is' | 'was') => {
      const empty = BSON.calculateObjectSize({ [name]: { text: '' } })
      return { [name]: { text: 'a'.repeat(bytes - empty) } }
    }

    for (const item of [
      { ...ITEM, was: null, is: { open: true } },
      { ...ITEM, was: { open: true } },
      { ...ITEM, ...sized(1_024, 'is') },
      { ...ITEM, ...sized(1_024, 'was') },
    ]) {
      it(`up to 1 KiB: ${Object.keys(item).slice(7).join(' and ')}`, () => {
        expect(carried(item)).to.deep.equal(item)
      })
    }

    for (const members of [
      sized(1_025, 'is'),
      sized(1_025, 'was'),
      { ...sized(1_025, 'is'), was: null },
      { ...sized(600, 'is'), ...sized(600, 'was') },
    ]) {
      it(`not beyond 1 KiB: ${Object.keys(members).join(' and ')}`, () => {
        expect(carried({ ...ITEM, ...members })).to.deep.equal(ITEM)
      })
    }
  })

  it('contain up to a thousand items each', () => {
    const id = commitId(null)
    const commit = { id, by, requestId: 'r1' }
    const [only, ...none] = rowsOf(commit, itemsOf(MAX_ITEMS))
    expect([only?._id, only?.part, none.length]).to.deep.equal([id, undefined, 0])
    const rows = rowsOf(commit, itemsOf(2 * MAX_ITEMS + 1))
    expect(rows.map(({ items, part }) => [items.length, part])).to.deep.equal([
      [1_000, [0, 3]],
      [1_000, [1, 3]],
      [1, [2, 3]],
    ])
    const ids = rows.map(({ _id }) => _id)
    expect(ids).to.deep.equal([...ids].sort())
    expect(
      [commitId(id), id].every((other) => !(other > (ids[0] ?? '') && other < (ids[2] ?? ''))),
    ).to.equal(true)
  })
})

describe('the commit of a transaction', () => {
  const client = new MongoClient('mongodb://127.0.0.1')
  let session: ClientSession
  const ITEM = itemOf('one')

  beforeEach(() => {
    session = client.startSession()
    beginCommit(session, { by, requestId: 'r1' }, null)
  })
  afterEach(() => session.endSession())
  after(() => client.close())

  it('belongs to the session that began it', async () => {
    const other = client.startSession()
    expect(() => commitIdOf(other)).to.throw('no transaction of `transact`')
    await other.endSession()
  })

  it('has a higher id than the given one', () => {
    const after = `${(Date.now() + 60_000).toString(16).padStart(12, '0')}000000000000`
    beginCommit(session, { by, requestId: null }, after)
    expect(commitIdOf(session) > after).to.equal(true)
  })

  it('names its author, and restores as such', () => {
    expect(authorshipOf(session)).to.deep.equal({ by, requestId: 'r1' })
    beginCommit(session, { by, requestId: null, via: 'restore' }, null)
    expect(authorshipOf(session)).to.deep.equal({ by, requestId: null, via: 'restore' })
  })

  it('has the last change of each version, in the order of these changes', () => {
    const others: readonly NotedItem[] = [
      { ...ITEM, type: 'api::b.b' },
      { ...ITEM, documentId: 'two' },
      { ...ITEM, locale: 'en' },
      { ...ITEM, status: 'draft' },
    ]
    noteItems(session, [ITEM, ...others])
    noteItems(session, [{ ...ITEM, revision: 'later' }])
    expect(notedItems(session)).to.deep.equal([...others, { ...ITEM, revision: 'later' }])
  })

  for (const { title, first, last, noted } of [
    {
      title: 'before the first change',
      first: { was: { a: 1 } },
      last: { was: { a: 2 } },
      noted: { was: { a: 1 } },
    },
    { title: 'of no version', first: { was: null }, last: { was: { a: 2 } }, noted: { was: null } },
    { title: 'that is unknown', first: {}, last: { was: { a: 2 } }, noted: {} },
  ]) {
    it(`keeps the state ${title} of a version`, () => {
      noteItems(session, [{ ...ITEM, ...first, is: { a: 2 } }])
      noteItems(session, [{ ...ITEM, ...last, is: { a: 3 } }])
      expect(notedItems(session)).to.deep.equal([{ ...ITEM, ...noted, is: { a: 3 } }])
    })
  }

  it('marks a version that it created, until it deletes it', () => {
    noteItems(session, [{ ...ITEM, isNew: true }])
    noteItems(session, [{ ...ITEM, revision: 'later' }])
    expect(notedItems(session)).to.deep.equal([{ ...ITEM, revision: 'later', isNew: true }])
    noteItems(session, [{ ...ITEM, op: 'delete' }])
    expect(notedItems(session)).to.deep.equal([{ ...ITEM, op: 'delete' }])
    noteItems(session, [ITEM])
    expect(notedItems(session)).to.deep.equal([ITEM])
  })

  it('records changes of rows without versions', () => {
    noteRow(session, 'put', { type: 'role', documentId: '1' })
    noteRow(session, 'delete', {
      type: 'review',
      documentId: '2',
      locale: 'en',
      entryType: 'api::a.a',
    })
    const row = { status: 'published', revision: null } as const
    expect(notedItems(session)).to.deep.equal([
      { ...row, type: 'role', documentId: '1', locale: '', op: 'put' },
      {
        ...row,
        type: 'review',
        documentId: '2',
        locale: 'en',
        op: 'delete',
        entryType: 'api::a.a',
      },
    ])
  })

  it('is written once, and takes no items afterwards', () => {
    expect(takeRows(session)).to.deep.equal([])
    noteItems(session, [ITEM])
    const id = commitIdOf(session)
    expect(rowIdsOf(session)).to.deep.equal([id])
    expect(takeRows(session)).to.deep.equal(rowsOf({ id, by, requestId: 'r1' }, [ITEM]))
    expect(takeRows(session)).to.deep.equal([])
    expect(() => noteItems(session, [ITEM])).to.throw('written already')
  })

  it('stores the contents of versions in rows of their own', () => {
    noteItems(session, [{ ...ITEM, content: { title: 'a' } }, itemOf('two')])
    const [row, history, ...others] = takeRows(session)
    expect(row).to.deep.include({ history: 1, items: [ITEM, itemOf('two')] })
    expect(history?._id).to.equal(`${HISTORY_PREFIX}one:${commitIdOf(session)}`)
    expect(others).to.deep.equal([])
    expect(rowIdsOf(session)).to.deep.equal([commitIdOf(session)])
  })

  it('names the rows of its parts', () => {
    noteItems(session, itemsOf(MAX_ITEMS + 1))
    const id = commitIdOf(session)
    const ids = [`${id}.000000`, `${id}.000001`]
    expect(rowIdsOf(session)).to.deep.equal(ids)
    expect(takeRows(session).map(({ _id }) => _id)).to.deep.equal(ids)
  })

  it('is followed by commits of other authors', () => {
    noteItems(session, [ITEM])
    const first = commitIdOf(session)
    const other = { by: { ...by, name: 'other' }, requestId: 'r2' }
    beginNextCommit(session, other)
    expect(authorshipOf(session)).to.deep.equal(other)
    noteItems(session, [itemOf('two')])
    const second = commitIdOf(session)
    expect(second > first).to.equal(true)
    expect(rowIdsOf(session)).to.deep.equal([first, second])
    expect(notedItems(session)).to.deep.equal([ITEM, itemOf('two')])
    expect(takeRows(session)).to.deep.equal([
      ...rowsOf({ id: first, by, requestId: 'r1' }, [ITEM]),
      ...rowsOf({ id: second, ...other }, [itemOf('two')]),
    ])
  })

  it('forgets the changes of the last author only', () => {
    noteItems(session, [ITEM])
    beginNextCommit(session, { by, requestId: 'r2' })
    noteItems(session, [itemOf('two')])
    dropCommit(session)
    expect(notedItems(session)).to.deep.equal([ITEM])
    expect(takeRows(session)).to.have.lengthOf(1)
  })

  it('is behind a later commit, in a transaction only', () => {
    const later = commitId(null)
    expect(() => assertLater(session, later)).to.not.throw()
    session.startTransaction()
    for (const before of [undefined, null, 5, '', commitIdOf(session)]) {
      expect(() => assertLater(session, before)).to.not.throw()
    }
    expect(() => assertLater(session, later))
      .to.throw(CommitBehind, `after ${later}`)
      .that.includes({ name: 'CommitBehind', after: later })
  })
})

describe('writingAs', () => {
  it('applies only to work inside the call', async () => {
    const seen: unknown[] = []
    const note = (): void => void seen.push(currentAuthorship().by.name)
    await Promise.all([
      writingAs({ by, requestId: null }, async () => {
        await Promise.resolve()
        note()
      }),
      writingAs({ by: { ...by, name: 'other' }, requestId: null }, async () => {
        note()
        await Promise.resolve()
      }),
      Promise.resolve().then(note),
    ])
    note()
    expect(seen).to.have.members(['app', 'other', null, null])
  })

  it('applies to work that starts while another call ends', async () => {
    let letGo = (): void => undefined
    const held = new Promise<void>((resolve) => (letGo = resolve))
    const long = writingAs({ by, requestId: null }, async () => {
      await held
      return currentAuthorship().by.name
    })
    await writingAs({ by: { ...by, name: 'short' }, requestId: null }, () => Promise.resolve())
    letGo()
    expect(await long).to.equal('app')
  })
})
