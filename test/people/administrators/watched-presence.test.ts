import { expect } from 'chai'
import { openWatchedPresence } from '../../../src/people/administrators/watched-presence.ts'
import { until } from '../../support/until.ts'

interface Row {
  readonly entry: string
  readonly at: number
}

/** Counts its reads. Every read finds another row in each entry. */
function openCounted() {
  const reads: (readonly string[])[] = []
  const state = { fails: false, holds: null as Promise<void> | null }
  const watched = openWatchedPresence<Row>(async (entries) => {
    reads.push(entries)
    const at = reads.length
    await state.holds
    if (state.fails) throw new Error('no database')
    return entries.map((entry) => ({ entry, at }))
  })
  return { watched, reads, state }
}

describe('watched presence', () => {
  it('reads all entries at once, and nothing without entries', async () => {
    const control = openCounted()
    const stopControl = control.watched.watch('x', () => undefined)
    const { watched, reads } = openCounted()
    const seen: Record<string, number> = {}
    const stops = ['a', 'b', 'b'].map((entry, index) =>
      watched.watch(entry, ([row]) => {
        seen[`${entry}${index}`] = row?.at ?? 0
      }),
    )
    await until(() => Promise.resolve(reads.length >= 3), 20_000)
    expect(reads.every((entries) => entries.join() === 'a,b')).to.equal(true)
    expect(Object.keys(seen)).to.have.members(['a0', 'b1', 'b2'])
    for (const stop of stops) stop()
    expect([watched.has('a'), watched.has('b')]).to.deep.equal([false, false])
    const [count, from] = [reads.length, control.reads.length]
    await until(() => Promise.resolve(control.reads.length >= from + 3), 20_000)
    expect(reads.length).to.equal(count)
    const stop = watched.watch('c', () => undefined)
    await until(() => Promise.resolve(reads.length > count), 20_000)
    expect(reads.at(-1)).to.deep.equal(['c'])
    stop()
    stopControl()
  })

  it('goes on after a failed read', async () => {
    const { watched, reads, state } = openCounted()
    let seen = 0
    state.fails = true
    const stop = watched.watch('a', () => (seen += 1))
    await until(() => Promise.resolve(reads.length >= 2), 20_000)
    expect(seen).to.equal(0)
    state.fails = false
    await until(() => Promise.resolve(seen > 0), 20_000)
    stop()
  })

  it('ignores the rows of a read that began before the last one', async () => {
    const { watched, state } = openCounted()
    const seen: number[] = []
    const stop = watched.watch('a', ([row]) => seen.push(row?.at ?? 0))
    let release = (): void => undefined
    state.holds = new Promise((resolve) => {
      release = resolve
    })
    const slow = watched.refresh('a')
    state.holds = null
    await watched.refresh('a')
    release()
    expect((await slow)[0]?.at).to.equal(1)
    expect(seen[0]).to.equal(2)
    expect(seen).to.not.include(1)
    stop()
  })
})
