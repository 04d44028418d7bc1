import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { commentsQuery } from '../../api/comments.ts'
import { actionQueue } from '../../entry/action-queue.ts'
import type { EntrySession } from '../../entry/entry-session.ts'
import {
  type ActedOn,
  actOnEntry,
  checkPublication,
  deleteEntry,
  type EntryAction,
  factsKey,
} from '../../api/entry-facts.ts'
import type { EntryState } from '../../api/entries.ts'
import { ApiError, type Fault } from '../../api/request.ts'
import { notify, notifyFailure } from '../../design/toasts.tsx'
import { useOwnNotices } from '../../design/use-own-notices.ts'
import { serializeAddress, toAddress, valueAt } from '../../entry/address.ts'
import { isDeepEqual } from '../../entry/deep-equal.ts'
import type { FormValues } from '../../entry/values.ts'
import { focusProblem } from '../../fields/focus.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import { useDuplicate } from './use-duplicate.ts'

export interface EntryActions {
  readonly isBusy: boolean
  readonly publish: () => Promise<void>
  readonly unpublish: () => Promise<void>
  readonly discard: () => Promise<void>
  readonly save: () => Promise<void>
  readonly remove: () => Promise<boolean>
  readonly duplicate: () => Promise<void>
}

export function useEntryActions(
  session: EntrySession,
  state: EntryState | undefined,
): EntryActions {
  const { t } = useTexts()
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const notifyHere = useOwnNotices()
  const { form, saver, door } = session
  const act = (action: EntryAction): Promise<boolean> => actOn(session, client, t, action)
  // Stays the same as long as the form is open, so that an action waits for one of an earlier render.
  const [run] = useState(() => actionQueue(setBusy))
  const alone = (name: string, work: () => Promise<void>) => (): Promise<void> => run(name, work)
  const saveAll = async (): Promise<boolean> => {
    const isSaved = await saver.saveNow()
    if (!isSaved && !focusProblem()) notifyFailure(t('entry.notSaved'))
    return isSaved
  }
  const duplicate = useDuplicate(session)
  const undo = (action: EntryAction) => (): void => void act(action)
  return {
    isBusy,
    save: alone('save', async () => {
      if (await saveAll()) notify(t('entry.saved'))
    }),
    publish: alone('publish', async () => {
      form.setUnfit(new Map())
      if (!(await form.uploads.allArrived())) return notifyFailure(t('entry.notUploaded'))
      if (!(await saver.saveNow())) {
        await showPublicationFaults(session)
        if (!focusProblem()) notifyFailure(t('entry.notSaved'))
        return
      }
      if (door.documentId() === null) return
      if (!(await act('publish'))) return void focusProblem()
      notify(t('entry.published'), state === 'draft' ? undo('unpublish') : undefined)
    }),
    unpublish: alone('unpublish', async () => {
      if (!(await saveAll()) || !(await act('unpublish'))) return
      notify(t('entry.unpublished'), state === 'published' ? undo('publish') : undefined)
    }),
    discard: alone('discard', async () => {
      await saver.saveNow()
      const before = form.values()
      if (await act('discard')) notifyHere(t('entry.discarded'), () => putBack(session, before))
    }),
    remove: () => remove(session, client),
    duplicate: alone('duplicate', () => duplicate(saveAll)),
  }
}

function entryOf({ plan, door }: EntrySession): ActedOn {
  return { uid: plan.type.uid, documentId: door.documentId() ?? '', locale: plan.locale }
}

/** Resolves with false if the server refuses. The reason is shown. */
async function actOn(
  session: EntrySession,
  client: QueryClient,
  t: Texts['t'],
  action: EntryAction,
): Promise<boolean> {
  const { saver, door } = session
  const entry = entryOf(session)
  try {
    await actOnEntry(entry, action, saver.etag())
    if (action === 'publish') door.notePublished()
    await Promise.all([
      saver.refresh(),
      client.invalidateQueries({ queryKey: factsKey(entry.uid, entry.documentId) }),
      client.invalidateQueries({ queryKey: ['content', entry.uid, 'list'] }),
      readReview(client, entry),
    ])
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 412) {
      await saver.refresh()
      notifyFailure(t('entry.changedMeanwhile'))
    } else if (!showFaults(session, error.faults)) notifyFailure(error)
    return false
  }
}

/** Publishing and discarding end the review. */
async function readReview(client: QueryClient, entry: ActedOn): Promise<void> {
  const { queryKey } = commentsQuery(entry)
  const review = client.getQueryData(queryKey)?.review ?? null
  if (review !== null) await client.invalidateQueries({ queryKey })
}

async function remove(session: EntrySession, client: QueryClient): Promise<boolean> {
  const entry = entryOf(session)
  // Saves first, so that the trash has the newest values.
  if (session.saver.isAutomatic()) await session.saver.saveNow()
  try {
    await deleteEntry(entry)
    await Promise.all(
      [['content', entry.uid, 'list'], ['counts'], ['trash']].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    )
    return true
  } catch (error) {
    notifyFailure(error)
    return false
  }
}

/**
 * Shows the faults of the stored draft next to the problems of unsaved values, so that the user sees
 * all of them at the same time. Faults of values that have changed since are outdated.
 */
async function showPublicationFaults(session: EntrySession): Promise<void> {
  const { form, saver, door } = session
  if (door.documentId() === null) return
  try {
    const faults = await checkPublication(entryOf(session))
    const [current, base] = [form.values(), saver.base()]
    const isStored = ({ path }: Fault): boolean => {
      const address = toAddress(base, path)
      return isDeepEqual(valueAt(current, address), valueAt(base, address))
    }
    showFaults(session, faults.filter(isStored), base)
  } catch (error) {
    // The problems of unsaved values are enough to stop the publication.
    if (!(error instanceof ApiError)) throw error
  }
}

/** Positions in the paths of faults refer to `values`. Returns false without any fault of a field. */
function showFaults(
  { form }: EntrySession,
  faults: readonly Fault[],
  values: FormValues = form.values(),
): boolean {
  const problems = new Map<string, readonly string[]>()
  for (const { path, message } of faults.filter((fault) => fault.path.length > 0)) {
    const key = serializeAddress(toAddress(values, path))
    problems.set(key, [...(problems.get(key) ?? []), message])
  }
  form.setUnfit(problems)
  return problems.size > 0
}

/** Puts the discarded changes back into the form as edits, so that they are saved. */
function putBack({ form, plan }: EntrySession, before: FormValues): void {
  for (const name of Object.keys(plan.attributes)) form.set([name], before[name])
}
