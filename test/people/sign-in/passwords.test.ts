import { expect } from 'chai'
import { ServiceUnavailableError } from '../../../src/base/errors.ts'
import { openPasswords } from '../../../src/people/sign-in/passwords.ts'

describe('openPasswords', () => {
  const passwords = openPasswords({ memoryKiB: 8, passes: 1 })

  it('hashes with argon2id and a random salt', async () => {
    const [one, other] = await Promise.all([passwords.hash('secret'), passwords.hash('secret')])
    expect(one).to.match(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/)
    expect(one).not.to.equal(other)
    expect(await passwords.verify(one, 'secret')).to.equal(true)
    expect(await passwords.verify(one, 'Secret')).to.equal(false)
    expect(await passwords.verify(one, '')).to.equal(false)
  })

  it('hashes two at a time, queues 200 and refuses further requests', async () => {
    const slow = openPasswords({ memoryKiB: 1_024, passes: 1 })
    const settled = await Promise.allSettled(
      Array.from({ length: 210 }, (_, index) => slow.hash(`secret ${index}`)),
    )
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(refused).to.have.length(8)
    for (const error of refused) expect(error).to.be.instanceOf(ServiceUnavailableError)
    expect(await slow.verify(await slow.hash('after'), 'after')).to.equal(true)
  })

  it('uses production cost parameters by default', async () => {
    expect(await openPasswords().hash('secret')).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  it('rejects any password for a missing account and passwords that are too long', async () => {
    for (const password of ['', 'secret', 'x'.repeat(100_000)]) {
      expect(await passwords.verify(null, password)).to.equal(false)
    }
    const empty = await passwords.hash('')
    expect(await passwords.verify(empty, 'x'.repeat(73))).to.equal(false)
  })
})
