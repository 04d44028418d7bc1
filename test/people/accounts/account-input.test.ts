import { expect } from 'chai'
import {
  assertOnly,
  readAccount,
  required,
  RULES,
} from '../../../src/people/accounts/account-input.ts'
import { thrownBy } from '../../fixtures/errors.ts'

describe('readAccount', () => {
  const rules = { email: required(RULES.email), password: required(RULES.password) }

  it('returns own properties that have a rule', () => {
    const body = JSON.parse('{"email":"a@example.org","password":"x","more":1}')
    expect(readAccount(rules, body)).to.deep.equal({ email: 'a@example.org', password: 'x' })
    const inherited = Object.create({ email: 'a@example.org', password: 'x' })
    expect(thrownBy(() => readAccount(rules, inherited)).message).to.equal('2 errors occurred')
    const named = JSON.parse('{"__proto__":{"email":"a@example.org","password":"x"}}')
    expect(thrownBy(() => readAccount(rules, named)).message).to.equal('2 errors occurred')
  })

  it('treats input other than an object as an empty object', () => {
    for (const body of [undefined, null, 'text', 5, [], [{ email: 'a@example.org' }]]) {
      expect(thrownBy(() => readAccount(rules, body)).message).to.equal('2 errors occurred')
    }
  })

  it('reports one message per key in the order of the rules', () => {
    for (const [email, message] of [
      [undefined, 'email is a required field'],
      [null, 'email is a required field'],
      ['', 'email is a required field'],
      ['bad', 'email must be a valid email'],
      ['a@example.org\r\nBcc: b@example.org', 'email must be a valid email'],
      [5, 'email must be a `string` type, but the final value was: `5`.'],
      [`${'x'.repeat(300)}@example.org`, 'email must be at most 255 characters'],
    ] as const) {
      const error = thrownBy(() => readAccount(rules, { password: 'x', email }))
      expect(error.message, String(email)).to.equal(message)
    }
    const { details } = thrownBy(() => readAccount(rules, { password: 'é'.repeat(37), email: 'x' }))
    expect(details?.['errors']).to.deep.equal([
      {
        path: ['email'],
        message: 'email must be a valid email',
        name: 'ValidationError',
        value: 'x',
      },
      {
        path: ['password'],
        message: 'Password must be less than 73 bytes',
        name: 'ValidationError',
        value: 'é'.repeat(37),
      },
    ])
  })

  it('lists unexpected keys', () => {
    const error = thrownBy(() => assertOnly(['a'], { a: 1, b: 2, c: 3 }))
    expect(error.message).to.equal('Invalid parameters: b, c')
    expect(() => assertOnly(['a'], { a: 1 })).not.to.throw()
  })
})
