import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { encodeDocument } from '../../src/bson/encode.ts'
import { toDocument } from '../../src/bson/values.ts'
import { CommandError } from '../../src/errors.ts'
import { ensureCollection, openData } from '../../src/storage/database.ts'
import { groupCommits } from '../../src/storage/group-commits.ts'
import { openHistory } from '../../src/storage/history.ts'
import type { History, Operation } from '../../src/storage/history.ts'
import { openStore } from '../../src/storage/store.ts'
import { applyUnit, createUnit, insertRecord } from '../../src/storage/write-unit.ts'
import { temporaryFolder } from '../contract/targets.ts'

function operation(name: string, bytes = 10): Operation {
  return {
    kind: 'insert',
    database: 'd',
    collection: name,
    before: null,
    after: Buffer.alloc(bytes),
  }
}

function write(history: History, ...names: readonly string[]): void {
  history.add(
    names.map((name) => operation(name)),
    null,
  )
  history.commit()
}

function namesAfter(history: History, seq: number): readonly string[] {
  return [...history.readAfter(seq)].map(({ collection }) => collection)
}

function codeOf(work: () => unknown): number | null {
  try {
    work()
    return null
  } catch (error) {
    return error instanceof CommandError ? error.code : -1
  }
}

describe('the history of changes', () => {
  it('keeps no event before the first stream', () => {
    const history = openHistory()
    write(history, 'a')
    history.start()
    write(history, 'b')
    expect(namesAfter(history, 0)).to.deep.equal(['b'])
  })

  it('forgets the events of an undone write', () => {
    const history = openHistory()
    history.start()
    history.add([operation('undone')], null)
    history.discard()
    write(history, 'a', 'b')
    expect(namesAfter(history, 0)).to.deep.equal(['a', 'b'])
  })

  it('has no events of a write that is undone after its changes', async () => {
    const directory = temporaryFolder()
    const data = openData(openStore({ directory, durable: false }))
    const writes = groupCommits(data)
    data.history.start()
    const insert = (name: string): void => {
      const unit = createUnit()
      const document = toDocument({ _id: name })
      const collection = ensureCollection(data, 'd', name)
      insertRecord(data, unit, collection, encodeDocument(document), document)
      applyUnit(data, unit)
    }
    const failed = writes.write(() => {
      insert('undone')
      throw new Error('after its changes')
    })
    const written = writes.write(() => insert('kept'))
    expect(await failed.catch((error: unknown) => (error as Error).message)).to.equal(
      'after its changes',
    )
    await written
    expect(namesAfter(data.history, 0)).to.deep.equal(['kept'])
    writes.close()
    await data.store.close()
    rmSync(directory, { recursive: true })
  })

  it('forgets the oldest events above its limits, and refuses to read after them', () => {
    for (const limits of [
      { events: 3, bytes: Infinity },
      { events: Infinity, bytes: 3 * 210 },
    ]) {
      const history = openHistory(limits)
      history.start()
      for (let n = 1; n <= 10; n++) write(history, `c${n}`)
      expect(namesAfter(history, 7)).to.deep.equal(['c8', 'c9', 'c10'])
      expect(codeOf(() => namesAfter(history, 6))).to.equal(286)
    }
  })

  it('refuses a reader that is overtaken between two events', () => {
    const history = openHistory({ events: 3, bytes: Infinity })
    history.start()
    write(history, 'a', 'b', 'c')
    const events = history.readAfter(0)[Symbol.iterator]()
    expect(events.next().value?.collection).to.equal('a')
    write(history, 'd', 'e', 'f')
    expect(codeOf(() => events.next())).to.equal(286)
  })

  it('hides events while it is held, and forgets them after a roll-back', () => {
    const history = openHistory()
    history.start()
    write(history, 'a')
    history.hold()
    write(history, 'b')
    expect(namesAfter(history, 0)).to.deep.equal(['a'])
    history.rollBack()
    history.release()
    write(history, 'c')
    expect(namesAfter(history, 0)).to.deep.equal(['a', 'c'])
  })

  it('wakes readers that wait, and ends their wait at a shutdown', async () => {
    const history = openHistory()
    history.start()
    const changed = history.changed(60_000)
    write(history, 'a')
    await changed
    await history.changed(1)
    const closed = history.changed(60_000).catch((error: unknown) => (error as CommandError).code)
    history.close()
    expect(await closed).to.equal(11600)
  })
})
