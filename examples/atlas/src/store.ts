import { createStore, indexedDbStorage } from '@quire/client/sync'
import { content, createClient } from './content.ts'

const SESSION = 'atlas-session'

interface Session {
  readonly jwt: string
  readonly refreshToken?: string
}

/** Sends requests, with the session of the user if there is one. */
export const client = createClient({
  url: location.origin,
  storage: {
    get: () => JSON.parse(localStorage.getItem(SESSION) ?? 'null') as Session | null,
    set: (session) => localStorage.setItem(SESSION, JSON.stringify(session)),
  },
})

/** Requests for public content have no session, so that caches can answer them. */
export const publicClient = createClient({ url: location.origin })

/** The public content. Screens read it from this store, online and offline. */
export const store = await createStore({
  content,
  client: publicClient,
  types: ['articles', 'categories', 'countries', '$files'],
  locale: ['en', 'de'],
  storage: indexedDbStorage('atlas'),
})
