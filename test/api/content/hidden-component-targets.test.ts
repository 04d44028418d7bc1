import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LIST = 'api::list.list'
const TAG = 'api::tag.tag'
const TAGS = { type: 'relation', relation: 'oneToMany', target: TAG }

describe('relations of components to hidden entries', () => {
  let server: TestServer
  let reader: string
  let tags: Readonly<Record<'a' | 'b' | 'c' | 'd', string>>

  before(async () => {
    server = await serve('hidden_component_targets', {
      contentTypes: {
        'components/part/part': {
          collectionName: 'components_part_parts',
          info: { displayName: 'Part' },
          attributes: { name: { type: 'string' }, tags: TAGS },
        },
        'components/part/outer': {
          collectionName: 'components_part_outers',
          info: { displayName: 'Outer' },
          attributes: { inner: { type: 'component', component: 'part.part', repeatable: true } },
        },
        tag: declare('tag', { name: { type: 'string' }, isOpen: { type: 'boolean' } }),
        list: declare(
          'list',
          {
            one: { type: 'component', component: 'part.part' },
            many: { type: 'component', component: 'part.part', repeatable: true },
            outer: { type: 'component', component: 'part.outer' },
            zone: { type: 'dynamiczone', components: ['part.part'] },
          },
          { draftAndPublish: true },
        ),
      },
    })
    const add = async (name: string, isOpen: boolean): Promise<string> =>
      (await server.post('/api/tags', { name, isOpen })).body.data.documentId
    tags = {
      a: await add('a', true),
      b: await add('b', false),
      c: await add('c', true),
      d: await add('d', false),
    }
    const made = await server.send('POST', '/admin/api-tokens', {
      body: {
        name: 'editor',
        type: 'custom',
        permissions: ['find', 'findOne', 'update', 'readDrafts'].map((verb) => `${LIST}.${verb}`),
        rules: [{ action: `${TAG}.find`, where: { isOpen: true } }],
      },
    })
    expect(made.status, made.text).to.equal(201)
    reader = made.body.data.accessKey
  })
  after(() => server.close())

  const POPULATE =
    'populate[one][populate]=*&populate[many][populate]=*&populate[zone][populate]=*' +
    '&populate[outer][populate][inner][populate]=*'
  const read = async (id: string, token?: string): Promise<Json> => {
    const answer = await server.get(
      `/api/lists/${id}?${POPULATE}`,
      token === undefined ? {} : { token },
    )
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data
  }
  const namesOf = (part: Json): string => part.tags.map(({ name }: Json) => name).join('')
  const make = async (): Promise<Json> => {
    const { a, b, c, d } = tags
    const part = { tags: [a, b, c, d] }
    const data = {
      one: part,
      many: [part, { tags: [b] }],
      outer: { inner: [part] },
      zone: [{ __component: 'part.part', ...part }],
    }
    const made = await server.post('/api/lists', data)
    expect(made.status, made.text).to.equal(201)
    return read(made.body.data.documentId)
  }
  const write = async ({ documentId }: Json, data: object, status = 200): Promise<Json> => {
    const answer = await server.put(`/api/lists/${documentId}`, data, { token: reader })
    expect(answer.status, answer.text).to.equal(status)
    return read(documentId)
  }

  it('stay behind the new targets of a component with an id', async () => {
    const before = await make()
    expect(namesOf((await read(before.documentId, reader)).one)).to.equal('ac')
    const tagsOf = { tags: [tags.c] }
    const after = await write(before, {
      one: { id: before.one.id, ...tagsOf },
      many: [
        { id: before.many[1].id, tags: [] },
        { id: before.many[0].id, ...tagsOf },
      ],
      outer: { id: before.outer.id, inner: [{ id: before.outer.inner[0].id, ...tagsOf }] },
      zone: [{ __component: 'part.part', id: before.zone[0].id, ...tagsOf }],
    })
    expect(namesOf(after.one)).to.equal('cbd')
    expect(after.many.map(namesOf)).to.deep.equal(['b', 'cbd'])
    expect(after.outer.inner.map(namesOf)).to.deep.equal(['cbd'])
    expect(after.zone.map(namesOf)).to.deep.equal(['cbd'])
  })

  it('stay in a single component that a new one replaces', async () => {
    const before = await make()
    const given = await write(before, { one: { tags: [tags.c] }, outer: { inner: [] } })
    expect(namesOf(given.one)).to.equal('cbd')
    expect(given.one.id).not.to.equal(before.one.id)
    const omitted = await write(before, { one: { name: 'new' } })
    expect([omitted.one.name, namesOf(omitted.one)]).to.deep.equal(['new', 'bd'])
  })

  it('stay where the payload does not name the relation', async () => {
    const before = await make()
    const after = await write(before, { one: { id: before.one.id, name: 'new' } })
    expect([after.one.name, namesOf(after.one)]).to.deep.equal(['new', 'abcd'])
    expect(after.many.map(namesOf)).to.deep.equal(['abcd', 'b'])
  })

  it('are refused in a payload and ignored by a disconnection', async () => {
    const before = await make()
    const { id } = before.one
    const refused = await write(before, { one: { id, tags: [tags.b] } }, 400)
    expect(namesOf(refused.one)).to.equal('abcd')
    const change = { disconnect: [tags.a, tags.b] }
    const after = await write(before, { one: { id, tags: change } })
    expect(namesOf(after.one)).to.equal('bcd')
  })
})
