import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { open } from 'lmdb'
import type { RootDatabase } from 'lmdb'
import type { Value } from '../../src/bson/values.ts'
import { decodeDocument } from '../../src/bson/decode.ts'
import { encodeDocument } from '../../src/bson/encode.ts'
import { toDocument } from '../../src/bson/values.ts'
import type { Document } from '../../src/bson/values.ts'
import { NO_DEADLINE } from '../../src/deadline.ts'
import { CommandError } from '../../src/errors.ts'
import { openReader } from '../../src/server/reader-process.ts'
import type { Reader } from '../../src/server/reader-process.ts'
import { ensureCollection, openData } from '../../src/storage/database.ts'
import type { Data } from '../../src/storage/database.ts'
import { groupCommits } from '../../src/storage/group-commits.ts'
import type { GroupCommits } from '../../src/storage/group-commits.ts'
import { encodeNumberKey, openStore } from '../../src/storage/store.ts'
import { applyUnit, insertRecord, createUnit } from '../../src/storage/write-unit.ts'
import { temporaryFolder } from '../contract/targets.ts'

const HEAP_MEGABYTES = 48
/** Longer than the wait for a command of one second. */
const SLOW_START = 'await new Promise((resolve) => setTimeout(resolve, 1_700))'
/** Announces that it has opened the data file when the test has created a file. */
const readyAfter = (file: string): string => `import { existsSync } from 'node:fs'
const send = process.send.bind(process)
process.send = (message) => {
  if (message !== 'ready') return send(message)
  const timer = setInterval(() => {
    if (!existsSync(${JSON.stringify(file)})) return
    clearInterval(timer)
    send(message)
  }, 5)
}`
const KILLED_WHILE_OPENING = "process.once('message', () => process.kill(process.pid, 'SIGKILL'))"
/** The engine stops a long match by itself. This command cannot be stopped. */
const ENDLESS_MATCH = `import { Script } from 'node:vm'
Script.prototype.runInContext = () => { for (;;); }`

function object(value: unknown): Value {
  return Array.isArray(value)
    ? (value as readonly unknown[]).map(object)
    : value instanceof Object
      ? toDocument(Object.fromEntries(Object.entries(value).map(([k, v]) => [k, object(v)])))
      : (value as Value)
}

function body(command: object): Buffer {
  return Buffer.from(encodeDocument(object({ ...command, $db: 'a' }) as Document))
}

