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

/** All content of the app. Screens read only from this store, online and offline. */
export const store = await createStore({
  content,
  client,
  types: ['articles', 'categories', 'countries', '$files'],
  locale: ['en', 'de'],
  storage: indexedDbStorage('atlas'),
})
