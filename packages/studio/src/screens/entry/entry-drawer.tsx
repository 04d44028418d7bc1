import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type TypeSummary, useTypes } from '../../api/content-types.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Skeleton } from '../../design/late.tsx'
import { notifyFailure } from '../../design/toasts.tsx'
import type { Link } from '../../entry/values.ts'
import { Field } from '../../fields/field.tsx'
import { focusField } from '../../fields/focus.ts'
import { type OpenEntry, OpenEntryContext } from '../../fields/open-entry.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './entry-form.module.css'
import { loadFormPlan } from './load-form.ts'
import { type EntrySession, openSession } from './session.ts'

export interface EntryDrawerProps {
  readonly uid: string
  /** What its title begins with. */
  readonly title: string
  readonly locale: string | null
  readonly onCreated: (link: Link) => void
  readonly onClose: () => void
}

/** Makes an entry of another type without leaving this one. */
export function EntryDrawer({ uid, title, locale, onCreated, onClose }: EntryDrawerProps) {
  const type = useTypes().find((one) => one.uid === uid)
  const { t } = useTexts()
  const session = useNewSession(type, title, locale)
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
      onClose()
    } else if (!isSaved) {
      const state = session.saver.state()
      notifyFailure(state.kind === 'refused' ? state.message : t('entry.notSaved'))
    }
  }
  return (
    <Dialog
      title={t('palette.new', { name: type?.displayName ?? uid })}
      isOpen
      onClose={onClose}
      form="drawer"
      actions={
        <>
          <Button onPress={onClose}>{t('action.cancel')}</Button>
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
    }),
    [form, plan, door],
  )
  return (
    <OpenEntryContext value={open}>
      <div ref={fields} className={styles['drawerForm']}>
        {Object.entries(plan.attributes).map(([name, attribute]) => (
          <Field key={name} attribute={attribute} name={name} place={name} />
        ))}
      </div>
    </OpenEntryContext>
  )
}

function useNewSession(
  type: TypeSummary | undefined,
  title: string,
  locale: string | null,
): EntrySession | null {
  const client = useQueryClient()
  const { administrator } = useSession()
  const [session, setSession] = useState<EntrySession | null>(null)
  useEffect(() => {
    if (type === undefined) return
    let isGone = false
    loadFormPlan(client, type, locale).then((plan) => {
      if (isGone) return
      const opened = openSession({
        plan,
        documentId: null,
        found: null,
        administrator: administrator.id,
        onCreated: () => undefined,
        isAside: true,
      })
      const { titleField } = plan.declaration
      if (titleField !== null && title !== '') opened.form.set([titleField], title)
      setSession(opened)
    }, notifyFailure)
    return () => {
      isGone = true
    }
  }, [administrator.id, client, locale, title, type])
  useEffect(() => session?.saver.start(), [session])
  return session
}
