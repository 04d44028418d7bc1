import { expect } from 'chai'
import { addAdministrator, signIn } from '../../support/admin-client.ts'
import { openReleases, type Releases } from '../../support/releases.ts'
import { declare, type Json, type TestServer } from '../../support/server.ts'

const part = (name: string) => ({
  info: { displayName: name },
  attributes: { text: { type: 'string' } },
})
const relation = (target: string, more: object = {}) => ({
  type: 'relation',
  relation: 'manyToMany',
  target: `api::${target}.${target}`,
  ...more,
})
const component = (uid: string, more: object = {}) => ({
  type: 'component',
  component: uid,
  ...more,
})
const zone = (components: readonly string[], more: object = {}) => ({
  type: 'dynamiczone',
  components,
  ...more,
})

const named = (name: string, more: object = {}) =>
  declare(name, { name: { type: 'string' }, ...more })

function world(value: object, more: object = {}) {
  const thing = { name: { type: 'string' }, value }
  return {
    'components/shared/one': part('One'),
    'components/shared/two': part('Two'),
    red: named('red'),
    blue: named('blue'),
    thing: declare('thing', thing, { draftAndPublish: true }),
    ...more,
  }
}

const REFUSED: readonly (readonly [
  title: string,
  from: object,
  to: object,
  value: (red: string) => unknown,
  sentence: RegExp,
])[] = [
  [
    'another target',
    relation('red'),
    relation('blue'),
    (red) => [red],
    /attributes\.value\.target: stored values of type relation to many \(api::red\.red\) that do not fit relation to many \(api::blue\.blue\): 2; add "convert": "null"/,
  ],
  [
    'the other side of a relation',
    relation('red'),
    relation('thing', { mappedBy: 'others' }),
    (red) => [red],
    /attributes\.value\.mappedBy: stored values of type relation to many \(api::red\.red\) that do not fit relation to many: 2/,
  ],
  [
    'another component',
    component('shared.one'),
    component('shared.two'),
    () => ({ text: 'a' }),
    /attributes\.value\.component: stored values of type component \(shared\.one\) that do not fit component \(shared\.two\): 2/,
  ],
  [
    'a list of another component',
    component('shared.one', { repeatable: true }),
    component('shared.two', { repeatable: true }),
    () => [{ text: 'a' }],
    /attributes\.value\.component: stored values of type component list \(shared\.one\) .*: 2/,
  ],
  [
    'a zone with fewer components',
    zone(['shared.one', 'shared.two']),
    zone(['shared.two']),
    () => [
      { __component: 'shared.one', text: 'a' },
      { __component: 'shared.two', text: 'b' },
      { __component: 'shared.one', text: 'c' },
    ],
    /attributes\.value\.components: stored values of type dynamiczone \(shared\.one\) that do not fit dynamiczone: 4/,
  ],
]

