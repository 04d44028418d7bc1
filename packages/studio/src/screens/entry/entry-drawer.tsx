import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { EntrySession } from '../../entry/entry-session.ts'
import { entryNameOf, type TypeSummary, useTypes } from '../../api/content-types.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Skeleton } from '../../design/late.tsx'
import { notify, notifyFailure } from '../../design/toasts.tsx'
import { startSaver } from '../../entry/start-saver.ts'
import type { Link, FormValues } from '../../entry/values.ts'
import { Field } from '../../fields/field.tsx'
import { FieldList } from '../../fields/field-list.tsx'
import { focusField } from '../../fields/focus.ts'
import { type OpenEntry, OpenEntryContext } from '../../fields/open-entry.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './entry-form.module.css'
import { loadFormPlan } from './load-form.ts'
import { openSession } from './open-session.ts'

export interface EntryDrawerProps {
  readonly uid: string
  readonly title: string
  readonly locale: string | null
  readonly left: EntrySession | null
  readonly onCreated: (link: Link) => void
  /** Receives the session if the user typed something but did not create the entry. */
  readonly onClose: (left: EntrySession | null) => void
}

export function EntryDrawer(props: EntryDrawerProps) {
  const { uid, title, locale, left, onCreated, onClose } = props
  const type = useTypes().find((one) => one.uid === uid)
  const { t, language } = useTexts()
  const { session, isTyped } = useNewSession(type, { title, locale, left })
  const [isBusy, busy] = useState(false)
  const create = async (): Promise<void> => {
    if (session === null) return
    busy(true)
    const isSaved = await session.saver.saveNow()
    busy(false)
    const documentId = session.door.documentId()
    if (documentId !== null) {
      const titleField =
        session.plan.reading.titleFieldOf(uid) ?? session.plan.declaration.titleField
      const named = titleField === null ? null : session.form.get([titleField])
      onCreated({ documentId, title: typeof named === 'string' ? named : documentId })
      onClose(null)
    } else if (!isSaved) {
      const state = session.saver.state()
      notifyFailure(state.kind === 'refused' ? state.message : t('entry.notSaved'))
    }
  }
  const leave = (): void => {
    session?.keepsWork(false)
    onClose(isTyped() ? session : null)
  }
  return (
    <Dialog
      title={t('palette.new', { name: type === undefined ? uid : entryNameOf(type, language) })}
      isOpen
      onClose={leave}
      form="drawer"
      actions={
        <>
          <Button onPress={leave}>{t('action.cancel')}</Button>
          <Button
            look="primary"
            isDisabled={session === null || isBusy}
            onPress={() => void create()}
          >
            {t('entry.create')}
          </Button>
        </>
      }
    >
      {session === null ? <Skeleton /> : <DrawerForm session={session} />}
    </Dialog>
  )
}

function DrawerForm({ session }: { readonly session: EntrySession }) {
  const { form, plan, door } = session
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => void focusField(fields.current), [])
  const open = useMemo(
    (): OpenEntry => ({
      Field,
      form,
      reading: plan.reading,
      uid: plan.type.uid,
      documentId: () => door.documentId(),
      locale: plan.locale,
      isLocalized: plan.type.localized,
      isReadOnly: false,
      followsTitle: () => true,
    }),
    [form, plan, door],
  )
  return (
    <OpenEntryContext value={open}>
      <div ref={fields} className={styles['drawerForm']}>
        <FieldList attributes={plan.attributes} />
      </div>
    </OpenEntryContext>
  )
}

interface Beginning {
  readonly title: string
  readonly locale: string | null
  readonly left: EntrySession | null
}

/** A new session, or the resumed one. `isTyped` tells whether it has input of the user. */
function useNewSession(type: TypeSummary | undefined, { title, locale, left }: Beginning) {
  const client = useQueryClient()
  const { administrator } = useSession()
  const { t } = useTexts()
  const [session, setSession] = useState<EntrySession | null>(left)
  const first = useRef<FormValues | null>(null)
  useEffect(() => {
    if (type === undefined || left !== null) return
    const abort = new AbortController()
    const isGone = (): boolean => abort.signal.aborted
    const load = async (): Promise<void> => {
      const plan = await loadFormPlan(client, type, locale)
      if (isGone()) return
      const opened = await openSession({
        plan,
        documentId: null,
        found: null,
        administrator: administrator.id,
        onCreated: () => undefined,
        isAside: true,
      })
      if (isGone()) return
      const { titleField } = plan.declaration
      if (opened.isRestored) notify(t('entry.restored'))
      else if (titleField !== null && title !== '') opened.form.set([titleField], title)
      first.current = opened.isRestored ? null : opened.form.values()
      setSession(opened)
    }
    load().catch(notifyFailure)
    return () => abort.abort()
  }, [administrator.id, client, left, locale, t, title, type])
  useEffect(() => {
    if (session === null) return
    session.keepsWork(true)
    return startSaver(session.saver)
  }, [session])
  return { session, isTyped: () => session !== null && isTypedInto(session, first.current) }
}

/** A slug generated from a title is not input of the user. */
function isTypedInto({ form, plan }: EntrySession, first: FormValues | null): boolean {
  if (first === null) return true
  const now = form.values()
  return Object.entries(plan.attributes).some(
    ([name, { type }]) => type !== 'uid' && now[name] !== first[name],
  )
}
