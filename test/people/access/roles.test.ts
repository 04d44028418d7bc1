import { expect } from 'chai'
import { type Access, openAccess } from '../../../src/people/access/access.ts'
import { compileActions } from '../../../src/people/access/actions.ts'
import {
  ApplicationError,
  ForbiddenError,
  NotFoundError,
  ValidationError,
} from '../../../src/base/errors.ts'
import { openTestDatabase } from '../../support/test-database.ts'
import { sampleSchema } from './sample-schema.ts'

const FIND = 'api::article.article.find'

describe('roles of end users', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>
  let access: Access
  const open = (): Promise<Access> =>
    openAccess(test.database, compileActions(sampleSchema()), { rootApiToken: null })

  before(async () => {
    test = await openTestDatabase('roles')
    access = await open()
  })
  after(() => test.drop())

  const refusal = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    )

  it('gives public no content permissions by default but lets end users sign in', async () => {
    const { permissions, documentId } = await access.roles.get('public')
    expect(documentId).to.match(/^[a-z][a-z0-9]{23}$/)
    expect(permissions.filter((name) => name.startsWith('api::'))).to.deep.equal([])
    expect(permissions).to.include('plugin::users-permissions.auth.callback')
    for (const name of permissions) expect(access.actions.has(name), name).to.equal(true)
  })

  it('keeps changes to a role after a restart', async () => {
    await access.roles.update('public', { name: 'Everyone', permissions: [FIND] })
    const { roles } = await open()
    expect(await roles.get('public')).to.deep.include({ name: 'Everyone', permissions: [FIND] })
  })

  it('keeps all concurrent grants', async () => {
    const verbs = ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts', 'publish']
    const names = verbs.map((verb) => `api::article.article.${verb}`)
    const other = await open()
    await Promise.all(
      names.map((name, index) => (index % 2 === 0 ? access : other).roles.grant('public', [name])),
    )
    expect((await access.roles.get('public')).permissions).to.include.members(names)
  })

  it('checks additions against the current permissions of the role', async () => {
    await access.roles.create({ name: 'Racer', type: 'racer', permissions: [FIND] })
    await access.roles.revoke('racer', [FIND])
    const refused = await refusal(
      access.roles.update('racer', { permissions: [FIND] }, (added) => {
        throw new ForbiddenError(added.join())
      }),
    )
    expect(refused).to.be.instanceOf(ForbiddenError).with.property('message', FIND)
    expect((await access.roles.get('racer')).permissions).to.deep.equal([])
    await access.roles.remove('racer')
  })

  it('creates a role once when requests race', async () => {
    const input = { name: 'Editor', type: 'editor' }
    const refusals = await Promise.all([1, 2, 3].map(() => refusal(access.roles.create(input))))
    expect(refusals.filter((error) => error === undefined)).to.have.length(1)
    for (const error of refusals) {
      if (error !== undefined) expect(error).to.be.instanceOf(ValidationError)
    }
    await access.roles.remove('editor')
    expect(await refusal(access.roles.get('editor'))).to.be.instanceOf(NotFoundError)
  })

  it('refuses invalid changes to roles', async () => {
    const { roles } = access
    const rows: readonly [() => Promise<unknown>, new (...all: never[]) => Error, RegExp][] = [
      [() => roles.create({ name: 'X', type: 'X' }), ValidationError, /lower-case/],
      [() => roles.create({ name: 'X', type: '__proto__' }), ValidationError, /lower-case/],
      [() => roles.create({ name: 'Everyone', type: 'x' }), ValidationError, /unique/],
      [() => roles.create({ name: 'X', type: 'public' }), ValidationError, /unique/],
      [() => roles.grant('public', ['nope']), ValidationError, /no action nope/],
      [() => roles.grant('nobody', [FIND]), NotFoundError, /nobody/],
      [() => roles.revoke('nobody', [FIND]), NotFoundError, /nobody/],
      [() => roles.update('nobody', {}), NotFoundError, /nobody/],
      [() => roles.remove('nobody'), NotFoundError, /nobody/],
      [() => roles.remove('public'), ApplicationError, /cannot be removed/],
    ]
    for (const [work, kind, message] of rows) {
      const error = await refusal(work())
      expect(error, message.source).to.be.instanceOf(kind)
      expect((error as Error).message).to.match(message)
    }
  })
})
