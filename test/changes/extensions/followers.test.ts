import { expect } from 'chai'
import * as fc from 'fast-check'
import { listDeadLetters, retryDeadLetters } from '../../../src/changes/extensions/dead-letters.ts'
import { extensionDeliveriesOf } from '../../../src/changes/extensions/delivery-rows.ts'
import { examineFollowers } from '../../../src/changes/extensions/follower-health.ts'
import type { AfterCommit, AfterCommitEvent } from '../../../src/extensions/commit-follower.ts'
import { until } from '../../support/until.ts'
import { ARTICLE, type FollowedLog, openFollowedLog } from './followed-log.ts'

const WAIT_MS = 20_000

describe('afterCommit of extensions', () => {
  let log: FollowedLog
  let seen: AfterCommitEvent[]

  beforeEach(async () => {
    log = await openFollowedLog('followers')
    seen = []
  })
  afterEach(async () => {
    await log.close()
    expect(log.errors).to.deep.equal([])
  })

  const note: AfterCommit = (event) => void seen.push(event)
  const numbers = (documentId?: string): readonly number[] =>
    seen
      .filter((event) => documentId === undefined || event.documentId === documentId)
      .map(({ commit }) => Number(commit.slice('commit '.length)))
  const seenTo = (count: number): Promise<void> =>
    until(() => Promise.resolve(seen.length >= count), WAIT_MS)
  const settled = (): Promise<void> =>
    until(async () => {
      const all = await examineFollowers(log.database)
      return all.every(({ behind, pending }) => behind === 0 && pending === 0)
    }, WAIT_MS)

  it('is called once per commit and document, with all changes of the document', async () => {
    await log.commit({ documents: ['before'] })
    await log.follow({ mirror: note })
    await log.commit(
      { documents: ['a', 'b', 'a'], locale: 'fr' },
      { documents: ['x'], type: 'api::other.other' },
      { documents: ['a'], by: { kind: 'user', id: 'u1', name: 'Ann' } },
    )
    await seenTo(3)
    await settled()
    expect(numbers('a')).to.deep.equal([2, 4])
    expect(numbers('b')).to.deep.equal([2])
    expect(seen.length).to.equal(3)
    const [first, last] = seen.filter(({ documentId }) => documentId === 'a')
    expect(first?.changes.length).to.equal(2)
    expect(first?.changes[0]).to.deep.equal({
      operation: 'put',
      contentType: ARTICLE,
      documentId: 'a',
      locale: 'fr',
      status: 'published',
    })
    expect(last?.by).to.deep.equal({ kind: 'user', id: 'u1', name: 'Ann' })
  })

  it('continues after a restart where it has stopped', async () => {
    const first = await log.follow({ mirror: note })
    await log.commit({ documents: ['a'] })
    await seenTo(1)
    await settled()
    await first.close()
    await log.commit({ documents: ['a'] }, { documents: ['b'] })
    await log.follow({ mirror: note })
    await seenTo(3)
    await settled()
    expect(numbers()).to.have.members([1, 2, 3])
  })

  it('runs in one process at a time, and another one takes over', async () => {
    const order: string[] = []
    const named =
      (name: string): AfterCommit =>
      (event) => {
        order.push(name)
        seen.push(event)
      }
    const first = await log.follow({ mirror: named('first') })
    await log.commit({ documents: ['a'] })
    await seenTo(1)
    await log.follow({ mirror: named('second') })
    for (let count = 2; count <= 10; count += 1) {
      await log.commit({ documents: ['a'] })
      await seenTo(count)
    }
    expect(order).to.deep.equal(Array.from({ length: 10 }, () => 'first'))
    await settled()
    await first.close()
    await log.commit({ documents: ['a'] })
    await seenTo(11)
    expect(order.at(-1)).to.equal('second')
    expect(numbers()).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })

  it('retries a failed document in order while others go on', async () => {
    let isBroken = true
    await log.follow(
      {
        mirror: (event) => {
          if (event.documentId === 'bad' && isBroken) throw new Error('refused')
          seen.push(event)
        },
      },
      { delays: Array.from({ length: 50 }, () => 20) },
    )
    await log.commit({ documents: ['bad', 'good'] })
    await log.commit({ documents: ['bad'] }, { documents: ['good'] })
    await seenTo(2)
    expect(numbers('good')).to.deep.equal([1, 3])
    await until(() => Promise.resolve(log.failures.length >= 3), WAIT_MS)
    const [{ failure } = { failure: null }] = await extensionDeliveriesOf(log.database)
      .find({})
      .toArray()
    expect(failure?.message).to.equal('refused')
    isBroken = false
    await seenTo(4)
    await settled()
    expect(numbers('bad')).to.deep.equal([1, 2])
    expect(log.failures[0]).to.include({ extension: 'mirror', type: ARTICLE })
  })

  it('cuts off a call at its deadline and aborts its signal', async () => {
    let aborted = 0
    await log.follow(
      {
        mirror: (event) => {
          if (event.documentId !== 'slow') return note(event)
          return new Promise((resolve) => {
            event.signal.addEventListener('abort', () => {
              aborted += 1
              seen.push(event)
              resolve()
            })
          })
        },
      },
      { callMs: 300, stepMs: 20, delays: [10, 10] },
    )
    await log.commit({ documents: ['slow'] }, { documents: ['good'] })
    await until(() => Promise.resolve(numbers('good').length === 1), WAIT_MS)
    expect(aborted).to.equal(0)
    await log.commit({ documents: ['good'] })
    await until(() => Promise.resolve(numbers('good').length === 2), WAIT_MS)
    await until(async () => (await listDeadLetters(log.database, 'mirror')).length === 1, WAIT_MS)
    expect(aborted).to.equal(3)
    const [letter] = await listDeadLetters(log.database, null)
    expect(letter?.message).to.equal('afterCommit did not finish within 300 ms')
  })

  it('leaves calls that a stop interrupts to the next process, and counts no failure', async () => {
    const hangs: AfterCommit = (event) => {
      started.push(event.documentId)
      return new Promise(() => undefined)
    }
    const started: string[] = []
    const first = await log.follow({ mirror: hangs }, { stepMs: 5, delays: [1, 1] })
    await log.commit({ documents: ['a', 'b'] }, { documents: ['a'] })
    await until(() => Promise.resolve(started.length === 2), WAIT_MS)
    await until(
      async () => (await extensionDeliveriesOf(log.database).countDocuments()) > 0,
      WAIT_MS,
    )
    await first.close()
    expect(started).to.have.members(['a', 'b'])
    expect(log.failures).to.deep.equal([])
    const rows = await extensionDeliveriesOf(log.database).find({}).toArray()
    for (const { documentId, attempts, failure, deadAt } of rows) {
      expect({ attempts, failure, deadAt }, documentId).to.deep.equal({
        attempts: 0,
        failure: null,
        deadAt: null,
      })
    }
    await log.follow({ mirror: note })
    await seenTo(3)
    await settled()
    expect(numbers('a')).to.deep.equal([1, 2])
    expect(numbers('b')).to.deep.equal([1])
  })

  it('keeps a dead letter, goes on with newer commits, and retries it when asked', async () => {
    let isBroken = true
    await log.follow(
      {
        mirror: (event) => {
          if (event.commit.endsWith('1') && isBroken) throw new Error('never')
          seen.push(event)
        },
      },
      { delays: [5, 5] },
    )
    await log.commit({ documents: ['a'] }, { documents: ['a'] })
    await seenTo(1)
    await settled()
    expect(numbers()).to.deep.equal([2])
    expect(await examineFollowers(log.database)).to.deep.include({
      extension: 'mirror',
      behind: 0,
      pending: 0,
      dead: 1,
      missed: null,
    })
    expect(log.failures.length).to.equal(3)
    isBroken = false
    expect(await retryDeadLetters(log.database, { extension: 'other' }, new Date())).to.equal(0)
    expect(await retryDeadLetters(log.database, { extension: 'mirror' }, new Date())).to.equal(1)
    await seenTo(2)
    await settled()
    expect(numbers()).to.deep.equal([2, 1])
    expect(await listDeadLetters(log.database, null)).to.deep.equal([])
  })

  it('is not called for own commits, and ends a chain of extensions', async () => {
    await log.follow({ mirror: note, other: () => undefined })
    const by = (id: string, depth: number) => ({
      kind: 'extension',
      id: null,
      name: id,
      depth,
    })
    await log.commit(
      { documents: ['own'], by: by('mirror', 1) },
      { documents: ['short'], by: by('other', 4) },
      { documents: ['long'], by: by('other', 5) },
    )
    await seenTo(1)
    await until(async () => (await listDeadLetters(log.database, 'mirror')).length === 1, WAIT_MS)
    await settled()
    expect(seen.map(({ documentId }) => documentId)).to.deep.equal(['short'])
    expect(seen[0]?.content).to.have.nested.property('call.depth', 5)
    const [letter] = await listDeadLetters(log.database, 'mirror')
    expect(letter).to.include({ documentId: 'long', type: ARTICLE })
  })

  it('reports commits that retention has deleted, and another log', async () => {
    const first = await log.follow({ mirror: note })
    await log.commit({ documents: ['a'] })
    await seenTo(1)
    await settled()
    await first.close()
    await log.commit({ documents: ['a'] }, { documents: ['a'] }, { documents: ['a'] })
    await log.database.collection('quire_commits').deleteMany({ seq: { $lte: 3 } })
    await log.move({ floor: 3 })
    await log.follow({ mirror: note })
    await seenTo(2)
    await settled()
    expect(numbers()).to.deep.equal([1, 4])
    expect(log.missed).to.deep.equal([{ extension: 'mirror', from: 2, to: 3 }])
    await log.move({ log: 'of the backup' })
    await until(() => Promise.resolve(log.missed.length === 2), WAIT_MS)
    await log.commit({ documents: ['a'] })
    await seenTo(3)
    expect(numbers()).to.deep.equal([1, 4, 5])
  })

  it('sees every commit at least once and in order, through failures, slow calls and kills', async function () {
    this.timeout(300_000)
    const call = fc.constantFrom('works', 'works', 'fails', 'slow' as const)
    const step = fc.record({
      commits: fc.array(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 3 }), {
        minLength: 1,
        maxLength: 8,
      }),
      calls: fc.array(call, { minLength: 3, maxLength: 12 }),
      isKilled: fc.boolean(),
    })
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), holdsFor)
    await fc.assert(property, { numRuns: 8 })
  })
})

