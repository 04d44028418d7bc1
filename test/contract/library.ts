import { type Answer, type Json, serve, type TestServer } from '../support/server.ts'
import { MULTIPART, multipart } from '../support/uploads.ts'
import { png } from '../media/sample-images.ts'
import { ARTICLES } from './articles.ts'
import { CONTENT_TYPES } from './content-types.ts'

export type Principal = 'root' | 'public' | 'readonly' | 'custom' | 'user' | 'invalid'

export interface Library {
  readonly server: TestServer
  /** Document ids of the entries that `loadLibrary` creates, and numeric ids under `<name>.id`. */
  readonly ids: Readonly<Record<string, string | number>>
  /** The bearer token of each. Null is anonymous. */
  readonly tokens: Readonly<Record<Principal, string | null>>
  /**
   * Sends a request as that principal. `{{name}}` in the target and in the body stands for a value
   * of `ids`.
   */
  as(
    who: Principal,
    method: string,
    target: string,
    body?: unknown,
    headers?: object,
  ): Promise<Answer>
  close(): Promise<void>
}

const CONTENT = ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts']
const OPEN = Object.keys(CONTENT_TYPES).filter(
  (name) => !name.startsWith('components/') && name !== 'secret-note',
)

/**
 * A server with the content-types of the contract tests. The public role may do everything except
 * read notes.
 */
export async function openLibrary(label: string): Promise<Library> {
  const server = await serve(label, {
    contentTypes: CONTENT_TYPES,
    environment: { RATE_LIMIT: 'off' },
    locales: ['fr', 'de'],
  })
  const known = (await server.get('/admin/actions')).body.data.map((one: Json) => one.name)
  const permit = async (role: string, actions: readonly string[]): Promise<void> => {
    const permissions = actions.filter((action) => known.includes(action))
    await must(server.send('PUT', `/admin/roles/${role}`, { body: { permissions } }))
  }
  await permit('public', [
    ...OPEN.flatMap((name) => CONTENT.map((action) => `api::${name}.${name}.${action}`)),
    ...['find', 'findOne', 'upload', 'destroy'].map((one) => `plugin::upload.content-api.${one}`),
    'plugin::users-permissions.auth.callback',
    'plugin::users-permissions.auth.register',
    'plugin::i18n.locales.listLocales',
  ])
  await permit('authenticated', [
    'api::article.article.find',
    'api::article.article.findOne',
    'api::article.article.create',
    'api::tag.tag.find',
    'plugin::users-permissions.user.me',
  ])
  const token = async (
    name: string,
    type: string,
    permissions: readonly string[],
  ): Promise<string> =>
    (await must(server.send('POST', '/admin/api-tokens', { body: { name, type, permissions } })))
      .body.data.accessKey
  const reader = { username: 'reader', email: 'reader@quire.test', password: 'Secret123' }
  const registered = await must(
    server.send('POST', '/api/auth/local/register', { body: reader, token: null }),
  )
  const tokens: Readonly<Record<Principal, string | null>> = {
    root: await token('full', 'full-access', []),
    readonly: await token('readonly', 'read-only', []),
    custom: await token('custom', 'custom', ['api::article.article.find']),
    user: registered.body.jwt,
    invalid: 'deadbeefdeadbeefdeadbeefdeadbeef',
    public: null,
  }
  const ids: Record<string, string | number> = {}
  return {
    server,
    ids,
    tokens,
    as: (who, method, target, body, headers = {}) =>
      server.send(method, encodeURI(fill(target, ids)), {
        token: tokens[who],
        headers: { ...headers },
        ...(body !== undefined && { body: fill(body, ids) }),
      }),
    close: () => server.close(),
  }
}

/** Creates the content of the contract tests and adds its ids to `library.ids`. */
export async function loadLibrary(library: Library): Promise<void> {
  const ids = library.ids as Record<string, string | number>
  const put = async (
    name: string,
    target: string,
    data: object,
    method = 'POST',
  ): Promise<void> => {
    const { body } = await must(library.as('root', method, `/api/${target}`, { data }))
    ids[name] = body.data.documentId
    ids[`${name}.id`] = body.data.id
  }
  const upload = async (name: string, file: string, bytes: Buffer): Promise<void> => {
    const sent = {
      headers: MULTIPART,
      body: multipart({ files: [{ name: file, content: bytes }] }),
    }
    const { body } = await must(library.server.send('POST', '/api/upload', sent))
    ids[name] = body[0].documentId
    ids[`${name}.id`] = body[0].id
  }
  await put('science', 'categories', { name: 'Science', code: 'sci', color: 'blue' })
  await put(
    'science',
    'categories/{{science}}?locale=fr',
    { name: 'La science', code: 'sci' },
    'PUT',
  )
  await put('arts', 'categories', { name: 'Arts', code: 'art', color: 'red' })
  await put('hidden', 'categories?status=draft', { name: 'Hidden draft', code: 'hid' })
  await put('red', 'tags', { name: 'red', slug: 'red', weight: 3 })
  await put('green', 'tags', { name: 'green', slug: 'green', weight: 1 })
  await put('blue', 'tags', { name: 'blue', slug: 'blue', weight: 2 })
  await put('annie', 'profiles', { nickname: 'annie' })
  await put('ann', 'authors', {
    name: 'Ann',
    email: 'ann@quire.test',
    bio: 'Physics',
    profile: '{{annie}}',
  })
  await put('bob', 'authors', { name: 'Bob', email: 'bob@quire.test' })
  await upload('pic', 'pic.png', await png(200, 100))
  await upload('txt', 'note.txt', Buffer.from('hello text'))
  await put('note', 'secret-notes', { text: 'classified' })
  for (const { name, query = '', method = 'POST', data } of ARTICLES) {
    await put(name, `articles${query}`, data, method)
  }
}

async function must(sent: Promise<Answer>): Promise<Answer> {
  const answer = await sent
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`)
  return answer
}

/** Replaces `{{name}}` by the value in `ids`: typed if it stands alone, otherwise as text. */
export function fill<T>(value: T, ids: Library['ids']): T {
  const text = JSON.stringify(value).replaceAll(
    /"\{\{([\w.]+)\}\}"|\{\{([\w.]+)\}\}/g,
    (_, alone?: string, within?: string) => {
      const found = ids[alone ?? within ?? '']
      if (found === undefined) throw new Error(`nothing is called ${alone ?? within}`)
      return alone === undefined ? String(found) : JSON.stringify(found)
    },
  )
  return JSON.parse(text) as T
}
