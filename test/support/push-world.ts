import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { documentIdFrom } from '@quire/schema/derived-id'
import { addMember, type Member } from '../api/people/rules-world.ts'
import { type Answer, declare, type Json, type TestServer } from './server.ts'

const USER = 'plugin::users-permissions.user'

/** A type that takes pushes. */
export function pushed(type: object, options: object = {}): object {
  return { ...type, options: { draftAndPublish: false, push: true, ...options } }
}

export const PUSHED_TYPES: Readonly<Record<string, object>> = {
  note: pushed(
    declare('note', {
      title: { type: 'string', required: true, maxLength: 60 },
      body: { type: 'text', conflict: 'text' },
      mood: { type: 'string', conflict: 'server' },
      color: { type: 'string', conflict: 'client' },
      stock: { type: 'integer' },
      internal: { type: 'string', private: true },
      data: { type: 'json' },
      owner: { type: 'relation', relation: 'manyToOne', target: USER },
      tags: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'api::tag.tag',
        conflict: 'union',
      },
      main: { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag' },
      lines: { type: 'component', component: 'shared.line', repeatable: true },
      zone: { type: 'dynamiczone', components: ['shared.line', 'shared.quote'] },
    }),
  ),
  tag: declare('tag', { name: { type: 'string', unique: true } }),
  page: pushed(
    declare('page', { title: { type: 'string', required: true }, text: { type: 'text' } }),
    {
      draftAndPublish: true,
    },
  ),
  greeting: pushed({
    ...declare('greeting', {
      word: { type: 'string', pluginOptions: { i18n: { localized: true } } },
    }),
    pluginOptions: { i18n: { localized: true } },
  }),
  'components/shared/line': {
    attributes: { text: { type: 'string' }, done: { type: 'boolean' } },
  },
  'components/shared/quote': { attributes: { text: { type: 'string' } } },
}

export const PUSH_ACTIONS: readonly string[] = [
  ...['note', 'page', 'greeting', 'tag'].flatMap((name) =>
    ['find', 'findOne', 'sync', 'create', 'update', 'delete'].map(
      (verb) => `api::${name}.${name}.${verb}`,
    ),
  ),
  ...['note', 'page', 'greeting'].map((name) => `api::${name}.${name}.push`),
  'api::page.page.publish',
  'api::page.page.readDrafts',
]

export async function permitPushes(
  server: Pick<TestServer, 'get' | 'send'>,
  permissions = PUSH_ACTIONS,
): Promise<void> {
  const register = 'plugin::users-permissions.auth.register'
  const { permissions: open = [] } = (await server.get('/admin/roles/public')).body
  await server.send('PUT', '/admin/roles/public', {
    body: { permissions: [...new Set([...open, register])] },
  })
  const answer = await server.send('PUT', '/admin/roles/authenticated', { body: { permissions } })
  expect(answer.status, answer.text).to.equal(200)
}

export interface Pushed {
  readonly head: Json
  readonly lines: readonly Json[]
}

/** A device of an end user. */
export class Device {
  readonly member: Member
  readonly client: string
  log: string | null = null
  ack = 0
  last = 0
  readonly #server: TestServer
  readonly #status: string

  constructor(server: TestServer, member: Member, client: string, status = 'published') {
    this.#server = server
    this.member = member
    this.client = client
    this.#status = status
  }

  static async of(server: TestServer, name: string, status = 'published'): Promise<Device> {
    return new Device(server, await addMember(server, name), `client-of-${name}`, status)
  }

  newId(n = this.last + 1): string {
    return documentIdFrom('p', `push:${this.member.documentId}:${this.client}:${n}`)
  }

  head(more: object = {}): object {
    const { client, log, ack } = this
    return { client, log, ack, status: this.#status, ...more }
  }

  send(lines: readonly unknown[]): Promise<Answer> {
    return this.#server.send('POST', '/api/_push', {
      token: this.member.token,
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines
        .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
        .join('\n'),
    })
  }

  /** Numbers the mutations and pushes them. */
  async push(...mutations: readonly object[]): Promise<readonly Json[]> {
    const numbered = mutations.map((one, index) => ({ n: this.last + 1 + index, ...one }))
    const { head, lines } = readPushed(await this.send([this.head(), ...numbered]))
    this.log = head.log
    this.last = head.last
    this.ack = head.last
    return lines
  }

  async create(type: string, values: Readonly<Record<string, unknown>>): Promise<string> {
    const documentId = this.newId()
    const [outcome] = await this.push({ op: 'create', type, documentId, patch: setting(values) })
    expect(outcome, JSON.stringify(outcome)).to.include({ outcome: 'applied' })
    return documentId
  }
}

export function readPushed(answer: Answer): Pushed {
  expect(answer.status, answer.text).to.equal(200)
  const [head, ...lines] = answer.text
    .trim()
    .split('\n')
    .map((line): Json => JSON.parse(line))
  return { head, lines }
}

export function setting(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { set: value }]))
}

export function digestOf(text: string): object {
  return { sha256: createHash('sha256').update(text).digest('hex') }
}