interface ModelStep {
  /** The documents of each commit, by number. */
  readonly commits: readonly (readonly number[])[]
  /** Outcomes of the calls, in turn. */
  readonly calls: readonly string[]
  /** Whether the process dies without storing anything more. */
  readonly isKilled: boolean
}

/** Each step is a process. The last one stays until everything is settled. */
async function holdsFor(steps: readonly ModelStep[]): Promise<void> {
  const model = await openFollowedLog('followers-model')
  const written = new Map<string, string[]>()
  const called: (readonly [document: string, commit: string])[] = []
  const last = { commits: [], calls: [], isKilled: false }
  try {
    for (const step of [...steps, last]) await runProcess(model, step, { written, called })
    for (const [document, commits] of written) {
      const order = called.filter(([one]) => one === document).map(([, commit]) => commit)
      expect([...new Set(order)], document).to.deep.equal(commits)
    }
    expect(model.errors).to.deep.equal([])
  } finally {
    await model.close()
  }
}

interface ModelNotes {
  readonly written: Map<string, string[]>
  readonly called: (readonly [document: string, commit: string])[]
}

async function runProcess(
  model: FollowedLog,
  { commits, calls, isKilled }: ModelStep,
  { written, called }: ModelNotes,
): Promise<void> {
  const killed = new AbortController()
  let turn = 0
  const run: AfterCommit = async ({ documentId, commit }) => {
    if (killed.signal.aborted) return new Promise<never>(() => undefined) // a killed process answers nothing
    const kind = calls[turn % (calls.length + 4)] ?? 'works'
    turn += 1
    if (kind === 'slow') await new Promise((resolve) => setTimeout(resolve, 15))
    if (kind === 'fails') throw new Error('failed')
    called.push([documentId, commit])
  }
  const delays = Array.from({ length: 200 }, () => 5)
  const times = { stepMs: 5, callMs: 500, leaseMs: 50, delays }
  const followers = await model.follow({ mirror: run }, times)
  for (const documents of commits) {
    const names = [...new Set(documents)].map((one) => `d${one}`)
    const id = await model.commit({ documents: names })
    for (const name of names) written.set(name, [...(written.get(name) ?? []), id])
  }
  if (isKilled) {
    killed.abort()
    model.pass(60_000) // its leases end
  } else await until(() => isSettled(model), WAIT_MS)
  await followers.close()
}

async function isSettled(log: FollowedLog): Promise<boolean> {
  const all = await examineFollowers(log.database)
  return all.every(({ behind, pending }) => behind === 0 && pending === 0)
}
