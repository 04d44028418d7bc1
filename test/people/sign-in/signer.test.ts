import { expect } from 'chai'
import { openSigner } from '../../../src/people/sign-in/signer.ts'

describe('sign-in/signer', () => {
  const signer = openSigner('a secret', 'tests')

  it('accepts its own signature of the same parts', () => {
    const signature = signer.sign('one', Buffer.from('two'))
    expect(signer.isSigned(signature, 'one', Buffer.from('two'))).to.equal(true)
    expect(signer.isSigned(signature, 'one')).to.equal(false)
  })

  it('refuses signatures of another purpose, of another secret and of another length', () => {
    for (const other of [openSigner('a secret', 'others'), openSigner('another', 'tests')]) {
      expect(signer.isSigned(other.sign('one'), 'one')).to.equal(false)
    }
    expect(signer.isSigned(signer.sign('one').subarray(1), 'one')).to.equal(false)
  })
})
