import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { openPresence, type Presence, type PresenceLink } from '../../api/presence.ts'
import { toAddress, serializeAddress, toPath } from '../../entry/address.ts'
import type { EntrySession } from '../../entry/entry-session.ts'
import type { FormStore } from '../../entry/form-store.ts'
import { PresentInFields } from '../../fields/presence/present-in-fields.ts'
import { useEntryChanges } from './use-entry-changes.ts'

export interface EntryPresence {
  /** The other users with the entry open. */
  readonly others: readonly Presence[]
  readonly inFields: PresentInFields
  /** Whether changes of the entry arrive as events. Without events they must be polled. */
  readonly isLive: boolean
}

/**
 * Follows the other users and the changes of the entry, and reports the field of this user to the
 * others.
 */
export function useEntryPresence(session: EntrySession): EntryPresence {
  const { plan, door, form } = session
  const { uid } = plan.type
  const { locale } = plan
  const [isLive, setLive] = useState(false)
  const changes = useEntryChanges(session)
  const documentId = door.documentId()
  const [others, setOthers] = useState<readonly Presence[]>([])
  const inFields = useMemo(() => new PresentInFields(), [])
  const link = useRef<PresenceLink | null>(null)
  useEffect(() => {
    if (documentId === null) return
    const show = (present: readonly Presence[]): void => {
      setOthers(present)
      inFields.show(present, (field) =>
        serializeAddress(toAddress(form.values(), field.split('.'))),
      )
    }
    let wasLive = false
    const opened = openPresence(
      { uid, documentId, locale },
      {
        writtenAt: () => door.writtenAt(),
        onOthers: show,
        onChange: (change) => void changes.take(change),
        onLive: (now) => {
          setLive(now)
          if (now && wasLive) changes.takeAll() // changes while there was no stream
          wasLive = true
        },
      },
    )
    link.current = opened
    return () => {
      link.current = null
      opened.close()
      show([])
      setLive(false)
    }
  }, [changes, door, uid, documentId, locale, form, inFields])
  useFocusReports(link, form, documentId)
  return { others, inFields, isLive }
}

function useFocusReports(
  link: RefObject<PresenceLink | null>,
  form: FormStore,
  documentId: string | null,
): void {
  useEffect(() => {
    const onFocus = (): void => {
      const place = focusedPlace()
      if (place === undefined) return
      const address = place?.split('/')
      link.current?.report(address === undefined ? null : toPath(form.values(), address).join('.'))
    }
    onFocus()
    document.addEventListener('focusin', onFocus)
    return () => document.removeEventListener('focusin', onFocus)
  }, [documentId, form, link])
}

/** Null outside of all fields. Undefined in dialogs and menus, which belong to the last field. */
function focusedPlace(): string | null | undefined {
  const focused = document.activeElement ?? document.body
  if (focused.closest('[role=dialog], [role=menu], [role=listbox]') !== null) return undefined
  const within = focused.closest('[data-field], [data-card]')
  return within?.getAttribute('data-card') ?? within?.getAttribute('data-field') ?? null
}
