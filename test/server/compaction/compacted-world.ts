import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, type TestServer } from '../../support/server.ts'

export const THING = 'api::thing.thing'
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }

/** Marks the stored names that must be gone afterwards. */
export const OLD = 'zq'

/** Without its prefix, a name is that of the new release. */
function typesOf(isNew: boolean, rename: (name: string, attribute: object) => object) {
  const n = (name: string): string => (isNew ? name : OLD + name)
  const swapped = isNew
    ? { left: { type: 'string', from: 'right' }, right: { type: 'integer', from: 'left' } }
    : { left: { type: 'integer' }, right: { type: 'string' } }
  return {
    'components/shared/part': {
      info: { displayName: 'Part' },
      attributes: {
        ...rename('code', { type: 'string', unique: true }),
        ...rename('inner', { type: 'component', component: 'shared.inner' }),
        // The name of another attribute of the content-type.
        [n('title')]: { type: 'decimal', ...(isNew && { from: `${OLD}title` }) },
      },
    },
    'components/shared/inner': {
      info: { displayName: 'Inner' },
      attributes: rename('deep', { type: 'string' }),
    },
    'components/shared/note': {
      info: { displayName: 'Note' },
      attributes: rename('said', { type: 'string' }),
    },
    person: declare('person', {
      ...rename('pen', { type: 'string', unique: true }),
      ...rename('things', {
        type: 'relation',
        relation: 'oneToMany',
        target: THING,
        mappedBy: n('owner'),
      }),
    }),
    thing: {
      ...declare(
        'thing',
        {
          ...rename('title', { type: 'string', unique: true, index: true, ...LOCALIZED }),
          ...rename('slug', { type: 'uid', targetField: n('title'), ...LOCALIZED }),
          ...swapped,
          ...rename('owner', {
            type: 'relation',
            relation: 'manyToOne',
            target: 'api::person.person',
            inversedBy: n('things'),
          }),
          ...rename('parts', {
            type: 'component',
            component: 'shared.part',
            repeatable: true,
            ...LOCALIZED,
          }),
          ...rename('zone', {
            type: 'dynamiczone',
            components: ['shared.note', 'shared.part'],
            ...LOCALIZED,
          }),
          ...rename('body', { type: 'blocks', ...LOCALIZED }),
          ...rename('facts', { type: 'json' }),
          // Its name is the stored name of a removed attribute.
          ...(isNew && { reused: { type: 'string', from: `${OLD}freed` } }),
          ...(!isNew && { reused: { type: 'string' }, [`${OLD}freed`]: { type: 'string' } }),
        },
        { draftAndPublish: true, localized: true, search: { [n('title')]: 2 } },
      ),
    },
  }
}

type Types = Readonly<Record<string, object>>

function withOptions(types: ReturnType<typeof typesOf>): Types {
  const thing = types.thing as Json
  return {
    ...types,
    thing: { ...thing, options: { ...thing.options, history: true, review: true } },
  }
}

export const OLDER: Types = withOptions(
  typesOf(false, (name, attribute) => ({ [OLD + name]: attribute })),
)

const renamed = withOptions(
  typesOf(true, (name, attribute) => ({ [name]: { ...attribute, from: OLD + name } })),
)

/** A release without `reused`, so that another attribute may get its name. */
export const BETWEEN: Types = {
  ...OLDER,
  thing: {
    ...(OLDER['thing'] as Json),
    attributes: { ...(OLDER['thing'] as Json).attributes, reused: undefined },
  },
}

export const NEWER: Types = renamed

const inOldNames = (values: Json): Json =>
  Array.isArray(values)
    ? values.map(inOldNames)
    : typeof values !== 'object' || values === null
      ? values
      : Object.fromEntries(
          Object.entries(values).map(([name, value]) => {
            const isKept = ['left', 'right', '__component', 'reused'].includes(name)
            return [isKept ? name : OLD + name, inOldNames(value)]
          }),
        )

export interface CompactedWorld {
  readonly documentId: string
  readonly person: string
  readonly token: string
  readonly reader: string
}

type Send = (method: string, path: string, body: unknown, headers?: object) => Promise<Json>

function sender(server: TestServer): Send {
  return async (method, path, body, headers = {}) => {
    const {
      status,
      text,
      body: shown,
    } = await server.send(method, path, { body, headers: { ...headers } })
    expect(status, `${method} ${path}: ${text}`).to.be.within(200, 202)
    return shown?.data ?? shown
  }
}

const paragraph = (documentId: string) => [
  {
    type: 'paragraph',
    children: [
      {
        type: 'link',
        url: '',
        entry: { type: THING, documentId },
        children: [{ type: 'text', text: 'more' }],
      },
    ],
  },
]

/** Content in the names of the older release. */
export async function fillOlder(server: TestServer): Promise<void> {
  const send = sender(server)
  const person = await send('POST', '/api/persons', { data: inOldNames({ pen: 'Ada' }) })
  let last = ''
  for (const [index, title] of ['a', 'b', 'c'].entries()) {
    const values = {
      title,
      left: index,
      right: `r${index}`,
      reused: `gone ${index}`,
      freed: `kept ${index}`,
      owner: person.documentId,
      parts: [
        { code: `c${title}`, title: '1.50', inner: { deep: `d${title}` } },
        { code: `d${title}`, title: '2' },
      ],
      zone: [
        { __component: 'shared.note', said: title },
        { __component: 'shared.part', code: `z${title}`, inner: { deep: 'zone' } },
      ],
      ...(last !== '' && { body: '' }),
    }
    const data = {
      ...inOldNames(values),
      zqfacts: { title: 5, zone: [1.5] },
      ...(last !== '' && { zqbody: paragraph(last) }),
    }
    const made = await send('POST', '/api/things?status=published', { data })
    last = made.documentId
    const path = `/api/things/${last}`
    await send('PUT', `${path}?locale=fr&status=draft`, { data: { zqtitle: `fr ${title}` } })
    await send('PUT', `${path}?status=draft`, { data: { left: index + 10 } })
  }
  const lost = await send('POST', '/api/things', {
    data: { zqtitle: 'deleted', left: 7, zqparts: [{ zqcode: 'lost' }] },
  })
  await server.delete(`/api/things/${lost.documentId}`)
}

