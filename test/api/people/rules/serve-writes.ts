import { BSON, type Document, MongoClient } from 'mongodb'
import { declare, type Json, serve, type TestServer } from '../../../support/server.ts'
import type { Dump, Status, Version } from './dump.ts'
import type { Reader } from './oracle.ts'
import { WRITE_HOLDERS, type WriteRights, type WriteWorld, WRITTEN_TYPES } from './write-world.ts'

const USER = 'plugin::users-permissions.user'
const PASSWORD = 'correct horse battery'

export interface WritingPrincipal extends Reader {
  readonly name: string
  readonly token: string | null
  /** Of a signed-in user. */
  readonly documentId?: string
  readonly rights: WriteRights
}

export interface ServedWrites {
  readonly server: TestServer
  readonly principals: readonly WritingPrincipal[]
  readonly stamped: ReadonlySet<string>
  readonly users: readonly string[]
  dump(): Promise<Dump>
  close(): Promise<void>
}

export const writtenUid = (type: string): string =>
  type === 'user' ? USER : `api::${type}.${type}`
export const writtenPath = (type: string): string =>
  type === 'box' ? '/api/boxes' : `/api/${type}s`

const to = (relation: string, type: string, side: object = {}): object => ({
  type: 'relation',
  relation,
  target: writtenUid(type),
  ...side,
})

const SCALARS = { rank: { type: 'integer' }, word: { type: 'string' } }
const HIDDEN = { hidden: { type: 'string', private: true } }
const OWNER = { owner: to('manyToOne', 'user') }

/** A page has drafts. The owning sides stand on documents and pages, except for `owner`. */
const TYPES = {
  doc: declare('doc', {
    ...SCALARS,
    ...HIDDEN,
    ...OWNER,
    box: to('manyToOne', 'box', { inversedBy: 'docs' }),
    key: to('oneToOne', 'box'),
    many: to('manyToMany', 'page'),
  }),
  page: declare(
    'page',
    { ...SCALARS, ...HIDDEN, ...OWNER, box: to('manyToOne', 'box', { inversedBy: 'pages' }) },
    { draftAndPublish: true },
  ),
  box: {
    ...declare('box', {
      ...SCALARS,
      ...OWNER,
      docs: to('oneToMany', 'doc', { mappedBy: 'box' }),
      pages: to('oneToMany', 'page', { mappedBy: 'box' }),
    }),
  },
}

const withPushes = (type: object): object => {
  const { options } = type as Json
  return { ...type, options: { ...options, push: true } }
}

