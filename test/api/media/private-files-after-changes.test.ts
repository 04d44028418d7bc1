import { expect } from 'chai'
import { openFileAddresses } from '../../../src/media/file-addresses.ts'
import { png } from '../../media/sample-images.ts'
import { type S3Server, startS3Server } from '../../media/storage/s3-server.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const SECRET = 'a secret that only this test knows, 32+ characters'
const HOUR_MS = 3_600_000
const NOTE = 'api::note.note'
const FOLDER = 'api::folder.folder'

const CONTENT_TYPES = {
  note: declare(
    'note',
    {
      title: { type: 'string' },
      open: { type: 'boolean' },
      scan: { type: 'media', privateFiles: true },
      part: { type: 'component', component: 'shared.part' },
    },
    { search: { title: 1 } },
  ),
  folder: declare('folder', {
    note: { type: 'relation', relation: 'manyToOne', target: NOTE },
  }),
  'components/shared/part': {
    info: { displayName: 'Part' },
    attributes: { scan: { type: 'media', privateFiles: true } },
  },
}

interface FileJson {
  readonly id: number
  readonly hash: string
  readonly url: string
  readonly formats: Readonly<Record<string, { readonly url: string }>>
}

async function upload(server: TestServer, fileInfo: object, id?: number): Promise<FileJson> {
  const files = [{ name: 'scan.png', content: await png(600, 400), type: 'image/png' }]
  const answer = await server.send('POST', `/api/upload${id === undefined ? '' : `?id=${id}`}`, {
    headers: MULTIPART,
    body: multipart({ files, fields: { fileInfo } }),
  })
  expect(answer.status, answer.text).to.be.oneOf([200, 201])
  return id === undefined ? answer.body[0] : answer.body
}

const urlsOf = ({ url, formats }: FileJson): readonly string[] => [
  url,
  ...Object.values(formats).map((one) => one.url),
]

interface Form {
  readonly name: string
  readonly method?: 'GET' | 'HEAD'
  readonly query?: string
  /** Made from the response to the plain request, while it still had one. */
  readonly headers?: (before: Answer) => Readonly<Record<string, string>>
  /** The status for a valid signature. */
  readonly served: number
}

const etagOf = ({ headers }: Answer): string => headers.etag ?? ''

const FORMS: readonly Form[] = [
  { name: 'plain', served: 200 },
  { name: 'HEAD', method: 'HEAD', served: 200 },
  { name: 'range', headers: () => ({ range: 'bytes=0-9' }), served: 206 },
  { name: 'last bytes', headers: () => ({ range: 'bytes=-1' }), served: 206 },
  { name: 'range beyond the end', headers: () => ({ range: 'bytes=999999999-' }), served: 416 },
  {
    name: 'If-Range',
    headers: (before) => ({ range: 'bytes=0-9', 'if-range': etagOf(before) }),
    served: 206,
  },
  {
    name: 'If-None-Match',
    headers: (before) => ({ 'if-none-match': etagOf(before) }),
    served: 304,
  },
  { name: 'If-None-Match: *', headers: () => ({ 'if-none-match': '*' }), served: 304 },
  {
    name: 'HEAD with If-None-Match',
    method: 'HEAD',
    headers: (before) => ({ 'if-none-match': etagOf(before) }),
    served: 304,
  },
  {
    name: 'If-Modified-Since',
    headers: (before) => ({ 'if-modified-since': before.headers['last-modified'] ?? '' }),
    served: 304,
  },
  { name: 'variant', query: 'width=256&format=webp', served: 200 },
  { name: 'HEAD of a variant', method: 'HEAD', query: 'width=256&format=webp', served: 200 },
  {
    name: 'range of a variant',
    query: 'width=256&format=webp',
    headers: () => ({ range: 'bytes=0-9' }),
    served: 206,
  },
  {
    name: 'negotiated variant',
    query: 'width=256&format=auto',
    headers: () => ({ accept: 'image/avif,image/webp' }),
    served: 200,
  },
  { name: 'immutable address', query: 'v=1', served: 200 },
]

/** What the response to a request without rights must not have. */
const FORBIDDEN_HEADERS = ['etag', 'last-modified', 'content-range', 'accept-ranges']

