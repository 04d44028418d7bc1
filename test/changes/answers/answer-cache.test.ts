import { expect } from 'chai'
import { type AnswerCache, openAnswerCache } from '../../../src/changes/answers/answer-cache.ts'
import type { CachedAnswer } from '../../../src/changes/answers/cached-answer.ts'

function answerOf(text: string): CachedAnswer {
  return { body: Buffer.from(text), tag: text.slice(0, 8), cacheTags: null, isPersonal: false }
}

/** A clock that the test sets. */
function openClock() {
  let time = 1
  const changed = new Map<string, number>()
  const settled: number[] = []
  return {
    settled,
    change: (type: string): void => {
      time += 1
      changed.set(type, time)
    },
    now: () => time,
    hasChanged: (types: Iterable<string>, since: number) =>
      [...types].some((type) => (changed.get(type) ?? 0) > since),
    settle: (staleMs: number): Promise<void> => {
      settled.push(staleMs)
      return Promise.resolve()
    },
  }
}

describe('the answer cache', () => {
  let clock: ReturnType<typeof openClock>
  let packings: number

  beforeEach(() => {
    clock = openClock()
    packings = 0
  })

  const open = (maxBytes = 1_000_000): AnswerCache =>
    openAnswerCache({
      maxBytes,
      staleMs: 700,
      clock,
      pack: (body, coding) => {
        packings += 1
        return Promise.resolve(Buffer.from(`${coding} ${body.toString()}`))
      },
    })
  const textAt = async (cache: AnswerCache, key: string): Promise<string | null> =>
    (await cache.find(key))?.answer.body.toString() ?? null

  it('keeps an answer until one of its types changes', async () => {
    const cache = open()
    cache.put('k', answerOf('text'), new Set(['a', 'b']), cache.now())
    expect(await textAt(cache, 'k')).to.equal('text')
    clock.change('c')
    expect(await textAt(cache, 'k')).to.equal('text')
    clock.change('b')
    expect(await textAt(cache, 'k')).to.equal(null)
    expect(cache.counts()).to.deep.include({ hits: 2, misses: 1, entries: 0, bytes: 0 })
  })

  it('rejects an answer that was read before a change', async () => {
    const cache = open()
    const since = cache.now()
    clock.change('a')
    expect(cache.put('k', answerOf('old'), new Set(['a']), since)).to.equal(false)
    expect(cache.put('k', answerOf('other'), new Set(['b']), since)).to.equal(true)
    expect(await textAt(cache, 'k')).to.equal('other')
  })

  it('checks for changes of other processes before a hit but not before a miss', async () => {
    const cache = open()
    await cache.find('k')
    expect(clock.settled).to.deep.equal([])
    cache.put('k', answerOf('text'), new Set(['a']), cache.now())
    const settle = clock.settle
    clock.settle = (staleMs) => {
      clock.change('a')
      return settle(staleMs)
    }
    expect(await textAt(cache, 'k')).to.equal(null)
    expect(clock.settled).to.deep.equal([700])
  })

  it('stays within its byte limit, including packed bodies, and evicts the oldest entries', async () => {
    const cache = open(20_000)
    for (let index = 0; index < 40; index += 1) {
      cache.put(`k${index}`, answerOf('x'.repeat(1_000)), new Set(['a']), cache.now())
    }
    const { bytes, entries, evictions } = cache.counts()
    expect(bytes).to.be.at.most(20_000)
    expect(entries + evictions).to.equal(40)
    expect(await textAt(cache, 'k39')).to.have.length(1_000)
    expect(await textAt(cache, 'k0')).to.equal(null)
    await (await cache.find('k39'))?.packed('br')
    expect(cache.counts().bytes).to.be.at.most(20_000)
    expect(cache.counts().entries).to.be.at.most(entries)
  })

  it('rejects an answer of an eighth of its size', () => {
    const cache = open(20_000)
    expect(cache.put('k', answerOf('x'.repeat(2_500)), new Set(['a']), cache.now())).to.equal(false)
    expect(cache.counts().bytes).to.equal(0)
  })

  it('packs a body once', async () => {
    const cache = open()
    cache.put('k', answerOf('text'), new Set(['a']), cache.now())
    const before = cache.counts().bytes
    for (let round = 0; round < 3; round += 1) {
      const found = await cache.find('k')
      expect((await found?.packed('gzip'))?.toString()).to.equal('gzip text')
    }
    expect(packings).to.equal(1)
    expect(cache.counts().bytes).to.equal(before + 'gzip text'.length)
  })
})
