import { expect } from 'chai'
import { openChangeClock } from '../../../src/mongo/commits/change-clock.ts'
import type { Head } from '../../../src/mongo/commits/heads.ts'
import type { ObservedLog } from '../../../src/mongo/commits/observe-log.ts'
import type { CommitListener } from '../../../src/mongo/connection/database.ts'

const HEAD: Head = {
  _id: 'main',
  log: 'l',
  seq: 0,
  floor: 0,
  version: 0,
  types: [],
  assigning: null,
}

function observed(more: Partial<ObservedLog> = {}): ObservedLog {
  const startedAt = performance.now()
  return { head: HEAD, commits: [], waiting: null, isWhole: true, startedAt, ...more }
}

const commit = (id: string, ...types: readonly string[]) => ({ id, types })

/** A log whose polls the test answers. */
function openLog() {
  let tell: (seen: ObservedLog) => void = () => undefined
  let tellOwn: CommitListener = () => undefined
  const looks: (() => void)[] = []
  const look = (): Promise<ObservedLog> => {
    const startedAt = performance.now()
    return new Promise((resolve) => {
      looks.push(() => {
        const seen = observed({ startedAt })
        tell(seen)
        resolve(seen)
      })
    })
  }
  const clock = openChangeClock({
    head: () => HEAD,
    look,
    onLook: (listener) => {
      tell = listener
      return () => true
    },
    onOwnCommit: (listener) => {
      tellOwn = listener
      return () => true
    },
  })
  const own = (id: string, type: string): void => {
    const item = { type, documentId: 'd', locale: '', status: 'draft', op: 'put', revision: null }
    tellOwn([item as never], [id])
  }
  return { clock, looks, own, see: (more?: Partial<ObservedLog>) => tell(observed(more)) }
}

describe('the change clock', () => {
  let log: ReturnType<typeof openLog>

  beforeEach(() => {
    log = openLog()
    log.see()
  })

  const changedSince = (since: number): string[] =>
    ['a', 'b'].filter((type) => log.clock.hasChanged([type], since))

  it('counts a commit once through all stages of numbering', () => {
    let since = log.clock.now()
    log.own('1', 'a')
    expect(changedSince(since)).to.deep.equal(['a'])
    since = log.clock.now()
    log.see({ commits: [commit('1', 'a')] })
    expect(changedSince(since)).to.deep.equal([])
    log.see({ commits: [commit('1', 'a'), commit('2', 'b')] })
    expect(changedSince(since)).to.deep.equal(['b'])
    since = log.clock.now()
    const assigning = {
      from: 1,
      ids: ['1', '2'],
      types: [
        { type: 'a', seq: 1 },
        { type: 'b', seq: 2 },
      ],
    }
    log.see({ head: { ...HEAD, assigning } })
    log.see({ head: { ...HEAD, seq: 2 }, commits: [commit('1', 'a'), commit('2', 'b')] })
    expect(changedSince(since)).to.deep.equal([])
  })

  it('counts a commit that it first sees during numbering', () => {
    const since = log.clock.now()
    log.see({
      head: { ...HEAD, assigning: { from: 1, ids: ['1'], types: [{ type: 'b', seq: 1 }] } },
    })
    expect(changedSince(since)).to.deep.equal(['b'])
  })

  it('marks everything as changed after an incomplete read or for another log', () => {
    let since = log.clock.now()
    log.see({ isWhole: false })
    expect(changedSince(since)).to.deep.equal(['a', 'b'])
    since = log.clock.now()
    log.see({ head: { ...HEAD, log: 'another' } })
    expect(changedSince(since)).to.deep.equal(['a', 'b'])
    since = log.clock.now()
    log.see({ head: { ...HEAD, log: 'another' } })
    expect(changedSince(since)).to.deep.equal([])
  })

  it('polls once for all waiting callers if the last poll is too old', async () => {
    await log.clock.settle(60_000)
    expect(log.looks).to.have.length(0)
    const waiting = [log.clock.settle(0), log.clock.settle(60_000)]
    expect(log.looks, 'the second is content with the last look').to.have.length(1)
    for (const answer of log.looks) answer()
    await Promise.all(waiting)
  })

  it('ignores a poll that started too early', async () => {
    const first = log.clock.settle(0)
    const begun = performance.now()
    while (performance.now() === begun);
    const second = log.clock.settle(0)
    expect(log.looks).to.have.length(2)
    for (const answer of log.looks) answer()
    await Promise.all([first, second])
  })
})
