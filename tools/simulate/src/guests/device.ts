import { createClient, type ContentType } from '@quire/client'
import { createStore, memoryStorage, type StoreStorage } from '@quire/client/sync'
import { loadSchema } from '../../../../src/server/services/load-schema.ts'
import { contentPlanOf } from '../models/content-plan-of.ts'
import { sendRequest } from './send-request.ts'

export interface DeviceOptions {
  readonly url: string
  readonly token: string
  readonly contentTypesDir: string
  readonly status: 'draft' | 'published'
  readonly limit: number
  /** The storage survives the process. */
  readonly kept: { storage?: StoreStorage }
}

export interface Device {
  /** Compares the followed copy with a new one. Returns the rows of both. */
  finish(): Promise<DeviceRows>
}

export interface DeviceRows {
  readonly followed: readonly string[]
  readonly fresh: readonly string[]
}

type Thing = ContentType & {
  readonly kind: 'collection'
  readonly fields: { readonly documentId: string; readonly locale: string | null; title: string }
}
interface Types {
  readonly locales: 'en' | 'fr' | 'de'
  readonly types: { readonly things: Thing; readonly tags: Thing }
  readonly files: Thing
}

const KINDS = { things: 'collection', tags: 'collection' } as const

/** A device with a copy of the content that follows the server. */
export async function start(options: DeviceOptions): Promise<Device> {
  const { url, token, status, limit, kept } = options
  const content = contentPlanOf<Types>(await loadSchema(options.contentTypesDir))
  const client = createClient<Types>(KINDS, { url, token, fetch: fetchSimulated })
  const storage = (kept.storage ??= memoryStorage())
  const open = (held: StoreStorage) =>
    createStore({
      content,
      client,
      types: ['things', 'tags'],
      locale: ['en', 'fr', 'de'],
      status,
      limit,
      storage: held,
    })
  const rowsOf = (store: Awaited<ReturnType<typeof open>>): readonly string[] =>
    (['things', 'tags'] as const)
      .flatMap((type) =>
        store[type]
          .query({ locale: '*', pageSize: 100_000 })
          .entries.map((entry) => `${type} ${JSON.stringify(entry)}`),
      )
      .toSorted()
  const followed = await open(storage)
  const stop = followed.$follow()
  return {
    finish: async () => {
      stop()
      await followed.$sync()
      const fresh = await open(memoryStorage())
      await fresh.$sync()
      return { followed: rowsOf(followed), fresh: rowsOf(fresh) }
    },
  }
}

/** `fetch` without its own connections, for the requests of the client. */
const fetchSimulated: typeof fetch = async (input, init = {}) => {
  const headers = Object.fromEntries(new Headers(init.headers))
  const answer = await sendRequest({
    method: init.method ?? 'GET',
    url: input instanceof Request ? input.url : String(input),
    headers,
    timeoutMs: 120_000,
    ...(typeof init.body === 'string' && { body: init.body }),
    ...(init.signal && { signal: init.signal }),
  }).catch((error: unknown) => {
    if (init.signal?.aborted === true) throw init.signal.reason
    throw new TypeError('fetch failed', { cause: error })
  })
  const isEmpty = answer.status === 204 || answer.status === 304
  return new Response(isEmpty ? null : answer.text, {
    status: answer.status,
    headers: answer.headers,
  })
}
