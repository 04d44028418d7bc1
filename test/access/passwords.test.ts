import { expect } from 'chai'
import { openPasswords } from '../../src/access/passwords.ts'

describe('access/passwords', () => {
  const passwords = openPasswords({ memoryKiB: 8, passes: 1 })

  it('hashes with argon2id, each time with another salt', async () => {
    const [one, other] = await Promise.all([passwords.hash('secret'), passwords.hash('secret')])
    expect(one).to.match(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/)
    expect(one).not.to.equal(other)
    expect(await passwords.verify(one, 'secret')).to.equal(true)
    expect(await passwords.verify(one, 'Secret')).to.equal(false)
    expect(await passwords.verify(one, '')).to.equal(false)
  })

  it('costs what is right for an installation in use unless told otherwise', async () => {
    expect(await openPasswords().hash('secret')).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  it('finds nothing right for an account that there is not, and nothing that is too long', async () => {
    for (const password of ['', 'secret', 'x'.repeat(100_000)]) {
      expect(await passwords.verify(null, password)).to.equal(false)
    }
    const empty = await passwords.hash('')
    expect(await passwords.verify(empty, 'x'.repeat(73))).to.equal(false)
  })
})
