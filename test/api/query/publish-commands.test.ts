import { expect } from 'chai'
import { testUri } from '../../support/test-database.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../../support/database-proxy.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const MANY = 12

/**
 * A type with `count` component types, zones and relations of every kind, and a payload that fills
 * all of them.
 */
function holder(name: string, count: number) {
  const numbers = Array.from({ length: count }, (_, number) => number)
  const target = `${name}-target`
  const relation = (kind: string, otherSide: object = {}): object => ({
    type: 'relation',
    relation: kind,
    target: `api::${target}.${target}`,
    ...otherSide,
  })
  const attributes: Record<string, object> = { slug: { type: 'string', unique: true } }
  const inverse: Record<string, object> = { name: { type: 'string' } }
  const components: Record<string, object> = {}
  const elements: Record<string, unknown> = {}
  const back = (kind: string, mappedBy: string): object => ({
    type: 'relation',
    relation: kind,
    target: `api::${name}.${name}`,
    mappedBy,
  })
  for (const number of numbers) {
    const component = `${name}.part-${number}`
    components[`components/${name}/part-${number}`] = {
      info: { displayName: `part ${number}` },
      attributes: { text: { type: 'string' }, tag: relation('manyToOne') },
    }
    Object.assign(attributes, {
      [`one${number}`]: { type: 'component', component },
      [`list${number}`]: { type: 'component', component, repeatable: true },
      [`zone${number}`]: { type: 'dynamiczone', components: [component] },
      [`partner${number}`]: relation('oneToOne', { inversedBy: `partner${number}` }),
      [`group${number}`]: relation('manyToOne', { inversedBy: `members${number}` }),
      [`tags${number}`]: relation('manyToMany', { inversedBy: `tagged${number}` }),
      [`way${number}`]: relation('oneToMany'),
    })
    Object.assign(inverse, {
      [`partner${number}`]: back('oneToOne', `partner${number}`),
      [`members${number}`]: back('oneToMany', `group${number}`),
      [`tagged${number}`]: back('manyToMany', `tags${number}`),
    })
    Object.assign(elements, {
      [`one${number}`]: { text: 'a' },
      [`list${number}`]: [{ text: 'a' }, { text: 'b' }],
      [`zone${number}`]: [{ __component: component, text: 'a' }],
    })
  }
  const relations = (documentId: string): object =>
    Object.fromEntries(
      numbers.flatMap((number) =>
        ['partner', 'group', 'tags', 'way'].map((each) => [`${each}${number}`, [documentId]]),
      ),
    )
  return {
    contentTypes: {
      ...components,
      [name]: declare(name, attributes, { draftAndPublish: true }),
      [target]: declare(target, inverse),
    },
    path: `/api/${name}s`,
    targets: `/api/${target}s`,
    elements,
    relations,
  }
}

describe('commands of a publication', () => {
  let proxy: DatabaseProxy
  let server: TestServer
  const slim = holder('slim', 1)
  const wide = holder('wide', MANY)

  before(async () => {
    proxy = await openDatabaseProxy(await testUri())
    server = await serve('publish_commands', {
      uri: proxy.uri,
      contentTypes: { ...slim.contentTypes, ...wide.contentTypes },
    })
    // Ids are reserved in blocks of a hundred: this reserves the first block.
    for (const { path, elements } of [slim, wide]) await created(path, elements)
  })

  after(async () => {
    await server.close()
    await proxy.close()
  })

  async function created(path: string, data: object): Promise<string> {
    const answer = await server.post(path, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }

  async function cost(
    request: () => Promise<{ readonly status: number; readonly text: string }>,
  ): Promise<readonly string[]> {
    await server.get('/api/slims?pagination[pageSize]=1') // refreshes the caches
    proxy.takeCommands()
    const { status, text } = await request()
    expect(status, text).to.be.below(300)
    return proxy.takeCommands()
  }

  type Held = typeof slim
  let slugs = 0

  /** A draft that differs from its published version in every attribute. */
  async function changedDraft({ path, targets, elements, relations }: Held): Promise<string> {
    const [first, second] = [await created(targets, {}), await created(targets, {})]
    slugs += 1
    const data = { slug: `slug ${slugs}`, ...elements, ...relations(first) }
    const entry = `${path}/${await created(path, data)}`
    const change = { ...elements, ...relations(second) }
    const answer = await server.put(`${entry}?status=draft`, change)
    expect(answer.status, answer.text).to.equal(200)
    return entry
  }

  const ways: readonly (readonly [string, (entry: string) => Promise<number>])[] = [
    [
      'the action',
      async (entry) => (await cost(() => server.send('POST', `${entry}/actions/publish`))).length,
    ],
    ['a PUT', async (entry) => (await cost(() => server.put(entry, {}))).length],
    [
      'an unpublish',
      async (entry) => (await cost(() => server.send('POST', `${entry}/actions/unpublish`))).length,
    ],
  ]
  for (const [label, commands] of ways) {
    it(`runs as many commands with ${MANY} of everything as with one, by ${label}`, async () => {
      const few = await commands(await changedDraft(slim))
      expect(await commands(await changedDraft(wide))).to.equal(few)
      expect(few).to.be.at.most(6)
    })
  }

  it('runs six commands at most to create and publish an entry with all its components', async () => {
    const commands = await cost(() => server.post(wide.path, { slug: 'new', ...wide.elements }))
    expect(commands.length, commands.join()).to.be.at.most(6)
  })

  it('runs no write if no value has changed', async () => {
    const entry = await changedDraft(wide)
    await server.put(entry, {})
    const commands = await cost(() => server.send('POST', `${entry}/actions/publish`))
    expect(commands).to.deep.equal(['find', 'commitTransaction'])
  })
})
