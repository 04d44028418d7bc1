import type { SavedFacts } from '../api/saved-facts.ts'
import type { Autosave } from './autosave.ts'
import type { EntryDoor } from './door.ts'
import type { FormPlan } from './form-plan.ts'
import type { FormStore } from './form-store.ts'

export interface OpenDoor extends EntryDoor {
  readonly documentId: () => string | null
  readonly writtenAt: () => string | null
  /** The facts of the last write; null before, and after a creation. */
  readonly savedFacts: () => SavedFacts | null
  /** Whether the entry was published in this locale since it was opened. */
  readonly wasPublished: () => boolean
  readonly notePublished: () => void
}

export interface EntrySession {
  readonly plan: FormPlan
  readonly form: FormStore
  readonly saver: Autosave
  readonly door: OpenDoor
  /** Whether the form contains changes of an earlier session that were never saved. */
  readonly isRestored: boolean
  /** Turns storage in the browser on or off. Off when the user discards the form. */
  readonly keepsWork: (isKept: boolean) => void
}
