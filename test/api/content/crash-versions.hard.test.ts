import { randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import {
  ROOT_TOKEN,
  type ServerProcess,
  startServerProcess,
  writeContentTypes,
} from '../../support/server-process.ts'

/**
 * On an external database, the transactions of a killed server may hold their locks for a minute.
 */
const USUAL_KILLS = (process.env['MONGODB_URI'] ?? '') === '' ? 3 : 1
const KILLS = Number(process.env['QUIRE_TEST_KILLS'] ?? USUAL_KILLS)
const WRITERS = 4
const ANSWERS = 40
const LOCALES = ['en', 'fr', 'de'] as const
const STATUSES = ['draft', 'published'] as const

const localized = { pluginOptions: { i18n: { localized: true } } }

/** A write sets every attribute of one locale to its number, and `shared` in all locales. */
const TYPES = {
  'components/page/part': {
    info: { displayName: 'Part' },
    attributes: { number: { type: 'integer' } },
  },
  tag: {
    kind: 'collectionType',
    info: { singularName: 'tag', pluralName: 'tags', displayName: 'Tag' },
    attributes: { name: { type: 'string' } },
  },
  page: {
    kind: 'collectionType',
    info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
    options: { draftAndPublish: true },
    ...localized,
    attributes: {
      number: { type: 'integer', ...localized },
      parts: { type: 'component', component: 'page.part', repeatable: true, ...localized },
      tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
      shared: { type: 'integer' },
    },
  },
}

interface Content {
  readonly number: number
  readonly parts: readonly number[]
  readonly tags: readonly string[]
}

/**
 * The stored state of a document: each version by `locale status`, and the shared values by status.
 */
interface State {
  readonly contents: Readonly<Record<string, Content>>
  readonly shared: Readonly<Record<string, readonly number[]>>
}

interface Write {
  readonly after: State
  send(server: ServerProcess): Promise<unknown>
}

describe('a server that is killed while it publishes', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'quire-crash-'))
  const env = {
    ...(process.env['MONGODB_URI'] === undefined
      ? { QUIRE_DATABASE: 'embedded' }
      : { MONGODB_URI: process.env['MONGODB_URI'] }),
    MONGODB_DATABASE: `quire_test_crash_${randomBytes(4).toString('hex')}`,
    QUIRE_DATA_DIR: directory,
    CONTENT_TYPES_DIR: writeContentTypes(TYPES),
    RATE_LIMIT: 'off',
  }
  let server: ServerProcess
  let tags: readonly string[]

  before(async () => {
    server = await startServerProcess(env)
    for (const code of LOCALES.slice(1)) await send(server, 'POST', '/admin/locales', { code })
    const made = await Promise.all(
      ['a', 'b', 'c'].map((name) => send(server, 'POST', '/api/tags', { data: { name } })),
    )
    tags = made.map(({ data }) => (data as { readonly documentId: string }).documentId)
  })

  after(async () => {
    await server.kill()
    rmSync(directory, { recursive: true, force: true })
    rmSync(env.CONTENT_TYPES_DIR, { recursive: true, force: true })
  })

  /** The order of the tags also depends on the number. */
  const contentOf = (number: number): Content => ({
    number,
    parts: [number, number],
    tags: tags.map((_, index) => tags[(index + number) % tags.length] ?? ''),
  })

  const payloadOf = (number: number): object => {
    const { parts, ...content } = contentOf(number)
    return {
      data: { ...content, parts: parts.map((each) => ({ number: each })), shared: number },
    }
  }

  async function createPage(): Promise<string> {
    const { data } = await send(server, 'POST', '/api/pages', payloadOf(0))
    const { documentId } = data as { readonly documentId: string }
    for (const locale of LOCALES.slice(1)) {
      await send(server, 'PUT', `/api/pages/${documentId}?locale=${locale}`, payloadOf(0))
    }
    return documentId
  }

  async function read(documentId: string): Promise<State> {
    const contents: Record<string, Content> = {}
    const shared: Record<string, number[]> = {}
    for (const status of STATUSES) {
      for (const locale of LOCALES) {
        const query = `locale=${locale}&status=${status}&populate=*`
        const answer = await send(server, 'GET', `/api/pages/${documentId}?${query}`)
        const page = answer.data as {
          readonly number: number
          readonly shared: number
          readonly parts: readonly { readonly number: number }[]
          readonly tags: readonly { readonly documentId: string }[]
        }
        contents[`${locale} ${status}`] = {
          number: page.number,
          parts: page.parts.map((part) => part.number),
          tags: page.tags.map((tag) => tag.documentId),
        }
        ;(shared[status] ??= []).push(page.shared)
      }
    }
    return { contents, shared }
  }

  /** Alternates: write a draft, publish all drafts, write and publish a locale in one request. */
  function nextWrite(documentId: string, before: State, number: number): Write {
    const locale = LOCALES[randomInt(LOCALES.length)] ?? 'en'
    const page = `/api/pages/${documentId}`
    const inAll = LOCALES.map(() => number)
    if (number % 3 === 1) {
      const contents = Object.fromEntries(
        LOCALES.flatMap((each) =>
          STATUSES.map((status) => [
            `${each} ${status}`,
            before.contents[`${each} draft`] ?? contentOf(number),
          ]),
        ),
      )
      const drafts = before.shared['draft'] ?? []
      return {
        after: { contents, shared: { draft: drafts, published: drafts } },
        send: (to) => send(to, 'POST', `${page}/actions/publish?locale=*`),
      }
    }
    const written = number % 3 === 0 ? (['draft'] as const) : STATUSES
    const asked = written.at(-1) ?? 'draft'
    return {
      after: {
        contents: {
          ...before.contents,
          ...Object.fromEntries(
            written.map((status) => [`${locale} ${status}`, contentOf(number)]),
          ),
        },
        shared: {
          ...before.shared,
          ...Object.fromEntries(written.map((status) => [status, inAll])),
        },
      },
      send: (to) => send(to, 'PUT', `${page}?locale=${locale}&status=${asked}`, payloadOf(number)),
    }
  }

  it(`shows the state before or after each write, for ${KILLS} kills`, async function () {
    this.timeout(60_000 + KILLS * 70_000)
    const documentIds = await Promise.all(Array.from({ length: WRITERS }, createPage))
    const states = await Promise.all(documentIds.map(read))
    const seen = { acknowledged: 0, before: 0, after: 0 }
    let number = 0
    for (let kill = 0; kill < KILLS; kill += 1) {
      const pending = new Map<number, Write>()
      await killAmid(server, async (writer) => {
        const [documentId = '', before] = [documentIds[writer], states[writer]]
        if (before === undefined) throw new Error(`no state of ${documentId}`)
        number += 1
        const write = nextWrite(documentId, before, number)
        pending.set(writer, write)
        await untilFree(() => write.send(server))
        pending.delete(writer)
        states[writer] = write.after
        seen.acknowledged += 1
      })
      server = await startServerProcess(env)
      for (const [writer, documentId] of documentIds.entries()) {
        const stored = await read(documentId)
        const after = pending.get(writer)?.after
        const isAfter = isDeepStrictEqual(stored, after)
        if (!isAfter) expect(stored).to.deep.equal(states[writer])
        if (after !== undefined) seen[isAfter ? 'after' : 'before'] += 1
        states[writer] = stored
      }
    }
    expect(seen.acknowledged).to.be.greaterThan(KILLS)
    expect(seen.before + seen.after).to.be.greaterThan(0) // some writes were pending
  })

  it(`creates one document per Idempotency-Key, for ${KILLS} kills`, async function () {
    this.timeout(60_000 + KILLS * 70_000)
    const acknowledged = new Map<number, string>()
    const sent: number[] = []
    const create = async (number: number): Promise<string> => {
      const key = { 'idempotency-key': `page-${number}` }
      const { data } = await send(server, 'POST', '/api/pages', payloadOf(number), key)
      return (data as { readonly documentId: string }).documentId
    }
    for (let kill = 0; kill < KILLS; kill += 1) {
      await killAmid(server, async () => {
        const number = 1_000_000 + sent.length
        sent.push(number)
        acknowledged.set(number, await untilFree(() => create(number)))
      })
      server = await startServerProcess(env)
    }
    expect(acknowledged.size).to.be.within(KILLS, sent.length - 1)
    const unanswered = sent.filter((number) => !acknowledged.has(number))
    for (const number of unanswered) {
      acknowledged.set(number, await untilFree(() => create(number)))
    }
    for (const [number, documentId] of acknowledged) {
      expect(await create(number)).to.equal(documentId)
    }
    for (const status of STATUSES) {
      for (const each of sent) {
        const query = `status=${status}&filters[number]=${each}`
        const { data } = await send(server, 'GET', `/api/pages?${query}`)
        const found = (data as readonly { readonly documentId: string }[]).map(
          ({ documentId }) => documentId,
        )
        expect(found, `${status} ${each}`).to.deep.equal([acknowledged.get(each)])
      }
    }
  })
})

