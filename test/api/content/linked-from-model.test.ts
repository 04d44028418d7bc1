import { expect } from 'chai'
import * as fc from 'fast-check'
import { MongoClient } from 'mongodb'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { type Answer, type Json, serve, type TestServer } from '../../support/server.ts'
import { added, ARTICLE, blocksWith, LINKED_TYPES, linkTo, NOTE } from './linked-world.ts'

const PAGE = 'api::page.page'
const TARGETS = 3
const RUNS = modelRuns('LINKED_FROM_RUNS', 8, 100)

const ACTIONS = ['publish', 'unpublish', 'discard', 'delete', 'restore', 'revert', 'copy']

interface Step {
  readonly does: string
  readonly page: number
  readonly locale: string
  /** Indexes of targets by attribute. */
  readonly body: readonly number[]
  readonly intro: readonly number[]
  readonly part: readonly number[]
}

const targets = fc.array(fc.nat({ max: 2 * TARGETS - 1 }), { maxLength: 3 })
const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom('write', 'write', 'write', ...ACTIONS),
  page: fc.nat({ max: 2 }),
  locale: fc.constantFrom('en', 'de'),
  body: targets,
  intro: targets,
  part: targets,
})

/** One line for each page, attribute and locale that links to a target. */
type Lines = readonly string[]

describe('a model of the entries that link to an entry', () => {
  let server: TestServer
  let client: MongoClient
  let editor: AdminClient
  const linked: (readonly [type: string, documentId: string])[] = []
  const reached = new Map<string, number>()

  before(async () => {
    server = await serve('linked_from_model', {
      contentTypes: LINKED_TYPES,
      locales: ['de'],
      environment: { RATE_LIMIT: 'off' },
    })
    client = await MongoClient.connect(server.uri)
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
    for (let index = 0; index < TARGETS; index += 1) {
      linked.push([ARTICLE, await added(server, '/api/articles', { slug: `slug-${index}` })])
      linked.push([NOTE, await added(server, '/api/notes', { text: `text-${index}` })])
    }
  })
  after(async () => {
    await client.close()
    await server.close()
  })

  const note = (does: string, { status }: Answer): void => {
    if (status < 300) reached.set(does, (reached.get(does) ?? 0) + 1)
  }
  const blocks = (indexes: readonly number[]): readonly object[] =>
    blocksWith(...indexes.map((index) => linkTo(...(linked[index] ?? [ARTICLE, '']))))

  /** Revisions that the history can restore. */
  const pastOf = async (documentId: string): Promise<readonly string[]> => {
    const { body } = await server.get(`/admin/history/${PAGE}/${documentId}`)
    return (body?.data ?? []).map(({ revision }: Json) => revision)
  }

  const run = async (pages: string[], { does, page, locale, body, intro, part }: Step) => {
    const documentId = pages[page % Math.max(1, pages.length)] ?? ''
    if (does === 'write') {
      const values = { body: blocks(body), intro: blocks(intro), parts: [{ text: blocks(part) }] }
      const isNew = pages.length <= page
      const path = isNew ? '/api/pages' : `/api/pages/${documentId}`
      const answer = await server[isNew ? 'post' : 'put'](`${path}?locale=${locale}`, values)
      if (isNew) pages.push(answer.body.data.documentId)
      note(does, answer)
      return
    }
    note(does, await act(does, documentId, locale))
  }

  const act = async (does: string, documentId: string, locale: string): Promise<Answer> => {
    const own = `/admin/content/${PAGE}/${documentId}`
    if (does === 'delete') return server.delete(`/api/pages/${documentId}?locale=*`)
    if (does === 'copy') return editor.send('POST', `${own}/duplicate`)
    if (does === 'restore') {
      const sent = { body: { data: { from: 'both' } } }
      return server.send('POST', `/admin/trash/${PAGE}/${documentId}/restore`, sent)
    }
    if (does === 'revert') {
      const [revision = 'x'] = (await pastOf(documentId)).slice(-1)
      return server.send('POST', `/admin/history/${PAGE}/${documentId}/${revision}/restore`)
    }
    const path = `/api/pages/${documentId}/actions/${does}?locale=${locale}`
    return server.send('POST', path)
  }

  const linkedFrom = async (type: string, documentId: string): Promise<Lines> => {
    const path = `/admin/content/${type}/${documentId}/usages?pagination[pageSize]=100`
    const answer = await server.get(path)
    expect(answer.status, answer.text).to.equal(200)
    const lines = answer.body.data.flatMap(({ statuses, ...usage }: Json) =>
      statuses.map((status: string) =>
        [usage.documentId, usage.locale, status, usage.field].join(' '),
      ),
    )
    return lines.sort()
  }

  const scan = async (type: string, documentId: string): Promise<Lines> => {
    const rows = await client.db(server.database).collection('page_versions').find().toArray()
    const names = { body: 'body', intro: 'intro', parts: 'parts' }
    const lines = rows.flatMap((row) =>
      Object.keys(names)
        .filter((name) => namesTarget(row[name], type, documentId))
        .map((name) => [row['documentId'], row['locale'], row['status'], name].join(' ')),
    )
    return lines.sort()
  }

  it('equals a scan of all versions after each step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const pages: string[] = []
        for (const one of steps) {
          await run(pages, one)
          for (const [type, documentId] of linked) {
            const found = await linkedFrom(type, documentId)
            expect(found, JSON.stringify(one)).to.deep.equal(await scan(type, documentId))
            if (found.length > 0) reached.set('linked', (reached.get('linked') ?? 0) + 1)
          }
        }
        await client.db(server.database).collection('page_versions').deleteMany({})
      }),
      { numRuns: RUNS },
    )
    for (const does of ['write', 'linked', ...ACTIONS]) {
      expect(reached.get(does) ?? 0, does).to.be.at.least(1)
    }
  })
})

function namesTarget(value: unknown, type: string, documentId: string): boolean {
  if (Array.isArray(value)) return value.some((one) => namesTarget(one, type, documentId))
  if (typeof value !== 'object' || value === null) return false
  const { entry } = value as Json
  if (entry?.type === type && entry.documentId === documentId) return true
  return Object.values(value).some((one) => namesTarget(one, type, documentId))
}