describe('stored values after a change of the target or the components', () => {
  let releases: Releases

  beforeEach(() => {
    releases = openReleases('changed_targets')
  })

  afterEach(() => releases.end())

  async function make(server: TestServer, type: string, data: object): Promise<string> {
    const { status, text, body } = await server.post(`/api/${type}?status=published`, data)
    expect(status, text).to.equal(201)
    return body.data.documentId
  }

  async function refusal(contentTypes: Readonly<Record<string, object>>): Promise<string> {
    try {
      await releases.start(contentTypes)
    } catch (error) {
      return String(error)
    }
    throw new Error('the server has started')
  }

  async function values(server: TestServer): Promise<readonly Json[]> {
    const { status, text, body } = await server.get('/api/things?populate=*&sort=name')
    expect(status, text).to.equal(200)
    return body.data.map((entry: Json) => shown(entry.value))
  }

  for (const [title, from, to, valueOf, sentence] of REFUSED) {
    it(`are counted for ${title}, and kept`, async () => {
      const isInverse = 'mappedBy' in to
      const others = { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing' }
      const after = isInverse
        ? world(to, {
            thing: declare(
              'thing',
              { name: { type: 'string' }, value: to, others: { ...others, inversedBy: 'value' } },
              { draftAndPublish: true },
            ),
          })
        : world(to)
      const server = await releases.start(world(from))
      const red = await make(server, 'reds', { name: 'r' })
      await make(server, 'things', { name: 'a', value: valueOf(red) })
      await make(server, 'things', { name: 'b' })
      const before = await values(server)
      expect(await refusal(after)).to.match(sentence)
      expect(await values(await releases.start(world(from)))).to.deep.equal(before)
    })
  }

  it('permit any change while there are none', async () => {
    for (const [, from, to] of REFUSED.filter(([, , other]) => !('mappedBy' in other))) {
      const server = await releases.start(world(from))
      const id = await make(server, 'things', { name: 'a' })
      await releases.start(world(to))
      const again = await releases.start(world(from))
      expect((await again.delete(`/api/things/${id}`)).status).to.equal(204)
      await releases.end()
      releases = openReleases('changed_targets')
    }
  })

  it('return with a roll-back after "convert": "null"', async () => {
    const server = await releases.start(world(relation('red')))
    const red = await make(server, 'reds', { name: 'r' })
    const id = await make(server, 'things', { name: 'a', value: [red] })
    const after = await releases.start(world(relation('blue', { convert: 'null' })))
    expect(await values(after)).to.deep.equal([[]])
    const blue = await make(after, 'blues', { name: 'b' })
    const write = await after.put(`/api/things/${id}`, { value: [blue] })
    expect(write.status, write.text).to.equal(200)
    expect(await values(after)).to.deep.equal([[blue]])
    const found = await after.get('/api/things?filters[value][name]=b')
    expect(found.body.data).to.have.length(1)
    expect(await values(await releases.start(world(relation('red'))))).to.deep.equal([[red]])
  })

  it('keep the elements of a zone that still fit, in all versions and in the trash', async () => {
    const both = zone(['shared.one', 'shared.two'])
    const server = await releases.start(world(both))
    const value = ['one', 'two', 'one'].map((name) => ({
      __component: `shared.${name}`,
      text: name,
    }))
    await make(server, 'things', { name: 'a', value })
    const gone = await make(server, 'things', { name: 'gone', value })
    expect((await server.delete(`/api/things/${gone}`)).status).to.equal(204)
    expect(await refusal(world(zone(['shared.two'])))).to.match(/: 8; add "convert"/)
    const after = await releases.start(world(zone(['shared.two'], { convert: 'null' })))
    const kept = [{ __component: 'shared.two', text: 'two' }]
    expect(await values(after)).to.deep.equal([kept])
    await addAdministrator(after, 'Editor', ['editor'])
    const editor = await signIn(after, 'editor@example.org')
    const path = `/admin/trash/api::thing.thing/${gone}/restore`
    expect((await editor.send('POST', path, { data: {} })).status).to.equal(200)
    const again = await releases.start(world(both))
    const drafts = await again.get('/api/things?populate=*&sort=name&status=draft')
    expect(drafts.body.data.map((entry: Json) => shown(entry.value))).to.deep.equal([kept, kept])
  })

  it('stay after a rename of the target and of the components', async () => {
    const all = (target: string, one: string) => ({
      'components/shared/two': part('Two'),
      blue: named('blue'),
      thing: declare('thing', {
        name: { type: 'string' },
        value: relation(target),
        own: component(one),
        zone: zone([one, 'shared.two']),
      }),
    })
    const before = {
      ...all('red', 'shared.one'),
      'components/shared/one': part('One'),
      red: named('red'),
    }
    const after = {
      ...all('green', 'shared.first'),
      'components/shared/first': { from: 'shared.one', ...part('One') },
      green: { from: 'red', ...named('green') },
    }
    const server = await releases.start(before)
    const red = await make(server, 'reds', { name: 'r' })
    const inZone = { __component: 'shared.one', text: 'z' }
    await make(server, 'things', { name: 'a', value: [red], own: { text: 'o' }, zone: [inZone] })
    const renamed = await releases.start(after)
    const [entry] = (await renamed.get('/api/things?populate=*')).body.data
    expect(shown(entry.value)).to.deep.equal([red])
    expect(entry.own.text).to.equal('o')
    expect(entry.zone[0]).to.include({ __component: 'shared.first', text: 'z' })
    expect(await values(await releases.start(before))).to.deep.equal([[red]])
  })

  it('are counted in components', async () => {
    const inner = (target: string) => ({
      'components/shared/part': {
        info: { displayName: 'Part' },
        attributes: { ref: relation(target) },
      },
    })
    const own = component('shared.part', { repeatable: true })
    const server = await releases.start(world(own, inner('red')))
    const red = await make(server, 'reds', { name: 'r' })
    await make(server, 'things', {
      name: 'a',
      value: [{ ref: [red] }, { ref: [] }, { ref: [red] }],
    })
    expect(await refusal(world(own, inner('blue')))).to.match(
      /part.*: attributes\.ref\.target: stored values .* \(api::blue\.blue\): 4;/,
    )
  })
})

/** Relations as documentIds, and components without ids. */
function shown(value: Json): unknown {
  if (Array.isArray(value)) return value.map(shown)
  if (typeof value !== 'object' || value === null) return value
  if ('documentId' in value) return value.documentId
  const { id: _id, ...rest } = value
  return rest
}
