import { expect } from 'chai'
import { ServiceUnavailableError } from '../../../src/base/errors.ts'
import {
  openWriteTurns,
  TurnTaken,
  type WriteTurn,
} from '../../../src/mongo/sharing/write-turns.ts'
import type { Caller } from '../../../src/base/caller.ts'

const DAY_MS = 86_400_000

describe('turns of writers', () => {
  const limits = (caller: Caller | null = null, ms = DAY_MS) => ({
    deadline: performance.now() + ms,
    caller,
  })
  /** Waits for keys after an attempt found one of them taken. */
  const waitFor = (turn: WriteTurn, keys: readonly string[], given = limits()): Promise<void> => {
    expect(() => turn.take(keys)).to.throw(TurnTaken)
    return turn.wait(given)
  }
  const refusal = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => error,
    )
  /** Lets all pending callbacks run. */
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  it('follow the order of arrival', async () => {
    const turns = openWriteTurns()
    const first = turns.begin()
    first.take(['a'])
    const order: number[] = []
    const others = Array.from({ length: 40 }, async (_, index) => {
      const turn = turns.begin()
      await waitFor(turn, ['a'])
      order.push(index)
      await settle()
      turn.release()
    })
    await settle()
    expect(order).to.deep.equal([])
    first.release()
    await Promise.all(others)
    expect(order).to.deep.equal(Array.from({ length: 40 }, (_, index) => index))
    expect(turns.begin().tryTake(['a'])).to.equal(true)
  })

  it('do not wait for writers of other keys', () => {
    const turns = openWriteTurns()
    turns.begin().take(['a'])
    turns.begin().take(['b'])
    expect(turns.begin().tryTake(['c'])).to.equal(true)
  })

  it('take all keys or none', () => {
    const turns = openWriteTurns()
    turns.begin().take(['a'])
    expect(turns.begin().tryTake(['b', 'a'])).to.equal(false)
    expect(turns.begin().tryTake(['b'])).to.equal(true)
  })

  it("do not deadlock if two writers need each other's keys", async () => {
    const turns = openWriteTurns()
    const one = turns.begin()
    const other = turns.begin()
    one.take(['a'])
    other.take(['b'])
    const done: string[] = []
    const run = async (turn: WriteTurn, name: string, key: string): Promise<void> => {
      await waitFor(turn, [key])
      done.push(name)
      turn.release()
    }
    await Promise.all([run(one, 'one', 'b'), run(other, 'other', 'a')])
    expect(done).to.have.members(['one', 'other'])
    expect(turns.begin().tryTake(['a', 'b'])).to.equal(true)
  })

  it('let no later writer pass one that also waits for another key', async () => {
    const turns = openWriteTurns()
    const holder = turns.begin()
    holder.take(['a'])
    const waiting = turns.begin()
    const begun = waitFor(waiting, ['a', 'b'])
    expect(turns.begin().tryTake(['b'])).to.equal(false)
    holder.release()
    await begun
    waiting.release()
    expect(turns.begin().tryTake(['b'])).to.equal(true)
  })

  it('skip a writer after its deadline', async () => {
    const turns = openWriteTurns()
    const holder = turns.begin()
    holder.take(['a'])
    const late = refusal(waitFor(turns.begin(), ['a', 'b'], limits(null, 0)))
    const next = turns.begin()
    const begun = waitFor(next, ['a'])
    expect(await late).to.be.instanceOf(ServiceUnavailableError)
    expect(turns.begin().tryTake(['b'])).to.equal(true)
    holder.release()
    await begun
  })

  it('skip a writer if its caller leaves before or during the wait', async () => {
    const turns = openWriteTurns()
    const holder = turns.begin()
    holder.take(['a'])
    const listeners = new Set<() => void>()
    const callerThat = (hasLeft: boolean): Caller => ({
      hasLeft: () => hasLeft,
      onLeave: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    })
    const leaving = refusal(waitFor(turns.begin(), ['a'], limits(callerThat(false))))
    const gone = refusal(waitFor(turns.begin(), ['a'], limits(callerThat(true))))
    const next = turns.begin()
    const begun = waitFor(next, ['a'])
    expect(await gone).to.be.instanceOf(ServiceUnavailableError)
    expect(listeners.size).to.equal(1)
    for (const leave of listeners) leave()
    expect(await leaving).to.be.instanceOf(ServiceUnavailableError)
    expect(listeners.size).to.equal(0)
    holder.release()
    await begun
  })

  it('refuse a writer beyond the queue limit and release its keys', async () => {
    const turns = openWriteTurns()
    const holder = turns.begin()
    holder.take(['a'])
    const waiting = Array.from({ length: 199 }, async () => {
      const turn = turns.begin()
      await waitFor(turn, ['a'])
      turn.release()
    })
    const late = turns.begin()
    late.take(['b'])
    const refused = await refusal(waitFor(late, ['a']))
    expect(() => turns.begin().take(['a'])).to.throw('Too many writes wait')
    expect(refused).to.include({ status: 503, errorCode: 'overloaded' })
    expect(turns.begin().tryTake(['b'])).to.equal(true)
    holder.release()
    await Promise.all(waiting)
    expect(turns.begin().tryTake(['a'])).to.equal(true)
  })
})
