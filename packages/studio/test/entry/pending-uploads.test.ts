import { expect } from 'chai'
import { PendingUploads } from '../../src/entry/pending-uploads.ts'

describe('the uploads of a form', () => {
  it('have arrived if there are none', async () => {
    expect(await new PendingUploads().allArrived()).to.equal(true)
  })

  it('are waited for, also those that begin in the meantime', async () => {
    const uploads = new PendingUploads()
    const endFirst = uploads.begin()
    let answer: boolean | null = null
    const asked = uploads.allArrived().then((whole) => (answer = whole))
    const endSecond = uploads.begin()
    endFirst(true)
    await Promise.resolve()
    expect(answer).to.equal(null)
    endSecond(true)
    await asked
    expect(answer).to.equal(true)
  })

  it('have not arrived if one of them failed', async () => {
    const uploads = new PendingUploads()
    const [endFirst, endSecond] = [uploads.begin(), uploads.begin()]
    const asked = uploads.allArrived()
    endFirst(false)
    endSecond(true)
    expect(await asked).to.equal(false)
    expect(await uploads.allArrived()).to.equal(true)
  })

  it('have not arrived if one of them was cancelled in the meantime', async () => {
    const uploads = new PendingUploads()
    const end = uploads.begin()
    uploads.noteCancelled()
    const asked = uploads.allArrived()
    end(true)
    expect(await asked).to.equal(true)
    const endNext = uploads.begin()
    const askedAgain = uploads.allArrived()
    uploads.noteCancelled()
    endNext(true)
    expect(await askedAgain).to.equal(false)
  })
})
