import { createStore, indexedDbStorage } from '@quire/client/sync'
import { content, createClient } from './content.ts'

const SESSION = 'atlas-session'

interface Session {
  readonly jwt: string
  readonly refreshToken?: string
}

/** Asks the server: as nobody, or as who has signed in. */
export const client = createClient({
  url: location.origin,
  storage: {
    get: () => JSON.parse(localStorage.getItem(SESSION) ?? 'null') as Session | null,
    set: (session) => localStorage.setItem(SESSION, JSON.stringify(session)),
  },
})

/** All that the app shows: it reads from here only, with a network and without. */
export const store = await createStore({
  content,
  client,
  types: ['articles', 'categories', 'countries', '$files'],
  locale: ['en', 'de'],
  storage: indexedDbStorage('atlas'),
})
