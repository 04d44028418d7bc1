import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { EntrySession } from '../../entry/entry-session.ts'
import {
  type ActedOn,
  actOnEntry,
  deleteEntry,
  type EntryAction,
  factsKey,
} from '../../api/entry-facts.ts'
import type { EntryState } from '../../api/entries.ts'
import { ApiError } from '../../api/request.ts'
import { notify, notifyFailure } from '../../design/toasts.tsx'
import { useOwnNotices } from '../../design/use-own-notices.ts'
import { toAddress, serializeAddress } from '../../entry/address.ts'
import type { FormValues } from '../../entry/values.ts'
import { focusProblem } from '../../fields/focus.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'

export interface EntryActions {
  readonly isBusy: boolean
  readonly publish: () => Promise<void>
  readonly unpublish: () => Promise<void>
  readonly discard: () => Promise<void>
  readonly save: () => Promise<void>
  readonly remove: () => Promise<boolean>
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
  const alone = (work: () => Promise<void>) => async (): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    await work().finally(() => setBusy(false))
  }
  const saveAll = async (): Promise<boolean> => {
    const isSaved = await saver.saveNow()
    if (!isSaved && !focusProblem()) notifyFailure(t('entry.notSaved'))
    return isSaved
  }
  const undo = (action: EntryAction) => (): void => void act(action)
  return {
    isBusy,
    save: alone(async () => {
      if (await saveAll()) notify(t('entry.saved'))
    }),
    publish: alone(async () => {
      form.setUnfit(new Map())
      if (!(await saveAll()) || door.documentId() === null) return
      if (!(await act('publish'))) return void focusProblem()
      notify(t('entry.published'), state === 'draft' ? undo('unpublish') : undefined)
    }),
    unpublish: alone(async () => {
      if (!(await saveAll()) || !(await act('unpublish'))) return
      notify(t('entry.unpublished'), state === 'published' ? undo('publish') : undefined)
    }),
    discard: alone(async () => {
      await saver.saveNow()
      const before = form.values()
      if (await act('discard')) notifyHere(t('entry.discarded'), () => putBack(session, before))
    }),
    remove: () => remove(session, client),
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
    ])
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 412) {
      await saver.refresh()
      notifyFailure(t('entry.changedMeanwhile'))
    } else if (!showFaults(session, error)) notifyFailure(error)
    return false
  }
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

function showFaults({ form }: EntrySession, { faults }: ApiError): boolean {
  const problems = new Map<string, readonly string[]>()
  for (const { path, message } of faults.filter((fault) => fault.path.length > 0)) {
    const key = serializeAddress(toAddress(form.values(), path))
    problems.set(key, [...(problems.get(key) ?? []), message])
  }
  form.setUnfit(problems)
  return problems.size > 0
}

/** Puts the discarded changes back into the form as edits, so that they are saved. */
function putBack({ form, plan }: EntrySession, before: FormValues): void {
  for (const name of Object.keys(plan.attributes)) form.set([name], before[name])
}
