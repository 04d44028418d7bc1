import { declare, type Json, serve, type TestServer } from '../../../support/server.ts'
import type { Dump, Status, Version } from './dump.ts'
import type { Reader, Rule } from './oracle.ts'
import {
  canaryOf,
  type Document,
  type HOLDERS,
  relationsOf,
  type Rights,
  type Row,
  type Shapes,
  type TypeName,
  TYPES,
  type World,
} from './world.ts'

const USER = 'plugin::users-permissions.user'

export interface Principal extends Reader {
  readonly name: string
  readonly holder: (typeof HOLDERS)[number]
  readonly token: string | null
}

export interface ServedWorld {
  readonly server: TestServer
  readonly dump: Dump
  readonly principals: readonly Principal[]
}

export const uidOf = (type: string): string => (type === 'user' ? USER : `api::${type}.${type}`)
/** The name of a named query under the rules of its caller. */
export const queryOf = (type: string): string => `${type}-list`

const namedQuery = (type: TypeName): object => ({
  type,
  rules: 'caller',
  populate: { up: true, many: true },
  pagination: { pageSize: 25 },
})

export const pathOf = (type: string): string => `/api/${type}s`

export async function serveWorld(world: World): Promise<ServedWorld> {
  const server = await serve('rules', {
    contentTypes: declarationsOf(world.shapes),
    environment: { RATE_LIMIT: 'off' },
  })
  try {
    const teams = await postAll(server, [0, 1, 2], (at) => [
      '/api/teams',
      { data: { name: `team${at}` } },
    ])
    const users = await addUsers(server, world, teams)
    const dump = await storeDocuments(server, world, { teams, users: users.map(({ id }) => id) })
    const principals = await storeRights(server, world, { teams, users })
    return { server, dump: withPeople(dump, world, { teams, users }), principals }
  } catch (error) {
    await server.close()
    throw error
  }
}

function declarationsOf(shapes: Shapes): Record<string, object> {
  const to = (relation: string, target: string, side: object = {}): object => ({
    type: 'relation',
    relation,
    target: uidOf(target),
    ...side,
  })
  const attributes: Record<string, Record<string, object>> = {
    team: { name: { type: 'string' }, members: to('manyToMany', 'user', { mappedBy: 'teams' }) },
  }
  const components: Record<string, object> = {}
  for (const type of TYPES) {
    const { up, many, link } = shapes[type]
    components[`components/part/${type}`] = {
      collectionName: `components_part_${type}s`,
      info: { displayName: type },
      attributes: {
        rank: { type: 'integer' },
        canary: { type: 'string' },
        link: to('oneToOne', link),
      },
    }
    Object.assign((attributes[type] ??= {}), {
      rank: { type: 'integer' },
      flag: { type: 'boolean' },
      word: { type: 'string' },
      hidden: { type: 'string', private: true },
      canary: { type: 'string' },
      owner: to('manyToOne', 'user'),
      team: to('manyToOne', 'team'),
      up: to('manyToOne', up, { inversedBy: `${type}Ups` }),
      many: to('manyToMany', many, { inversedBy: `${type}Manys` }),
      part: { type: 'component', component: `part.${type}` },
    })
    Object.assign((attributes[up] ??= {}), {
      [`${type}Ups`]: to('oneToMany', type, { mappedBy: 'up' }),
    })
    Object.assign((attributes[many] ??= {}), {
      [`${type}Manys`]: to('manyToMany', type, { mappedBy: 'many' }),
    })
  }
  const types = Object.entries(attributes).map(([type, own]): [string, object] => {
    const draftAndPublish = type !== 'team' && shapes[type as TypeName].draftAndPublish
    const path = `src/api/${type}/content-types/${type}/schema`
    return [path, declare(type, own, { draftAndPublish })]
  })
  return {
    package: { name: 'project' },
    ...Object.fromEntries(TYPES.map((type) => [`src/queries/${queryOf(type)}`, namedQuery(type)])),
    ...Object.fromEntries(types),
    ...Object.fromEntries(Object.entries(components).map(([name, one]) => [`src/${name}`, one])),
    'src/extensions/users-permissions/content-types/user/schema': {
      kind: 'collectionType',
      collectionName: 'up_users',
      info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
      options: { draftAndPublish: false },
      attributes: {
        username: { type: 'string', minLength: 3, unique: true, required: true },
        email: { type: 'email', minLength: 6, required: true },
        level: { type: 'integer' },
        teams: to('manyToMany', 'team', { inversedBy: 'members' }),
      },
    },
  }
}