describe('the reader process', function () {
  this.slow(5_000)
  let directory: string
  let data: Data
  let table: RootDatabase
  let reader: Reader
  let ended = 0
  let isOpen = true
  let onEnd: () => void = () => undefined
  let onHold: () => void = () => undefined
  let writes: GroupCommits

  before(() => {
    directory = temporaryFolder()
    data = openData(openStore({ directory, durable: false }))
    writes = groupCommits(data)
    table = open({ path: join(directory, 'data.mdb'), maxDbs: 8 })
    reader = openReader({
      directory,
      durable: false,
      address: 'test',
      nullOverLists: false,
      heapMegabytes: HEAP_MEGABYTES,
      news: () => ({ commit: data.store.lastCommit(), changes: data.changes.take() }),
      holdCommits: () => {
        const release = writes.hold()
        onHold()
        return release
      },
      afterwards: () => {
        ended++
        if (isOpen) data.store.releaseDeadReaders()
        onEnd()
      },
    })
    for (let i = 0; i < 20; i++) insert(i)
  })

  after(async () => {
    isOpen = false
    reader.stop()
    await table.close()
    await data.store.close()
    rmSync(directory, { recursive: true, force: true })
  })

  function insert(id: number): void {
    data.store.write(() => {
      const unit = createUnit()
      const document = toDocument({ _id: id })
      const rows = ensureCollection(data, 'a', 'rows')
      insertRecord(data, unit, rows, Buffer.from(encodeDocument(document)), document)
      applyUnit(data, unit)
    })
    data.commits++
  }

  const ask = async (command: object, deadline = NO_DEADLINE): Promise<Document> =>
    decodeDocument((await reader.ask(body(command), deadline)).bytes)

  const refusal = (asked: Promise<unknown>): Promise<unknown> =>
    asked.then(
      () => null,
      (error: unknown) => (error instanceof CommandError ? error.codeName : error),
    )

  /**
   * The snapshots of other processes, from LMDB's reader table: lines of process, thread and
   * transaction.
   */
  const snapshotsHeld = (): readonly string[] =>
    table
      .readerList()
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([pid, , snapshot = '-']) => Number(pid) !== process.pid && /^\d+$/.test(snapshot))
      .map(([, , snapshot = '']) => snapshot)

  const RANGE = { $range: [0, 1_000_000] }
  /** A pipeline over some hundred million objects. */
  const hungry = {
    aggregate: 'rows',
    pipeline: [
      { $project: { all: { $map: { input: RANGE, in: { n: '$$this' } } } } },
      { $group: { _id: null, all: { $push: '$all' } } },
    ],
    cursor: {},
  }
  const endless = {
    find: 'rows',
    filter: { $expr: { $regexMatch: { input: 'a'.repeat(50) + '!', regex: '^(a+)+$' } } },
  }

  it('reads all commits so far, including new and dropped collections', async () => {
    expect(await ask({ count: 'rows' })).to.include({ n: 20, ok: 1 })
    insert(20)
    expect(await ask({ count: 'rows', query: { _id: { $gte: 0 } } })).to.include({ n: 21 })
    data.store.write(() => {
      const unit = createUnit()
      const document = toDocument({ _id: 1 })
      const more = ensureCollection(data, 'a', 'more')
      insertRecord(data, unit, more, Buffer.from(encodeDocument(document)), document)
      applyUnit(data, unit)
    })
    data.commits++
    expect(await ask({ count: 'more' })).to.include({ n: 1 })
  })

  /** Code that runs first in each process that is started during the test. */
  const startedWith = async (code: string, work: () => Promise<void>): Promise<void> => {
    await ask({ count: 'rows' })
    const stopped = new Promise<void>((resolve) => (onEnd = resolve))
    reader.stop()
    await stopped
    const before = process.env['NODE_OPTIONS']
    process.env['NODE_OPTIONS'] = `--import=data:text/javascript,${encodeURIComponent(code)}`
    try {
      await work()
    } finally {
      if (before === undefined) delete process.env['NODE_OPTIONS']
      else process.env['NODE_OPTIONS'] = before
      reader.stop()
    }
  }

  it('counts the time of a command from its own start', async () => {
    // As on a busy machine, where the start takes longer than the command may.
    await startedWith(SLOW_START, async () => {
      const deadline = { at: performance.now() + 1_000 }
      const answers = await Promise.all([1, 2, 3].map(() => ask({ count: 'rows' }, deadline)))
      for (const answer of answers) expect(answer).to.include({ n: 21 })
    })
  })

  const held = (): Promise<void> => new Promise((resolve) => (onHold = resolve))

  it('opens the data file while no commit ends', async () => {
    const file = join(directory, 'go-on')
    await startedWith(readyAfter(file), async () => {
      const begun = held()
      const answer = ask({ count: 'rows' })
      await begun
      let isCommitted = false
      const write = writes.write(() => undefined).then(() => (isCommitted = true))
      for (let turn = 0; turn < 100; turn++) await setImmediate()
      expect(isCommitted).to.equal(false)
      writeFileSync(file, '')
      await Promise.all([write, answer])
    })
  })

  it('releases commits when it dies while it opens the data file', async () => {
    await startedWith(KILLED_WHILE_OPENING, async () => {
      const begun = held()
      const answer = refusal(ask({ count: 'rows' }))
      await begun
      await writes.write(() => undefined)
      expect(await answer).to.equal('ExceededMemoryLimit')
    })
  })

  it('returns errors like the engine', async () => {
    expect(await ask({ find: 'rows', filter: { $nothing: 1 } })).to.include({ ok: 0, code: 2 })
  })

  it('is killed during an endless command, and its successor runs the next one', async () => {
    await startedWith(ENDLESS_MATCH, async () => {
      await ask({ count: 'rows' })
      const before = ended
      const deadline = { at: performance.now() + 1_500 }
      const [stuck, expired, later] = await Promise.all([
        refusal(ask(endless, deadline)),
        refusal(ask({ count: 'rows' }, { at: performance.now() + 200 })),
        ask({ count: 'rows' }),
      ])
      expect(stuck).to.equal('MaxTimeMSExpired')
      expect(expired).to.equal('MaxTimeMSExpired')
      expect(later).to.include({ n: 21 })
      expect(ended).to.equal(before + 1)
    })
  })

  it('reports a match that takes too long', async () => {
    let answer: Document | null = null
    // A process that a busy machine does not run in time is killed. It gets more time then.
    for (let ms = 300; answer === null && ms < 10_000; ms *= 2) {
      await ask({ count: 'rows' })
      const before = ended
      answer = await ask(endless, { at: performance.now() + ms }).catch(() => null)
      expect(ended === before, 'a process that reports goes on').to.equal(answer !== null)
    }
    expect(answer).to.include({ ok: 0, code: 50 })
  })

  it('ends when it needs too much memory, and the next command starts another process', async () => {
    expect(await refusal(ask(hungry))).to.equal('ExceededMemoryLimit')
    expect(await ask({ count: 'rows' })).to.include({ n: 21 })
  })

  it('pins no pages after its reply', async () => {
    for (let i = 0; i < 20; i++) {
      await ask({ find: 'rows', batchSize: 2 })
      expect(snapshotsHeld()).to.deep.equal([])
    }
  })

  it('pins no pages after it was stopped during a read', async () => {
    let end = Promise.resolve()
    await startedWith(ENDLESS_MATCH, async () => {
      await ask({ count: 'rows' })
      end = new Promise<void>((resolve) => (onEnd = resolve))
      const stuck = refusal(ask(endless))
      while (snapshotsHeld().length === 0) await setImmediate()
      reader.stop()
      expect(await stuck).to.equal('InterruptedAtShutdown')
    })
    await ask({ count: 'rows' })
    await end
    expect(snapshotsHeld()).to.deep.equal([])
    const key = encodeNumberKey(1, 1)
    for (let i = 0; i < 400; i++) {
      data.store.write(() => data.store.put(data.store.records, key, Buffer.alloc(20_000, i)))
    }
    // 8 MB were written. The file grows by whole MiB.
    expect(statSync(join(directory, 'data.mdb')).size).to.be.at.most(4 * 1024 * 1024)
  })
})
