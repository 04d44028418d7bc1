import { expect } from 'chai'
import { compileActions } from '../../../src/people/access/actions.ts'
import { assertAdministrator, assertMay, may } from '../../../src/people/access/permissions.ts'
import { ALL_GRANTS, type Principal, ROOT } from '../../../src/people/access/principal.ts'
import { ForbiddenError, UnauthorizedError } from '../../../src/base/errors.ts'
import { sampleSchema } from './sample-schema.ts'

const actions = compileActions(sampleSchema())
const grants = new Set(['api::article.article.find'])
const token = { kind: 'apiToken', id: 1, name: 'a', readPreference: null } as const
const anonymous: Principal = { kind: 'anonymous', grants }
const custom: Principal = { ...token, type: 'custom', grants }
const readOnly: Principal = { ...token, type: 'read-only', grants: actions.readOnly }
const fullAccess: Principal = { ...token, type: 'full-access', grants: ALL_GRANTS }
const user: Principal = {
  kind: 'user',
  id: 1,
  documentId: 'd',
  role: 'authenticated',
  session: null,
  signedInAt: 0,
  grants,
}

describe('permissions of principals', () => {
  const rows: readonly [string, Principal, readonly string[], readonly string[]][] = [
    ['anonymous', anonymous, ['api::article.article.find'], ['api::article.article.findOne']],
    ['a custom token', custom, ['api::article.article.find'], ['api::tag.tag.find']],
    ['a user', user, ['api::article.article.find'], ['plugin::users-permissions.user.me']],
    [
      'a read-only token',
      readOnly,
      [
        'api::article.article.find',
        'api::article.article.findOne',
        'api::article.article.readDrafts',
        'plugin::users-permissions.user.find',
        'plugin::upload.content-api.findOne',
      ],
      [
        'api::article.article.create',
        'api::article.article.publish',
        'plugin::users-permissions.user.me',
        'plugin::upload.content-api.upload',
        'constructor',
      ],
    ],
    ['a full-access token', fullAccess, actions.all.map(({ name }) => name), []],
    ['root', ROOT, actions.all.map(({ name }) => name), []],
  ]
  for (const [caller, principal, allowed, refused] of rows) {
    it(`allows and refuses the right actions for ${caller}`, () => {
      for (const action of allowed) expect(may(principal, action), action).to.equal(true)
      for (const action of refused) {
        expect(may(principal, action), action).to.equal(false)
        expect(() => assertMay(principal, action)).to.throw(ForbiddenError, /^Forbidden$/)
      }
    })
  }

  it('restricts the management API to root', () => {
    assertAdministrator(ROOT, null)
    expect(() => assertAdministrator(anonymous, null)).to.throw(
      UnauthorizedError,
      /^Missing or invalid credentials$/,
    )
    for (const principal of [custom, readOnly, fullAccess, user]) {
      expect(() => assertAdministrator(principal, null)).to.throw(ForbiddenError, /^Forbidden$/)
    }
  })
})