async function send(
  server: TestServer,
  method: string,
  target: string,
  body: object,
): Promise<Json> {
  const answer = await server.send(method, target, { body })
  if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.text}`)
  return answer.body
}

async function postAll(
  server: TestServer,
  list: readonly number[],
  request: (one: number) => readonly [string, object],
): Promise<readonly string[]> {
  const ids: string[] = []
  for (const one of list) ids.push((await send(server, 'POST', ...request(one))).data.documentId)
  return ids
}

interface StoredUser {
  readonly id: string
  readonly token: string
}

const PASSWORD = 'correct horse battery'

async function addUsers(
  server: TestServer,
  { users }: World,
  teams: readonly string[],
): Promise<readonly StoredUser[]> {
  const roles: Record<string, string> = {}
  for (const type of ['one', 'two']) {
    const body = { type, name: type, permissions: [] }
    roles[type] = (await send(server, 'POST', '/admin/roles', body)).data.documentId
  }
  const stored: StoredUser[] = []
  for (const [at, { role, level, ...user }] of users.entries()) {
    const username = `user${at}`
    const email = `${username}@example.org`
    const account = { username, email, password: PASSWORD, confirmed: true, role: roles[role] }
    const related = { level, teams: user.teams.map((one) => teams[one]) }
    const { documentId: id } = await send(server, 'POST', '/api/users', { ...account, ...related })
    const signIn = { identifier: email, password: PASSWORD }
    const { jwt: token } = await send(server, 'POST', '/api/auth/local', signIn)
    stored.push({ id, token })
  }
  return stored
}

interface Ids {
  readonly teams: readonly string[]
  readonly users: readonly string[]
}

async function storeDocuments(server: TestServer, world: World, people: Ids): Promise<Dump> {
  const { shapes } = world
  const ids: Record<string, readonly string[]> = { team: people.teams, user: people.users }
  for (const type of TYPES) {
    const query = shapes[type].draftAndPublish ? '?status=draft' : ''
    ids[type] = await postAll(server, [...world.documents[type].keys()], () => [
      `${pathOf(type)}${query}`,
      { data: {} },
    ])
  }
  const states = TYPES.flatMap((type) => {
    const valuesOf = valuesFor(shapes[type], ids)
    return world.documents[type].flatMap((document, position) => {
      const documentId = ids[type]?.[position] ?? ''
      return statesOf(document, shapes[type].draftAndPublish).map(
        ({ status, row, isStored }): State => {
          // A draft that equals its published version has the same canary.
          const canary = canaryOf(type, position, isStored ? status : 'published')
          return { type, documentId, status, values: valuesOf(row, canary), isStored }
        },
      )
    })
  })
  for (const { type, documentId, status, values, isStored } of states) {
    const query = shapes[type].draftAndPublish ? `?status=${status}` : ''
    const body = { data: toPayload(values) }
    if (isStored) await send(server, 'PUT', `${pathOf(type)}/${documentId}${query}`, body)
  }
  const withDrafts = new Set(TYPES.filter((type) => shapes[type].draftAndPublish))
  return { versions: states, relations: relationsOf(shapes), withDrafts }
}

interface State extends Version {
  readonly type: TypeName
  /** False for a draft that publishing creates. */
  readonly isStored: boolean
}

/** In the order in which they are stored: a draft follows its published version. */
function statesOf(
  { published, draft }: Document,
  draftAndPublish: boolean,
): readonly { readonly status: Status; readonly row: Row; readonly isStored: boolean }[] {
  const first = published ?? draft
  if (first === null) return []
  if (!draftAndPublish) return [{ status: 'published', row: first, isStored: true }]
  if (published === null) return [{ status: 'draft', row: first, isStored: true }]
  return [
    { status: 'published', row: published, isStored: true },
    { status: 'draft', row: draft ?? published, isStored: draft !== null },
  ]
}

function valuesFor(
  { up, many, link }: Shapes[TypeName],
  ids: Readonly<Record<string, readonly string[]>>,
): (row: Row, canary: string) => Version['values'] {
  const at = (type: string, list: readonly (number | null)[]): readonly string[] =>
    list.flatMap((one) => (one === null ? [] : [ids[type]?.[one] ?? '']))
  return ({ rank, flag, word, hidden, ...row }, canary) => ({
    rank,
    flag,
    word,
    hidden,
    canary,
    owner: at('user', [row.owner]),
    team: at('team', [row.team]),
    up: at(up, [row.up]),
    many: at(many, row.many),
    part:
      row.part === null
        ? null
        : { rank: row.part.rank, canary: `${canary}part`, link: at(link, [row.part.link]) },
  })
}

function toPayload({ owner, team, up, part, ...rest }: Version['values']): object {
  const one = (list: unknown): unknown => (list as readonly string[])[0] ?? null
  const { link, ...own } = (part ?? {}) as Json
  return {
    ...rest,
    owner: one(owner),
    team: one(team),
    up: one(up),
    part: part === null ? null : { ...own, link: one(link) },
  }
}

function withPeople(
  dump: Dump,
  world: World,
  { teams, users }: { readonly teams: readonly string[]; readonly users: readonly StoredUser[] },
): Dump {
  const teamVersions = teams.map((documentId, at): Version => {
    return { type: 'team', documentId, status: 'published', values: { name: `team${at}` } }
  })
  const userVersions = users.map(({ id: documentId }, at): Version => {
    const values = { teams: world.users[at]?.teams.map((one) => teams[one]) ?? [] }
    return { type: 'user', documentId, status: 'published', values }
  })
  return { ...dump, versions: [...dump.versions, ...teamVersions, ...userVersions] }
}

async function storeRights(
  server: TestServer,
  world: World,
  { teams, users }: { readonly teams: readonly string[]; readonly users: readonly StoredUser[] },
): Promise<readonly Principal[]> {
  const rights = world.rights
  for (const holder of ['one', 'two', 'public'] as const) {
    await send(server, 'PUT', `/admin/roles/${holder}`, toStored(rights[holder]))
  }
  const body = { name: 'token', type: 'custom', ...toStored(rights.token) }
  const { accessKey } = (await send(server, 'POST', '/admin/api-tokens', body)).data
  const people = users.map(({ id, token }, at): Principal => {
    const { role: holder = 'one', teams: own = [], level = null } = world.users[at] ?? {}
    const operands = {
      $user: [id],
      '$user.teams': own.map((one) => teams[one]),
      '$user.level': level === null ? [] : [level],
    }
    return { name: `user${at}`, holder, token, operands, rights: rights[holder] }
  })
  return [
    ...people,
    {
      name: 'anonymous',
      holder: 'public',
      token: null,
      operands: {},
      rights: withoutUser(rights.public),
    },
    {
      name: 'token',
      holder: 'token',
      token: accessKey,
      operands: {},
      rights: withoutUser(rights.token),
    },
  ]
}

/** Without a signed-in user, a rule that compares with the user is no permission. */
export function withoutUser(rights: Rights): Rights {
  const kept = Object.entries(rights).map(([action, right]) => {
    if (right === 'always') return [action, right] as const
    return [action, right.filter((rule) => !JSON.stringify(rule).includes('"$user'))] as const
  })
  return Object.fromEntries(kept.filter(([, right]) => right.length > 0))
}

function toStored(rights: Rights): { permissions: readonly string[]; rules?: readonly object[] } {
  const all = Object.entries(rights).map(([name, right]) => {
    const [type = '', verb = ''] = name.split('.')
    return { action: `${uidOf(type)}.${verb}`, right }
  })
  const rules = all.flatMap(({ action, right }) =>
    right === 'always' ? [] : right.map((rule: Rule) => ({ action, ...rule })),
  )
  return {
    permissions: [
      ...TYPES.map((type) => `query::${queryOf(type)}`),
      ...all.filter(({ right }) => right === 'always').map(({ action }) => action),
    ],
    ...(rules.length > 0 && { rules }),
  }
}
