import { randomBytes, randomInt } from 'node:crypto'
import { LoadClient } from '../mixed-load/load-client.ts'
import { makePicture } from './picture.ts'

/** Clients that never repeat a request, to detect caches that grow with names. */
export interface Strangers {
  readonly client: Pick<LoadClient, 'requests' | 'statuses' | 'wrong'>
  /** Resolves when every request is answered. */
  stop(): Promise<void>
}

export interface StrangersOptions {
  readonly bases: readonly string[]
  readonly token: string
  readonly timeoutMs: number
  readonly pauseMs: number
  readonly count: number
}

/** Any status except 5xx is a valid response to nonsense. */
const ANY_STATUS = Array.from({ length: 300 }, (_, index) => 200 + index)

/** One in this many requests is a picture, which costs as much as a hundred others. */
const PICTURE_EVERY = 40

export function startStrangers({ count, ...options }: StrangersOptions): Strangers {
  const client = new LoadClient(options)
  let isStopped = false
  const isOver = (): boolean => isStopped
  const ended = Promise.all(Array.from({ length: count }, () => keepAsking(client, isOver)))
  // `stop` reports the error. Unhandled, it would end the process.
  ended.catch(() => undefined)
  return {
    client,
    stop: async () => {
      isStopped = true
      await ended
    },
  }
}

async function keepAsking(client: LoadClient, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    if (randomInt(PICTURE_EVERY) === 0) await sendPicture(client)
    else await askStrangely(client)
  }
}

function word(): string {
  return randomBytes(1 + randomInt(12)).toString('hex')
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const CODINGS = ['gzip', 'br', 'deflate', 'identity', 'gzip, br;q=0.5', '*']

/** Each request has unique names. */
const QUESTIONS: readonly (() => readonly [method: string, path: string, body?: object])[] = [
  () => [METHODS[randomInt(METHODS.length)] ?? 'GET', `/${word()}/${word()}?${word()}=${word()}`],
  () => [METHODS[randomInt(METHODS.length)] ?? 'GET', `/api/${word()}/${word()}`],
  () => ['GET', `/api/notes/${word()}?locale=${word()}`],
  () => ['GET', `/api/notes?filters[${word()}][$eq]=${word()}`],
  () => ['GET', `/api/notes?filters[title][$containsi]=${word()}&filters[key][$ne]=${word()}`],
  () => ['GET', `/api/notes?filters[folder][name][$in][0]=${word()}&locale=fr&sort=${word()}`],
  () => ['GET', `/api/members?filters[groups][documentId][$eq]=${word()}&pagination[withCount]=1`],
  () => ['GET', `/api/groups?populate[members][filters][key][$gt]=${word()}&fields=documentId`],
  () => ['GET', `/uploads/${word()}.png?width=${randomInt(2000)}`],
  () => ['POST', '/api/notes', { data: { [word()]: word(), key: { [word()]: 1 } } }],
  () => ['PUT', `/api/notes/${word()}?locale=${word()}`, { data: { title: word() } }],
  () => ['POST', '/api/auth/local', { identifier: word(), password: word() }],
]

async function askStrangely(client: LoadClient): Promise<void> {
  const [method, path, body] = QUESTIONS[randomInt(QUESTIONS.length)]?.() ?? ['GET', '/']
  const headers = {
    'user-agent': word(),
    'accept-encoding': CODINGS[randomInt(CODINGS.length)] ?? '',
    'accept-language': word(),
    origin: `https://${word()}.example`,
    'if-none-match': `"${word()}"`,
    'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
    'x-request-id': word(),
    ...(method === 'POST' && { 'idempotency-key': word() }),
    ...(randomInt(4) === 0 && { authorization: `Bearer ${word()}` }),
  }
  await client.ask(method, path, {
    headers,
    expected: ANY_STATUS,
    ...(body !== undefined && { body }),
  })
}

async function sendPicture(client: LoadClient): Promise<void> {
  const body = new FormData()
  body.append(
    'files',
    new Blob([new Uint8Array(await makePicture())], { type: 'image/jpeg' }),
    `${word()}.jpg`,
  )
  const answer = await client.ask('POST', '/api/upload', { body, expected: [201] })
  if (answer?.status !== 201) return
  const [stored] = answer.body as readonly { readonly id: number; readonly url: string }[]
  if (stored === undefined) return
  await client.ask('GET', `${stored.url}?width=384&format=webp`, { expected: [200] })
  await client.ask('DELETE', `/api/upload/files/${stored.id}`, { expected: [200] })
}
