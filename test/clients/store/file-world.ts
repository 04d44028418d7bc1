import type { ContentType } from '@quire/client'
import { createClient } from '@quire/client'
import { createStore, memoryStorage, type StoreStorage } from '@quire/client/sync'
import { loadSchema } from '../../../src/server/services/load-schema.ts'
import { contentPlanOf } from '../../../tools/simulate/src/models/content-plan-of.ts'
import type { Member } from '../../api/people/rules-world.ts'
import { permitPushes, pushed } from '../../support/push-world.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

/** Loosely typed. `client-types.hard.test.ts` checks the exact types. */
interface Loose extends ContentType {
  readonly kind: 'collection'
  readonly fields: Json
  readonly create: Json
  readonly update: Json
  readonly filters: Json
  readonly populate: Json
}

export interface FileTypes {
  readonly locales: 'en'
  readonly types: { readonly notes: Loose }
  readonly files: Loose
}

const TYPES = {
  note: pushed(
    declare('note', {
      title: { type: 'string' },
      cover: { type: 'media' },
      pages: { type: 'media', multiple: true },
      parts: { type: 'component', component: 'shared.part', repeatable: true },
    }),
  ),
  'components/shared/part': { attributes: { scan: { type: 'media' } } },
}

const UPLOAD = 'plugin::upload.content-api'
const NOTE_VERBS = ['find', 'findOne', 'sync', 'create', 'update', 'delete', 'push']

export const MAX_BYTES = 100_000

/** Notes with files, which devices may push. */
export async function serveFiles(name: string, maxBytes = MAX_BYTES): Promise<TestServer> {
  const server = await serve(name, {
    contentTypes: TYPES,
    environment: { RATE_LIMIT: 'off', MAX_UPLOAD_BYTES: String(maxBytes) },
  })
  await permitPushes(server, [
    ...NOTE_VERBS.map((verb) => `api::note.note.${verb}`),
    ...['find', 'findOne', 'sync', 'upload'].map((verb) => `${UPLOAD}.${verb}`),
  ])
  return server
}

/** The store of an end user, with the files if `showsFiles`. */
export async function openFileDevice(
  server: Pick<TestServer, 'contentTypesDir' | 'port'>,
  { token, documentId: user }: Pick<Member, 'token' | 'documentId'>,
  options: {
    readonly storage?: StoreStorage
    readonly fetch?: typeof fetch
    readonly showsFiles?: boolean
  } = {},
) {
  const { storage = memoryStorage(), showsFiles = true } = options
  const types: ('notes' | '$files')[] = showsFiles ? ['notes', '$files'] : ['notes']
  return createStore({
    content: contentPlanOf<FileTypes>(await loadSchema(server.contentTypesDir)),
    client: createClient<FileTypes>(
      { notes: 'collection' },
      {
        url: `http://127.0.0.1:${server.port}`,
        token,
        retries: 0,
        ...(options.fetch !== undefined && { fetch: options.fetch }),
      },
    ),
    types,
    locale: ['en'],
    storage,
    pauseMs: 10,
    user,
  })
}

export type FileDevice = Awaited<ReturnType<typeof openFileDevice>>
