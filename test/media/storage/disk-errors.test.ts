import { expect } from 'chai'
import { ServiceUnavailableError } from '../../../src/base/errors.ts'
import { asDiskErrors } from '../../../src/media/storage/disk-errors.ts'

const failing = (code: string): Promise<unknown> =>
  asDiskErrors(() => Promise.reject(Object.assign(new Error(code), { code }))).catch(
    (error: unknown) => error,
  )

describe('asDiskErrors', () => {
  for (const [codes, message] of [
    [['ENOSPC', 'EDQUOT', 'EFBIG'], 'There is no space left to store this'],
    [['EIO', 'EROFS'], 'The disk is not writable'],
  ] as const) {
    for (const code of codes) {
      it(`turns ${code} into a temporary error`, async () => {
        const error = await failing(code)
        expect(error).to.be.instanceOf(ServiceUnavailableError)
        expect(error).to.include({ message, status: 503 })
      })
    }
  }

  it('passes on other errors and results', async () => {
    expect(await failing('ECONNRESET')).to.include({ code: 'ECONNRESET' })
    expect(await asDiskErrors(() => Promise.resolve(1))).to.equal(1)
  })
})
