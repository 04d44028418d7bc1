import { expect } from 'chai'
import { assert, property, string, uint8Array } from 'fast-check'
import {
  createRecoveryCodes,
  createTotpSecret,
  normalizeCode,
  recoveryCodeHash,
  totpStepOf,
} from '../../../src/people/administrators/totp/totp-codes.ts'
import { openSecretBox } from '../../../src/people/administrators/totp/secret-box.ts'

/** RFC 6238, appendix B: SHA-1, the last six of eight digits. */
const RFC_SECRET = Buffer.from('12345678901234567890')
const RFC_CODES: readonly (readonly [seconds: number, code: string])[] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
]

describe('codes of authenticator apps', () => {
  it('accepts the codes of RFC 6238', () => {
    for (const [seconds, code] of RFC_CODES) {
      const step = totpStepOf(RFC_SECRET, code, new Date(seconds * 1_000))
      expect(step, code).to.equal(Math.floor(seconds / 30))
    }
  })

  it('accepts a clock that is one step off, and refuses one that is 60 seconds off', () => {
    const [seconds, code] = [1_234_567_890, '005924'] // the first second of a step
    const at = (offset: number) =>
      totpStepOf(RFC_SECRET, code, new Date((seconds + offset) * 1_000))
    const step = seconds / 30
    expect([-60, -31, -30, 0, 29, 59, 60, 90].map(at)).to.deep.equal([
      null,
      null,
      step,
      step,
      step,
      step,
      null,
      null,
    ])
  })

  it('refuses texts that are not six digits', () => {
    const at = new Date(59_000)
    for (const code of ['', '28708', '2870822', '２８７０８２', '287082 ', 'abcdef', '-87082']) {
      expect(totpStepOf(RFC_SECRET, code, at), code).to.equal(null)
    }
  })

  it('makes a secret of 160 bits in a URI with the address as label', () => {
    const { bytes, text, uri } = createTotpSecret('Quire', 'ada+x@example.org')
    expect(bytes).to.have.length(20)
    const url = new URL(uri)
    expect(url.protocol + url.host).to.equal('otpauth:totp')
    expect(decodeURIComponent(url.pathname)).to.equal('/Quire:ada+x@example.org')
    expect(url.searchParams.get('secret')).to.equal(text)
    expect(url.searchParams.get('issuer')).to.equal('Quire')
  })

  it('makes ten different recovery codes and reads them with any spaces and case', () => {
    const codes = createRecoveryCodes()
    expect(new Set(codes)).to.have.property('size', 10)
    for (const code of codes) {
      expect(code).to.match(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/)
      const typed = ` ${code.toLowerCase().replaceAll('-', ' ')} `
      expect(recoveryCodeHash(normalizeCode(typed))).to.equal(recoveryCodeHash(code))
    }
  })
})

describe('secret boxes', () => {
  it('opens a secret with the same key and owner only', () => {
    const box = openSecretBox('a secret of the server', 'test')
    const others = [
      openSecretBox('another secret', 'test'),
      openSecretBox('a secret of the server', 'another purpose'),
    ]
    assert(
      property(uint8Array({ maxLength: 64 }), string(), string(), (bytes, owner, to) => {
        const sealed = box.seal(owner, bytes)
        expect(box.open(owner, sealed)?.equals(bytes)).to.equal(true)
        if (to !== owner) expect(box.open(to, sealed)).to.equal(null)
        for (const other of others) expect(other.open(owner, sealed)).to.equal(null)
      }),
    )
  })

  it('refuses changed and short texts', () => {
    const box = openSecretBox('a secret of the server', 'test')
    const sealed = Buffer.from(box.seal('ada', Buffer.from('secret')), 'base64url')
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(box.open('ada', changed.toString('base64url')), String(at)).to.equal(null)
      expect(box.open('ada', sealed.subarray(0, at).toString('base64url'))).to.equal(null)
    }
  })
})
