import { QuireError } from '@quire/client'
import { createStore, indexedDbStorage } from '@quire/client/sync'
import { content } from '../content.ts'
import { client } from '../store.ts'
import { texts } from '../texts.ts'
import { user } from '../user.ts'

/** The notes and lists of the user on this device. Null before the sign-in. */
export const notebook =
  user === null
    ? null
    : await createStore({
        content,
        client,
        types: ['notes', 'lists'],
        locale: 'en',
        storage: indexedDbStorage(`atlas-${user.documentId}`),
        user: user.documentId,
      })

/** Changes stay on this device until the user signs in again. */
export function hasSessionEnded(): boolean {
  const error = notebook?.$status().error
  return error instanceof QuireError && error.status === 401
}

export type Notebook = NonNullable<typeof notebook>

type ChangeState = 'refused' | 'waiting' | 'sent'

/** Of all changes of an entry. */
function stateOf({ $conflicts, $pending }: Notebook, documentId: string): ChangeState {
  const isOfEntry = (change: { readonly documentId: string }): boolean =>
    change.documentId === documentId
  if ($conflicts.some(isOfEntry)) return 'refused'
  return $pending.some(isOfEntry) ? 'waiting' : 'sent'
}

const STATES: Readonly<Record<ChangeState, string>> = {
  refused: texts.notAccepted,
  waiting: texts.savedHere,
  sent: texts.sent,
}

export function stateText(own: Notebook, documentId: string): string {
  return STATES[stateOf(own, documentId)]
}
