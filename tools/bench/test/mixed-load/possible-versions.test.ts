import { expect } from 'chai'
import { PossibleVersions } from '../../src/mixed-load/possible-versions.ts'

const SLOT = 'published:en'

describe('PossibleVersions', () => {
  let now = 1_000_000
  const at = (ms: number): void => void (now = ms)
  const begin = (): PossibleVersions => {
    at(1_000_000)
    return new PossibleVersions(() => now)
  }

  it('starts empty and collects the revisions since a moment', () => {
    const versions = begin()
    expect([...versions.since(SLOT, 0)]).to.deep.equal([null])
    versions.set(SLOT, new Set([null, 1]))
    at(1_000_100)
    versions.set(SLOT, new Set([1]))
    at(1_000_200)
    versions.set(SLOT, new Set([1, 2]))
    at(1_000_300)
    versions.set(SLOT, new Set([2]))
    expect([...versions.since(SLOT, 1_000_050)]).to.have.members([null, 1, 2])
    expect([...versions.since(SLOT, 1_000_150)]).to.have.members([1, 2])
    expect([...versions.since(SLOT, 1_000_300)]).to.deep.equal([2])
    expect([...versions.get(SLOT)]).to.deep.equal([2])
  })

  it('includes a deleted revision for earlier requests only', () => {
    const versions = begin()
    versions.set(SLOT, new Set([7]))
    expect(versions.mayExist()).to.equal(true)
    at(1_000_500)
    versions.clear()
    expect(versions.mayExist()).to.equal(false)
    expect([...versions.since(SLOT, 1_000_400)]).to.have.members([7, null])
    expect([...versions.since(SLOT, 1_000_501)]).to.deep.equal([null])
  })

  it('drops revisions that are too old, but keeps the current one', () => {
    const versions = begin()
    versions.set(SLOT, new Set([1]))
    at(2_000_000)
    versions.set(SLOT, new Set([2]))
    expect([...versions.since(SLOT, 0)]).to.have.members([1, 2])
    at(3_000_000)
    versions.set(SLOT, new Set([3]))
    expect([...versions.since(SLOT, 0)]).to.have.members([2, 3])
  })
})
