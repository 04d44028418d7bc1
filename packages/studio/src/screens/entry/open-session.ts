import type { EntrySession, OpenDoor } from '../../entry/entry-session.ts'
import type { FormPlan, FoundEntry } from '../../entry/form-plan.ts'
import { Autosave } from '../../entry/autosave.ts'
import { FormStore } from '../../entry/form-store.ts'
import {
  type KeptFor,
  type KeptWork,
  keepWork,
  learnKeptKeys,
  takeKeptWork,
} from '../../entry/kept-work.ts'
import { announceWindow, findOtherWindows, WINDOW } from '../../entry/open-windows.ts'
import { randomName } from '../../api/random-name.ts'
import { runAfter } from '../../entry/run-after.ts'
import { restoreWork } from '../../entry/unsaved.ts'
import { newValues, toFormValues } from '../../entry/values.ts'
import { openDoor } from './open-door.ts'

export interface Opening {
  readonly plan: FormPlan
  readonly documentId: string | null
  readonly found: FoundEntry | null
  readonly administrator: string
  readonly onCreated: (documentId: string) => void
  /** A new entry in a drawer. It is saved only when the user confirms. */
  readonly isAside?: boolean
}

/** Opens an entry and merges the changes that the browser has stored. */
export async function openSession({
  plan,
  documentId,
  found,
  administrator,
  onCreated,
  isAside = false,
}: Opening): Promise<EntrySession> {
  const { attributes, components, reading, type, locale } = plan
  const door = openDoor(plan, { documentId, found }, onCreated)
  const keeper = openKeeper({ administrator, uid: type.uid, locale, isAside }, documentId, door)
  const kept = await keeper.take()
  if (kept !== null) learnKeptKeys(attributes, kept.base, components, reading.keys)
  const base =
    found === null ? newValues(attributes, reading) : toFormValues(attributes, found.entry, reading)
  const form = new FormStore(base)
  if (kept !== null) restoreWork({ form, attributes, components, base }, kept)
  const saver = new Autosave({
    attributes,
    components,
    reading,
    door,
    form,
    base,
    etag: found?.etag ?? null,
    isNew: found === null,
    isAutomatic: type.draftAndPublish && !isAside,
    keep: keeper.keep,
    now: Date.now,
    after: runAfter,
    newAttempt: randomName,
  })
  return { plan, form, saver, door, isRestored: kept !== null, keepsWork: keeper.keepsWork }
}

function openKeeper(of: Omit<KeptFor, 'documentId'>, first: string | null, door: OpenDoor) {
  let isKept = true
  const keep = (documentId: string | null, work: KeptWork | null): void =>
    void keepWork(localStorage, { ...of, documentId }, { window: WINDOW, work, at: Date.now() })
  return {
    take: async (): Promise<KeptWork | null> => {
      announceWindow()
      const others = await findOtherWindows()
      const taking = { window: WINDOW, others, at: Date.now() }
      return takeKeptWork(localStorage, { ...of, documentId: first }, taking)
    },
    keep: (work: KeptWork | null): void => {
      const documentId = door.documentId()
      // Removes the changes that were stored before the entry had a documentId.
      if (documentId !== first) keep(first, null)
      keep(documentId, isKept ? work : null)
    },
    keepsWork: (keeps: boolean): void => void (isKept = keeps),
  }
}
