import { expect } from 'chai'
import { assert, constant, constantFrom, option, property, uniqueArray } from 'fast-check'
import {
  namesUser,
  replaceAuthor,
  replaceUsers,
} from '../../../src/content/deleted-users/user-relations.ts'

const USER = constantFrom('a', 'b', 'c', 'd', 'e')
const USERS = uniqueArray(USER, { maxLength: 3 })

describe('relations to deleted users', () => {
  it('name none of the removed users, and keep all others in their order', () => {
    assert(
      property(uniqueArray(USER), USERS, (members, users) => {
        const left = replaceUsers(members, users, null)
        expect(left).to.deep.equal(members.filter((one) => !users.includes(one)))
        expect(namesUser(left, users)).to.equal(false)
      }),
    )
  })

  it('name the other user once, at the first place of a moved one', () => {
    assert(
      property(uniqueArray(USER), USERS, (members, users) => {
        const moved = replaceUsers(members, users, 'z') as readonly string[]
        const expected = members.map((one) => (users.includes(one) ? 'z' : one))
        expect(moved).to.deep.equal([...new Set(expected)])
        expect(moved.includes('z')).to.equal(namesUser(members, users))
      }),
    )
  })

  it('keep single values of others and empty ones', () => {
    assert(
      property(option(USER), USERS, option(constant('z')), (value, users, to) => {
        const isNamed = value !== null && users.includes(value)
        expect(replaceUsers(value, users, to)).to.equal(isNamed ? to : value)
      }),
    )
  })

  it('change authors that are users only', () => {
    const author = { kind: 'user', id: 'a' }
    expect(replaceAuthor(author, ['a'], null)).to.equal(null)
    expect(replaceAuthor(author, ['a'], 'z')).to.deep.equal({ kind: 'user', id: 'z' })
    expect(replaceAuthor(author, ['b'], null)).to.equal(author)
    const administrator = { kind: 'administrator', id: 'a' }
    expect(replaceAuthor(administrator, ['a'], null)).to.equal(administrator)
    expect(replaceAuthor(undefined, ['a'], null)).to.equal(null)
  })
})
