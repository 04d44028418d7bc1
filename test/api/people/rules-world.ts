import { expect } from 'chai'
import { declare, type Json, type TestServer } from '../../support/server.ts'

const USER = 'plugin::users-permissions.user'

/** Notes with an owner and a team, comments on notes, and pages with drafts and locales. */
const TYPES = {
  team: declare('team', {
    name: { type: 'string' },
    members: {
      type: 'relation',
      relation: 'manyToMany',
      target: USER,
      inversedBy: 'teams',
    },
    notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note', mappedBy: 'team' },
  }),
  note: declare('note', {
    title: { type: 'string' },
    body: { type: 'text' },
    isOpen: { type: 'boolean' },
    opensAt: { type: 'datetime' },
    cover: { type: 'media' },
    owner: { type: 'relation', relation: 'manyToOne', target: USER },
    team: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'api::team.team',
      inversedBy: 'notes',
    },
  }),
  comment: declare('comment', {
    text: { type: 'string' },
    note: { type: 'relation', relation: 'manyToOne', target: 'api::note.note' },
  }),
  page: declare(
    'page',
    {
      title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
      owner: { type: 'relation', relation: 'manyToOne', target: USER },
    },
    { draftAndPublish: true, localized: true },
  ),
}

/** In the folders of a project, because users have the attribute `teams`. */
export const RULED_TYPES: Readonly<Record<string, object>> = {
  package: { name: 'project' },
  ...Object.fromEntries(
    Object.entries(TYPES).map(([name, type]) => [
      `src/api/${name}/content-types/${name}/schema`,
      type,
    ]),
  ),
  'src/extensions/users-permissions/content-types/user/schema': {
    kind: 'collectionType',
    collectionName: 'up_users',
    info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
    options: { draftAndPublish: false },
    attributes: {
      username: { type: 'string', minLength: 3, unique: true, required: true },
      email: { type: 'email', minLength: 6, required: true },
      teams: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'api::team.team',
        mappedBy: 'members',
      },
    },
  },
}

export interface Member {
  readonly documentId: string
  readonly token: string
}

export async function addMember(
  server: Pick<TestServer, 'send'>,
  username: string,
): Promise<Member> {
  const body = { username, email: `${username}@example.com`, password: 'secret-of-a-member' }
  const answer = await server.send('POST', '/api/auth/local/register', { body, token: null })
  expect(answer.status, answer.text).to.equal(200)
  return { documentId: answer.body.user.documentId, token: answer.body.jwt }
}

export async function setRules(
  server: TestServer,
  role: string,
  rules: readonly object[],
  permissions?: readonly string[],
): Promise<void> {
  const before = (await server.get(`/admin/roles/${role}`)).body.data
  const body = { rules, permissions: [...before.permissions, ...(permissions ?? [])] }
  const answer = await server.send('PUT', `/admin/roles/${role}`, { body })
  expect(answer.status, answer.text).to.equal(200)
}

export async function addEntry(server: TestServer, path: string, data: object): Promise<Json> {
  const answer = await server.post(path, data)
  expect(answer.status, answer.text).to.equal(201)
  return answer.body.data
}