for (const storage of ['local', 'gridfs', 's3']) {
  describe(`the bytes of files on ${storage} after changes`, () => {
    let server: TestServer
    let s3: S3Server | null = null
    before(async () => {
      s3 = storage === 's3' ? await startS3Server() : null
      server = await serve(`private_later_${storage}`, {
        contentTypes: CONTENT_TYPES,
        environment: { JWT_SECRET: SECRET, ...(s3?.environment ?? { UPLOAD_STORAGE: storage }) },
      })
    })
    after(async () => {
      await server.close()
      await s3?.close()
    })

    const ask = (url: string, { method = 'GET', query, headers }: Form, before: Answer) => {
      const joined = query === undefined ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`
      return server.send(method, joined, { token: null, headers: headers?.(before) ?? {} })
    }
    const plain = (url: string): Promise<Answer> => server.get(url, { token: null })
    const edit = async (file: FileJson, isPrivate: boolean): Promise<FileJson> =>
      (
        await server.send('POST', `/api/upload?id=${file.id}`, {
          body: { fileInfo: { private: isPrivate } },
        })
      ).body

    const isServed = async (url: string, caching: RegExp): Promise<void> => {
      const before = await plain(url)
      for (const form of FORMS) {
        const answer = await ask(url, form, before)
        expect([form.name, url, answer.status]).to.deep.equal([form.name, url, form.served])
        const wanted = form.served < 400 ? caching : /^no-store$/
        expect(answer.headers['cache-control'], form.name).to.match(wanted)
      }
    }
    const isGone = async (url: string, before: Answer): Promise<void> => {
      for (const form of FORMS) {
        const answer = await ask(url, form, before)
        expect([form.name, url, answer.status]).to.deep.equal([form.name, url, 404])
        expect(answer.headers['cache-control'], form.name).to.equal('no-store')
        for (const name of FORBIDDEN_HEADERS) {
          expect(answer.headers, `${form.name} ${url}`).to.not.have.property(name)
        }
      }
    }

    /** Returns the addresses that end by the change. */
    const CHANGES: Readonly<Record<string, (file: FileJson) => Promise<unknown>>> = {
      'made private': (file) => edit(file, true),
      'made private and replaced': async (file) => {
        await edit(file, true)
        await upload(server, {}, file.id)
      },
      'replaced and made private': async (file) => {
        await upload(server, {}, file.id)
        await edit(file, true)
      },
      deleted: (file) => server.delete(`/api/upload/files/${file.id}`),
    }

    for (const [name, change] of Object.entries(CHANGES)) {
      it(`are a 404 at each public address in each form once the file is ${name}`, async () => {
        const file = await upload(server, {})
        const before = new Map<string, Answer>()
        for (const url of urlsOf(file)) before.set(url, await plain(url))
        await isServed(file.url, /^public/)
        await change(file)
        for (const [url, answer] of before) await isGone(url, answer)
      })
    }

    const ENDS: Readonly<Record<string, (file: FileJson) => Promise<unknown>>> = {
      'made public': (file) => edit(file, false),
      'made public and private again': async (file) => edit(await edit(file, false), true),
      deleted: (file) => server.delete(`/api/upload/files/${file.id}`),
    }

    for (const [name, end] of Object.entries(ENDS)) {
      it(`are a 404 at each signed address in each form once the file is ${name}`, async () => {
        const file = await upload(server, { private: true })
        const before = new Map<string, Answer>()
        for (const url of urlsOf(file)) before.set(url, await plain(url))
        await isServed(file.url, /^private, no-cache$/)
        await end(file)
        for (const [url, answer] of before) {
          await isGone(url, answer)
          await isGone(url.split('?', 1)[0] ?? '', answer)
        }
      })
    }

    it('are a 404 in each form after the address has expired, and without a signature', async () => {
      const file = await upload(server, { private: true })
      const before = await plain(file.url)
      const bare = file.url.split('?', 1)[0] ?? ''
      const past = openFileAddresses({
        secret: SECRET,
        now: () => new Date(Date.now() - 3 * HOUR_MS),
        storage: {},
      })
      await isGone((await past.sign(bare)) ?? '', before)
      await isGone(bare, before)
      await isServed(file.url, /^private, no-cache$/)
    })
  })
}

describe('signed addresses after the entry or its rule changed', () => {
  let server: TestServer
  let scan: FileJson
  let documentId: string
  let folder: string
  before(async () => {
    server = await serve('private_rules', {
      contentTypes: CONTENT_TYPES,
      environment: { JWT_SECRET: SECRET, RATE_LIMIT: 'off', CACHE_MAX_AGE: '60' },
    })
  })
  after(() => server.close())

  const OPEN = { where: { open: true } }
  const PERMITTED = [`${FOLDER}.find`, `${FOLDER}.findOne`]
  const rulesOf = (rule: object) =>
    ['find', 'findOne'].map((verb) => ({ action: `${NOTE}.${verb}`, ...rule }))

  interface Reader {
    readonly token: () => string | null
    readonly permit: (permissions: readonly string[], rules: readonly object[]) => Promise<void>
  }
  let accessKey = ''
  const put = async (target: string, body: object): Promise<Json> => {
    const answer = await server.send('PUT', target, { body })
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data
  }
  const READERS: Readonly<Record<string, Reader>> = {
    'anonymous callers': {
      token: () => null,
      permit: async (permissions, rules) => {
        await put('/admin/roles/public', { permissions, rules })
      },
    },
    'API tokens': {
      token: () => accessKey,
      permit: async (permissions, rules) => {
        const { body } = await server.send('GET', '/admin/api-tokens')
        const known = body.data.find(({ name }: Json) => name === 'reader')
        if (known !== undefined) {
          await put(`/admin/api-tokens/${known.id}`, { permissions, rules })
          return
        }
        const made = { name: 'reader', type: 'custom', permissions, rules }
        const answer = await server.send('POST', '/admin/api-tokens', { body: made })
        expect(answer.status, answer.text).to.equal(201)
        accessKey = answer.body.data.accessKey
      },
    },
  }

  const DOORS: Readonly<Record<string, () => string>> = {
    entry: () => `/api/notes/${documentId}?populate=scan`,
    'one attribute': () => `/api/notes/${documentId}?populate[scan][fields]=url&fields=title`,
    component: () => `/api/notes/${documentId}?populate[part][populate]=scan`,
    list: () => `/api/notes?populate=*&filters[title]=secret`,
    search: () => '/api/notes?_q=secret&populate=scan',
    relation: () => `/api/folders/${folder}?populate[note][populate]=scan`,
    'list of a relation': () => '/api/folders?populate[note][populate]=scan',
  }

  const CHANGES: Readonly<Record<string, (reader: Reader) => Promise<unknown>>> = {
    'the entry is hidden by the rule': () =>
      server.put(`/api/notes/${documentId}`, { open: false }),
    'the file is detached': () =>
      server.put(`/api/notes/${documentId}`, { scan: null, part: null }),
    'the entry is deleted': () => server.delete(`/api/notes/${documentId}`),
    'the rule hides the entry': ({ permit }) =>
      permit(PERMITTED, rulesOf({ where: { open: false } })),
    'the rule hides the attribute': ({ permit }) =>
      permit(PERMITTED, rulesOf({ ...OPEN, fields: ['title', 'open'] })),
    'the permission is revoked': ({ permit }) => permit(PERMITTED, []),
  }

  for (const [who, reader] of Object.entries(READERS)) {
    for (const [name, change] of Object.entries(CHANGES)) {
      it(`are not given to ${who} once ${name}`, async () => {
        scan = await upload(server, { private: true })
        const data = { title: 'secret', open: true, scan: scan.id, part: { scan: scan.id } }
        documentId = (await server.post('/api/notes', data)).body.data.documentId
        folder = (await server.post('/api/folders', { note: documentId })).body.data.documentId
        await reader.permit(PERMITTED, rulesOf(OPEN))
        const before = new Map<string, Answer>()
        for (const [door, path] of Object.entries(DOORS)) {
          // Twice, so that a cache has the response.
          await server.get(path(), { token: reader.token() })
          const answer = await server.get(path(), { token: reader.token() })
          expect([door, answer.status, answer.text.includes(scan.hash)]).to.deep.equal([
            door,
            200,
            true,
          ])
          expect(answer.text, door).to.include('signature=')
          expect(answer.headers['cache-control'], door).to.equal('private, no-store')
          before.set(door, answer)
        }
        await change(reader)
        for (const [door, path] of Object.entries(DOORS)) {
          const earlier = before.get(door)?.headers ?? {}
          const conditions = [{}, { 'if-none-match': earlier.etag ?? '"none"' }]
          for (const headers of conditions) {
            for (const method of ['GET', 'HEAD']) {
              const answer = await server.send(method, path(), { token: reader.token(), headers })
              const text = `${door} ${method} ${answer.text}`
              expect(answer.status, text).to.be.oneOf([200, 400, 403, 404])
              expect(answer.text, text).to.not.include(scan.hash)
              expect(JSON.stringify(answer.headers), text).to.not.include(scan.hash)
            }
          }
        }
        await server.delete(`/api/folders/${folder}`)
        await server.delete(`/api/notes/${documentId}`)
      })
    }
  }
})
