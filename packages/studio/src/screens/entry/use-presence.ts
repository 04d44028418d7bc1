import { useEffect, useMemo, useRef, useState } from 'react'
import { openPresence, type Presence, type PresenceLink } from '../../api/presence.ts'
import { toAddress, serializeAddress, toPath } from '../../entry/address.ts'
import type { EntrySession } from '../../entry/entry-session.ts'
import { PresentInFields } from '../../fields/presence/present-in-fields.ts'

export interface EntryPresence {
  /** The other users with the entry open. */
  readonly others: readonly Presence[]
  readonly inFields: PresentInFields
}

/** Follows the other users of the entry, and reports the field of this user to them. */
export function useEntryPresence({ plan, door, form }: EntrySession): EntryPresence {
  const { uid } = plan.type
  const { locale } = plan
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
    const opened = openPresence({ uid, documentId, locale }, show)
    link.current = opened
    return () => {
      link.current = null
      opened.close()
      show([])
    }
  }, [uid, documentId, locale, form, inFields])
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
  }, [documentId, form])
  return { others, inFields }
}

/** Null outside of all fields. Undefined in dialogs and menus, which belong to the last field. */
function focusedPlace(): string | null | undefined {
  const focused = document.activeElement ?? document.body
  if (focused.closest('[role=dialog], [role=menu], [role=listbox]') !== null) return undefined
  const within = focused.closest('[data-field], [data-card]')
  return within?.getAttribute('data-card') ?? within?.getAttribute('data-field') ?? null
}
