import { expect } from 'chai'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'

const HELD = 'api::tag.tag.find'
const BEYOND = 'api::tag.tag.delete'
const SETS: readonly (readonly string[])[] = [[], [HELD], [BEYOND], [HELD, BEYOND]]
const ROLE = 'plugin::users-permissions.role'

interface Door {
  readonly name: string
  /** Creates a role as root. Returns its path. */
  readonly make: (permissions: readonly string[]) => Promise<string>
  readonly bodyOf: (permissions: readonly string[]) => object
  /** Sends a request of a principal that lacks `BEYOND`. */
  readonly send: (method: string, path: string, body?: object) => Promise<Answer>
  readonly isPermitted: (before: readonly string[], after: readonly string[]) => boolean
}

describe('changes of roles by a principal that lacks some of their permissions', () => {
  let server: TestServer
  let manager: AdminClient
  let token: string
  let made = 0

  before(async () => {
    server = await serve('role-changes', {
      contentTypes: { tag: declare('tag', { name: { type: 'string' } }) },
      environment: { RATE_LIMIT: 'off' },
    })
    const verbs = ['read', 'update', 'delete']
    const rights = ['administrator-roles', 'roles'].flatMap((subject) =>
      verbs.map((verb) => `admin::${subject}.${verb}`),
    )
    await addRole(server, 'manager', [...rights, HELD])
    await addAdministrator(server, 'Manager', ['manager'])
    manager = await signIn(server, 'manager@example.org')
    const permissions = [HELD, ...['updateRole', 'deleteRole'].map((verb) => `${ROLE}.${verb}`)]
    const body = { name: 'manager', type: 'custom', permissions }
    token = (await server.send('POST', '/admin/api-tokens', { body })).body.data.accessKey
  })
  after(() => server.close())

  const typeOf = (): string => `role${(made += 1)}`

  const makeStored = async (
    path: string,
    permissions: readonly unknown[],
  ): Promise<{ readonly type: string; readonly id: number }> => {
    const type = typeOf()
    const answer = await server.send('POST', path, { body: { type, name: type, permissions } })
    expect(answer.status, answer.text).to.equal(201)
    return { type, id: answer.body.data.id }
  }

  const isHeld = (name: string): boolean => name === HELD
  const changesHeldOnly: Door['isPermitted'] = (before, after) =>
    [HELD, BEYOND]
      .filter((name) => before.includes(name) !== after.includes(name))
      .every((name) => isHeld(name))

  const DOORS: readonly Door[] = [
    {
      name: '/admin/roles',
      make: async (permissions) =>
        `/admin/roles/${(await makeStored('/admin/roles', permissions)).type}`,
      bodyOf: (permissions) => ({ permissions }),
      send: (...request) => manager.send(...request),
      isPermitted: changesHeldOnly,
    },
    {
      name: '/api/users-permissions/roles',
      make: async (permissions) =>
        `/api/users-permissions/roles/${(await makeStored('/admin/roles', permissions)).id}`,
      bodyOf: (permissions) => ({
        permissions: {
          'api::tag': {
            controllers: {
              tag: {
                find: { enabled: permissions.includes(HELD) },
                delete: { enabled: permissions.includes(BEYOND) },
              },
            },
          },
        },
      }),
      send: (method, path, body) => server.send(method, path, { token, ...(body && { body }) }),
      isPermitted: changesHeldOnly,
    },
    {
      name: '/admin/administrator-roles',
      make: async (permissions) => {
        const listed = permissions.map((action) => ({ action }))
        const { type } = await makeStored('/admin/administrator-roles', listed)
        return `/admin/administrator-roles/${type}`
      },
      bodyOf: (permissions) => ({ permissions: permissions.map((action) => ({ action })) }),
      send: (...request) => manager.send(...request),
      // A role of administrators with more permissions cannot be changed at all.
      isPermitted: (before, after) => [...before, ...after].every((name) => isHeld(name)),
    },
  ]

  for (const { name, make, bodyOf, send: ask, isPermitted } of DOORS) {
    it(`grants and revokes held permissions only: ${name}`, async () => {
      const wrong: string[] = []
      for (const before of SETS) {
        for (const after of SETS) {
          const { status } = await ask('PUT', await make(before), bodyOf(after))
          if (status === (isPermitted(before, after) ? 200 : 403)) continue
          wrong.push(`[${before.join()}] to [${after.join()}]: ${status}`)
        }
      }
      expect(wrong).to.deep.equal([])
    })

    it(`deletes roles with held permissions only: ${name}`, async () => {
      const wrong: string[] = []
      for (const before of SETS) {
        const { status } = await ask('DELETE', await make(before))
        if (status !== (isPermitted(before, []) ? 200 : 403)) {
          wrong.push(`[${before.join()}]: ${status}`)
        }
      }
      expect(wrong).to.deep.equal([])
    })

    it(`leaves a role unchanged after a refusal: ${name}`, async () => {
      const path = await make([HELD, BEYOND])
      const shown = (await server.get(path)).text
      expect((await ask('PUT', path, { name: typeOf(), ...bodyOf([HELD]) })).status).to.equal(403)
      expect((await ask('DELETE', path)).status).to.equal(403)
      expect((await server.get(path)).text).to.equal(shown)
    })
  }
})
