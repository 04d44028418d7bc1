import { expect } from 'chai'
import { buildStep } from '../../../src/changes/search/build-index.ts'
import { checkProposal } from '../../../src/changes/search/check-proposal.ts'
import { indexVersions } from '../../../src/changes/search/index-versions.ts'
import { providedWriter } from '../../../src/changes/search/provided-search.ts'
import type { Indexing } from '../../../src/changes/search/search-writer.ts'
import { openSearchWorld, type SearchWorld } from '../../content/read/search-world.ts'
import { type MemorySearch, openMemorySearch } from '../../support/memory-search.ts'

describe('the search of an extension', () => {
  let world: SearchWorld

  before(async () => {
    world = await openSearchWorld('provided_search')
  })
  after(() => world.close())

  const indexingOf = (provider: MemorySearch, stepMs = 10_000): Indexing => {
    const host = { report: () => undefined, searchTimes: { stepMs } }
    return {
      ...world.indexing(),
      writer: providedWriter({ extension: 'finder', provider, host }),
    }
  }
  const build = async (indexing: Indexing): Promise<void> => {
    while (await buildStep(indexing, world.plan));
  }
  const fill = (...titles: readonly string[]): Promise<void> =>
    world.replacePages(titles.map((title) => ({ title: [title], body: [], isOpen: true, day: 0 })))
  const titlesIn = ({ entries }: MemorySearch): readonly (string | undefined)[] =>
    [...entries.values()].map(({ texts }) => texts['title'])

  it('gets all entries once per version of the provider', async () => {
    await fill('one', 'two')
    const provider = openMemorySearch()
    await build(indexingOf(provider))
    await build(indexingOf(provider))
    expect([titlesIn(provider), provider.cleared]).to.deep.equal([
      ['one', 'two'],
      ['api::page.page'],
    ])
    const [entry] = provider.entries.values()
    expect(entry).to.deep.include({ locale: null, status: 'published' })
    expect(entry?.updatedAt).to.be.instanceOf(Date)
    const newer = openMemorySearch('2')
    await build(indexingOf(newer))
    expect(titlesIn(newer)).to.deep.equal(['one', 'two'])
    await world.build()
    await build(indexingOf(newer))
    expect(newer.cleared.length).to.equal(2)
  })

  it('gets changed and deleted entries', async () => {
    await fill('one', 'two')
    const provider = openMemorySearch()
    await build(indexingOf(provider))
    const ids = [...provider.entries.values()].map(({ documentId }) => `${documentId}::published`)
    await fill('three')
    await indexVersions(indexingOf(provider), world.plan, ids)
    expect(titlesIn(provider)).to.deep.equal(['three'])
  })

  it('fails a step with the name of the extension, also at the deadline', async () => {
    await fill('one')
    const provider = openMemorySearch('failing')
    provider.failures = 1
    const failed = await build(indexingOf(provider)).catch((error: unknown) => error)
    expect(String(failed)).to.equal('Error: Extension finder: providers.search put failed')
    let signal: AbortSignal | undefined
    const hanging: MemorySearch = {
      ...provider,
      put: (step) => {
        signal = step.signal
        return new Promise<void>(() => undefined)
      },
    }
    const late = await build(indexingOf(hanging, 20)).catch((error: unknown) => error)
    expect((late as Error).cause).to.be.instanceOf(Error)
    expect(signal?.aborted).to.equal(true)
    await build(indexingOf(provider))
    expect(titlesIn(provider)).to.deep.equal(['one'])
  })

  const hit = { documentId: 'a', locale: null, score: 1 }
  const REFUSED: readonly (readonly [unknown, string])[] = [
    [null, 'find must return an object'],
    [[hit], 'find must return an object'],
    [{}, 'hits: must be a list'],
    [{ hits: new Set([hit]) }, 'hits: must be a list'],
    [{ hits: [], isCapped: 1 }, 'isCapped: must be true or false'],
    [{ hits: [hit, 'a'] }, 'hits[1]: must be an object'],
    [{ hits: Array(3) }, 'hits[0]: must be an object'],
    [{ hits: [{ ...hit, documentId: 1 }] }, 'hits[0].documentId: must be a text'],
    [{ hits: [{ ...hit, documentId: 'a'.repeat(256) }] }, 'hits[0].documentId: must be a text'],
    [{ hits: [{ documentId: 'a', score: 1 }] }, 'hits[0].locale: must be a locale or null'],
    [{ hits: [{ ...hit, score: '1' }] }, 'hits[0].score: must be a finite number'],
    [{ hits: [{ ...hit, score: NaN }] }, 'hits[0].score: must be a finite number'],
  ]
  for (const [given, message] of REFUSED) {
    it(`refuses the answer ${JSON.stringify(given).slice(0, 60)}: ${message}`, () => {
      expect(() => checkProposal(given, 10)).to.throw(message)
    })
  }

  it('takes the first hits up to the limit', () => {
    const { entries, isCapped } = checkProposal({ hits: Array.from({ length: 20 }, () => hit) }, 10)
    expect([entries.length, isCapped]).to.deep.equal([10, true])
    expect(checkProposal({ hits: [hit] }, 10)).to.deep.equal({
      entries: [{ documentId: 'a', locale: '', score: 1 }],
      isCapped: false,
    })
  })
})