/** Rows in other collections, and more content. */
export async function fillNewer(server: TestServer): Promise<CompactedWorld> {
  const send = sender(server)
  const where = {
    $or: [{ title: { $ne: 'x' } }, { owner: { pen: 'Ada' } }],
    parts: { inner: { deep: { $ne: 'x' } } },
  }
  const rules = ['find', 'findOne'].map((verb) => ({
    action: `${THING}.${verb}`,
    where,
    fields: ['title', 'left', 'parts', 'owner'],
  }))
  const people = ['find', 'findOne'].map((verb) => ({ action: `api::person.person.${verb}` }))
  const made = await send('POST', '/admin/api-tokens', {
    name: 'reader',
    type: 'custom',
    rules: [...rules, ...people],
  })
  const own = { left: { $ne: 'x' } }
  const synced = ['find', 'sync'].map((verb) => ({ action: `${THING}.${verb}`, where: own }))
  await send('POST', '/admin/roles', { type: 'device', name: 'Device', rules: synced })
  const set = { left: 'set' }
  const creates = [{ action: `${THING}.create`, where: own, set }]
  await send('POST', '/admin/roles', { type: 'writer', name: 'Writer', rules: creates })
  await server.get('/api/things', { token: null }) // the server reads the rules
  const things = (await server.get('/api/things?sort=title')).body.data as readonly Json[]
  const documentId = String(things[0].documentId)
  const path = `/api/things/${documentId}`
  await send('PUT', `${path}?status=published`, { data: { left: 'later', facts: { a: 1 } } })
  await send('POST', '/api/persons', { data: { pen: 'Grace' } }, { 'idempotency-key': 'once' })
  await addAdministrator(server, 'Ada', ['administrator'])
  const ada = await signIn(server, 'ada@example.org')
  await work(ada, documentId)
  await server.settled()
  const sync = await server.get('/api/_sync?types=thing,person&locale=*&status=draft')
  expect(sync.status, sync.text).to.equal(200)
  const persons = (await server.get('/api/persons?filters[pen]=Ada')).body.data
  return {
    documentId,
    person: persons[0].documentId,
    token: sync.body.next,
    reader: made.accessKey,
  }
}

async function work(ada: AdminClient, documentId: string): Promise<void> {
  const send = async (method: string, path: string, body: unknown): Promise<void> => {
    const { status, text } = await ada.send(method, path, body)
    expect(status, `${method} ${path}: ${text}`).to.be.within(200, 204)
  }
  const content = `/admin/content/${THING}/${documentId}`
  await send('PUT', `${content}/review?locale=en`, { stage: 'in-review' })
  const comments = `${content}/comments?locale=en`
  await send('POST', comments, { text: 'one', attribute: 'title' })
  await send('POST', comments, { text: 'two', attribute: 'parts' })
  await send('POST', comments, { text: 'three', attribute: 'left' })
  const entry = { uid: THING, documentId, locale: 'en' }
  await send('PUT', '/admin/presence', entry)
}

const QUERIES = [
  '/api/things?sort=title&populate=*',
  '/api/things?sort=title&status=draft&locale=fr&populate=*',
  '/api/things?sort=right:desc&status=draft&populate=*',
  '/api/things?filters[left][$contains]=r&sort=left&fields=left,right,reused',
  '/api/things?filters[parts][inner][deep]=db&populate[parts][populate]=*',
  '/api/things?filters[owner][pen]=Ada&sort=owner.pen,title&populate[owner]=true',
  '/api/things?filters[reused][$endsWith]=1&populate[zone][populate]=*',
  '/api/things?filters[slug]=b&fields=body',
  '/api/things?search=a',
  '/api/persons?sort=pen&populate[things][sort]=title',
  '/api/persons?filters[things][title]=c',
  '/admin/trash',
]

/** Everything that the newer release shows. */
export async function answersOf(
  server: TestServer,
  { documentId, person, reader }: CompactedWorld,
): Promise<Readonly<Record<string, Json>>> {
  const paths = [
    ...QUERIES,
    `/api/things/${documentId}?populate=*`,
    `/api/persons/${person}?populate=things`,
    `/admin/history/${THING}/${documentId}?locale=en`,
    `/admin/content/${THING}/${documentId}/comments?locale=en`,
    `/admin/roles`,
  ]
  const shown: Record<string, Json> = {}
  for (const path of paths) {
    const { status, body, text } = await server.get(path)
    expect(status, `${path}: ${text}`).to.equal(200)
    shown[path] = body
  }
  const ruled = await server.get('/api/things?sort=title&populate=*', { token: reader })
  expect(ruled.status, ruled.text).to.equal(200)
  expect(ruled.body.data, ruled.text).to.have.length(3)
  const history = shown[`/admin/history/${THING}/${documentId}?locale=en`]
  for (const { id } of history.data as readonly Json[]) {
    const path = `/admin/history/${THING}/${documentId}/${id}?locale=en`
    const entry = await server.get(path)
    shown[path] = { status: entry.status, body: entry.body }
  }
  const sync = await server.get('/api/_sync?types=thing,person&locale=*&status=draft')
  const rows = (sync.body.items as readonly Json[]).map((row) => JSON.stringify(row))
  return { ...shown, ruled: ruled.body, rows: rows.toSorted() }
}
