import { expect } from 'chai'
import type { AccountsContext } from '../../../src/people/accounts/accounts.ts'
import { userByIdentity } from '../../../src/people/accounts/identity-sign-in.ts'
import { ANY_WRITER } from '../../../src/people/accounts/user-attributes.ts'
import type { ProvenIdentity } from '../../../src/people/identities/id-tokens.ts'
import {
  findIdentity,
  putIdentity,
  removeIdentities,
} from '../../../src/people/identities/identity-rows.ts'
import { serveUsers, type UsersServer } from '../../http/routes/users-server.ts'

const REQUEST = { body: {}, writer: ANY_WRITER, name: null }

describe('the user of an identity', () => {
  let server: UsersServer

  before(async () => {
    server = await serveUsers('identity_sign_in')
  })
  after(() => server.close())

  it('is not one that lost the identity between the two reads', async () => {
    const identity = identityOf('ann')
    const former = await userByIdentity(server.accounts, identity, REQUEST)
    const { user: owner } = await server.register('owner')
    let isMoved = false
    const racing = afterRead(server.accounts, async () => {
      if (isMoved) return
      isMoved = true
      await server.database.transact(async (session) => {
        await removeIdentities(server.database, former.documentId, session)
        const options = { at: server.now(), session }
        await putIdentity(server.database, identity, owner.documentId, options)
      })
    })
    const entered = await userByIdentity(racing, identity, REQUEST)
    expect(isMoved).to.equal(true)
    expect(entered.documentId).to.equal(owner.documentId)
  })

  it('is a new one if the identity was removed between the two reads', async () => {
    const identity = identityOf('eve')
    const former = await userByIdentity(server.accounts, identity, REQUEST)
    let reads = 0
    const racing = afterRead(server.accounts, async () => {
      reads += 1
      if (reads > 1) return
      await server.database.transact((session) =>
        removeIdentities(server.database, former.documentId, session),
      )
    })
    const refusal: unknown = await userByIdentity(racing, identity, REQUEST).catch(
      (error: unknown) => error,
    )
    expect(refusal).to.include({ errorCode: 'email_in_use' })
    expect(await findIdentity(server.database, identity)).to.equal(null)
  })
})

function identityOf(name: string): ProvenIdentity {
  const email = `${name}@example.org`
  const issuer = 'https://login.example.org'
  return { provider: 'acme', issuer, subject: name, email, isEmailVerified: true, name }
}

/** Runs `work` after each read of an identity, before the caller gets the row. */
function afterRead(accounts: AccountsContext, work: () => Promise<void>): AccountsContext {
  const db = new Proxy(accounts.db, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key)
      if (key !== 'table') return typeof member === 'function' ? member.bind(target) : member
      return (name: string) => {
        const table = target.table(name)
        if (name !== 'quire_identities') return table
        const findOne: typeof table.findOne = async (...given) => {
          const row = await table.findOne(...given)
          await work()
          return row
        }
        return { findOne }
      }
    },
  })
  return { ...accounts, db }
}
