import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { until } from './until.ts'
import { declare, ROOT_TOKEN, type ServerOptions } from './server.ts'

/** The parts of a multipart body. Objects are sent as JSON. */
export interface Parts {
  readonly files?: readonly {
    readonly name: string
    readonly content: string | Buffer
    readonly type?: string
    readonly field?: string
  }[]
  readonly fields?: Readonly<Record<string, unknown>>
}

const BOUNDARY = 'boundary-of-the-test'

export const MULTIPART = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }

export function multipart({ files = [], fields = {} }: Parts): Buffer {
  const chunks: (string | Buffer)[] = []
  for (const [name, value] of Object.entries(fields)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    chunks.push(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
    )
  }
  for (const { name, content, type = 'text/plain', field = 'files' } of files) {
    chunks.push(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\n` +
        `Content-Type: ${type}\r\n\r\n`,
      content,
      '\r\n',
    )
  }
  chunks.push(`--${BOUNDARY}--\r\n`)
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)))
}

/** Sends half of an upload, and disconnects once the server has received it. */
export async function stopHalfWay(port: number, isReceived: () => boolean): Promise<void> {
  const body = multipart({ files: [{ name: 'half.txt', content: Buffer.alloc(150_000, 'x') }] })
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/api/upload',
    headers: {
      ...MULTIPART,
      'content-length': body.length,
      authorization: `Bearer ${ROOT_TOKEN}`,
    },
  })
  outgoing.on('error', () => undefined) // the test disconnects
  outgoing.write(body.subarray(0, 100_000))
  await until(isReceived, 10_000)
  outgoing.destroy()
}

/** A type with draft & publish and locales, and a type without them. Both have media. */
export const MEDIA_TYPES: ServerOptions['contentTypes'] = {
  article: declare(
    'article',
    {
      title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
      cover: { type: 'media' },
      gallery: { type: 'media', multiple: true, pluginOptions: { i18n: { localized: true } } },
      seo: { type: 'component', component: 'shared.seo' },
      sections: { type: 'dynamiczone', components: ['shared.seo'] },
    },
    { draftAndPublish: true, localized: true },
  ),
  author: declare('author', {
    name: { type: 'string' },
    avatar: { type: 'media', allowedTypes: ['images'] },
    papers: { type: 'media', multiple: true, allowedTypes: ['files', 'audios'] },
  }),
  'components/shared/seo': {
    info: { displayName: 'Seo' },
    attributes: { title: { type: 'string' }, image: { type: 'media' } },
  },
}

/** The names of all files in a folder, or none if it does not exist. */
export function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
}
