import type { ContentPlan, ContentType } from '@quire/client'
import { createClient } from '@quire/client'
import { createStore, memoryStorage, type StoreStorage } from '@quire/client/sync'
import { loadSchema } from '../../../src/server/services/load-schema.ts'
import { contentPlanOf } from '../../../tools/simulate/src/models/content-plan-of.ts'
import type { Member } from '../../api/people/rules-world.ts'
import { permitPushes, PUSHED_TYPES } from '../../support/push-world.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'

interface Fields {
  id: number
  documentId: string
  title: string
  body: string
  stock: number
  word: string
}

/** Loosely typed. `client-types.hard.test.ts` checks the exact types. */
type Loose<Kind extends 'collection' | 'single' = 'collection'> = ContentType & {
  readonly kind: Kind
  readonly fields: Fields
  readonly create: Json
  readonly update: Json
  readonly filters: Record<string, unknown>
  readonly populate: Record<'tags', { readonly many: Loose }>
}

export interface OutboxTypes {
  readonly locales: 'en' | 'fr'
  readonly types: {
    readonly notes: Loose
    readonly tags: Loose
    readonly pages: Loose
    readonly greetings: Loose
  }
  readonly files: Loose
}

const KINDS = {
  notes: 'collection',
  tags: 'collection',
  pages: 'collection',
  greetings: 'collection',
} as const

export async function serveOutbox(name: string): Promise<TestServer> {
  const server = await serve(name, {
    contentTypes: PUSHED_TYPES,
    locales: ['en', 'fr'],
    environment: { RATE_LIMIT: 'off' },
  })
  await permitPushes(server)
  return server
}

export interface DeviceOptions {
  readonly storage?: StoreStorage
  readonly fetch?: typeof fetch
  readonly status?: 'draft' | 'published'
  readonly user?: string | undefined
}

/** By server. A server with changed types is another one. */
const contents = new WeakMap<object, Promise<ContentPlan<OutboxTypes>>>()

function contentOf(server: Pick<TestServer, 'contentTypesDir'>): Promise<ContentPlan<OutboxTypes>> {
  const known = contents.get(server)
  if (known !== undefined) return known
  const content = loadSchema(server.contentTypesDir).then((schema) =>
    contentPlanOf<OutboxTypes>(schema),
  )
  contents.set(server, content)
  return content
}

/** A store of an end user. */
export async function openDevice(
  server: Pick<TestServer, 'contentTypesDir' | 'port'>,
  { token, documentId }: Pick<Member, 'token' | 'documentId'>,
  { storage = memoryStorage(), status = 'published', ...options }: DeviceOptions = {},
) {
  const user = 'user' in options ? options.user : documentId
  return createStore({
    content: await contentOf(server),
    client: createClient<OutboxTypes>(KINDS, {
      url: `http://127.0.0.1:${server.port}`,
      token,
      retries: 0,
      ...(options.fetch !== undefined && { fetch: options.fetch }),
    }),
    types: ['notes', 'tags', 'pages', 'greetings'],
    locale: ['en', 'fr'],
    storage,
    status,
    pauseMs: 10,
    ...(user !== undefined && { user }),
  })
}

export type OutboxDevice = Awaited<ReturnType<typeof openDevice>>