const RELATIONS: Dump['relations'] = {
  doc: {
    owner: { target: 'user', isToMany: false },
    box: { target: 'box', isToMany: false },
    key: { target: 'box', isToMany: false },
    many: { target: 'page', isToMany: true },
  },
  page: {
    owner: { target: 'user', isToMany: false },
    box: { target: 'box', isToMany: false },
  },
  box: {
    owner: { target: 'user', isToMany: false },
    docs: { target: 'doc', isToMany: true, mappedBy: 'box' },
    pages: { target: 'page', isToMany: true, mappedBy: 'box' },
  },
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

export async function serveWrites(world: WriteWorld): Promise<ServedWrites> {
  const box = TYPES.box as Json
  const info = { ...box.info, pluralName: 'boxes' }
  const server = await serve('rule_writes', {
    contentTypes: Object.fromEntries(
      Object.entries({ ...TYPES, box: { ...box, collectionName: 'box_versions', info } }).map(
        ([name, type]) => [name, withPushes(type)],
      ),
    ),
    environment: { RATE_LIMIT: 'off' },
  })
  const client = await new MongoClient(server.uri).connect()
  const close = async (): Promise<void> => {
    await client.close()
    await server.close()
  }
  try {
    const { principals, users } = await storePeople(server, world)
    const dump = async (): Promise<Dump> => {
      const versions = await Promise.all(
        WRITTEN_TYPES.map(async (type) => {
          const rows = await client
            .db(server.database)
            .collection(`${type}_versions`)
            .find()
            .sort({ _id: 1 })
            .toArray()
          return rows.map((row) => versionOf(type, row))
        }),
      )
      return {
        versions: [...versions.flat(), ...users.map(userVersion)],
        relations: RELATIONS,
        withDrafts: new Set(['page']),
      }
    }
    return { server, principals, users, stamped: stampsOf(world), dump, close }
  } catch (error) {
    await close()
    throw error
  }
}

const userVersion = (documentId: string): Version => ({
  type: 'user',
  documentId,
  status: 'published',
  values: {},
})

function versionOf(type: string, row: Document): Version {
  const owned = Object.entries(RELATIONS[type] ?? {}).filter(
    ([, { mappedBy }]) => mappedBy === undefined,
  )
  const relations = owned.map(([name]) => [name, [row[name] ?? []].flat().map(String)])
  return {
    type,
    documentId: String(row['documentId']),
    status: row['status'] as Status,
    values: {
      rank: row['rank'] === null || row['rank'] === undefined ? null : Number(row['rank']),
      word: row['word'] ?? null,
      ...(type !== 'box' && { hidden: row['hidden'] ?? null }),
      ...Object.fromEntries(relations),
      revision: BSON.EJSON.stringify([row['_revision'], row['updatedAt'], row['publishedAt']]),
    },
  }
}

function stampsOf(world: WriteWorld): ReadonlySet<string> {
  const rights = WRITE_HOLDERS.flatMap((holder) => Object.entries(world[holder]))
  return new Set(
    rights.flatMap(([action, right]) =>
      right === 'always'
        ? []
        : right.flatMap(({ set = {} }) =>
            Object.keys(set).map((name) => `${action.split('.')[0]}.${name}`),
          ),
    ),
  )
}

async function storePeople(server: TestServer, world: WriteWorld) {
  const seen = [`${USER}.find`]
  const pushes = WRITTEN_TYPES.map((type) => `${writtenUid(type)}.push`)
  const stored = (
    rights: WriteRights,
  ): { permissions: readonly string[]; rules?: readonly object[] } => {
    const all = Object.entries(rights).map(([name, right]) => {
      const [type = '', verb = ''] = name.split('.')
      return { action: `${writtenUid(type)}.${verb}`, right }
    })
    const rules = all.flatMap(({ action, right }) =>
      right === 'always' ? [] : right.map((rule) => ({ action, ...rule })),
    )
    return {
      permissions: [
        ...seen,
        ...pushes,
        ...all.filter(({ right }) => right === 'always').map(({ action }) => action),
      ],
      ...(rules.length > 0 && { rules }),
    }
  }
  const roles: Record<string, string> = {}
  for (const type of ['one', 'two'] as const) {
    const body = { type, name: type, ...stored(world[type]) }
    roles[type] = (await send(server, 'POST', '/admin/roles', body)).data.documentId
  }
  const principals: WritingPrincipal[] = []
  const users: string[] = []
  for (const [at, role] of (['one', 'one', 'two'] as const).entries()) {
    const email = `user${at}@example.org`
    const account = {
      username: `user${at}`,
      email,
      password: PASSWORD,
      confirmed: true,
      role: roles[role],
    }
    const { documentId } = await send(server, 'POST', '/api/users', account)
    const { jwt } = await send(server, 'POST', '/api/auth/local', {
      identifier: email,
      password: PASSWORD,
    })
    users.push(documentId)
    principals.push({
      name: `user${at}`,
      token: jwt,
      documentId,
      operands: { $user: [documentId] },
      rights: world[role],
    })
  }
  const { data } = await send(server, 'GET', '/admin/roles/public', {}).catch(() => ({
    data: { permissions: [] },
  }))
  const open = stored(world.public)
  await send(server, 'PUT', '/admin/roles/public', {
    ...open,
    permissions: [...new Set([...(data.permissions ?? []), ...open.permissions])],
  })
  const token = { name: 'token', type: 'custom', ...stored(world.token) }
  const { accessKey } = (await send(server, 'POST', '/admin/api-tokens', token)).data
  principals.push(
    { name: 'token', token: accessKey, operands: {}, rights: forNobody(world.token) },
    { name: 'anonymous', token: null, operands: {}, rights: forNobody(world.public) },
  )
  return { principals, users }
}

/** Without a signed-in user, a rule that compares with the user is no permission. */
function forNobody(rights: WriteRights): WriteRights {
  const kept = Object.entries(rights).map(([action, right]): [string, WriteRights[string]] => [
    action,
    right === 'always' ? right : right.filter((rule) => !JSON.stringify(rule).includes('"$user')),
  ])
  return Object.fromEntries(kept.filter(([, right]) => right.length > 0))
}
