import { client } from './store.ts'

/** The signed-in user. Known offline, because it is stored with the session. */
export interface User {
  readonly documentId: string
  readonly username: string
}

const USER = 'atlas-user'

export const user = JSON.parse(localStorage.getItem(USER) ?? 'null') as User | null

/** The stores open when the page loads, so that each user has a page of their own. */
export function startAs({ documentId, username }: User): void {
  localStorage.setItem(USER, JSON.stringify({ documentId, username }))
  location.reload()
}

export async function endSession(): Promise<void> {
  await client.$auth.signOut()
  localStorage.removeItem(USER)
  location.reload()
}