/**
 * Retries while an interrupted request blocks this one: its key is locked for ten seconds (409),
 * and on an external database its transaction holds locks for a minute (504).
 */
async function untilFree<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request()
    } catch (error) {
      if (!/ConflictError|GatewayTimeoutError/.test(String(error))) throw error
      await wait(250)
    }
  }
}

/**
 * Runs writers that each send one request after another, and kills the server after a random number
 * of responses, while other requests are pending. A failing writer stops all of them.
 */
async function killAmid(
  server: ServerProcess,
  work: (writer: number) => Promise<void>,
): Promise<void> {
  const killAfter = randomInt(2, ANSWERS) // more acknowledged writes than kills
  const end = { answers: 0, killed: undefined as Promise<void> | undefined }
  const kill = (): Promise<void> => (end.killed ??= wait(randomInt(15)).then(() => server.kill()))
  const write = async (writer: number): Promise<void> => {
    try {
      for (;;) {
        await work(writer)
        end.answers += 1
        if (end.answers >= killAfter) void kill()
      }
    } catch (error) {
      const isLost = error instanceof TypeError // fetch throws this for a lost connection
      if (!isLost || end.killed === undefined) throw error
    } finally {
      void kill()
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
  await kill()
}

async function send(
  server: ServerProcess,
  method: string,
  target: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly data: unknown }> {
  const response = await fetch(`${server.base}${target}`, {
    method,
    headers: {
      authorization: `Bearer ${ROOT_TOKEN}`,
      'content-type': 'application/json',
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as { readonly data: unknown }
  expect(response.ok, `${method} ${target}: ${JSON.stringify(answer)}`).to.equal(true)
  return answer
}
