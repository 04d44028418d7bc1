import { use, useCallback, useSyncExternalStore } from 'react'
import type { Presence } from '../../api/presence.ts'
import { personTone } from '../../design/person-tone.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Place } from '../field-props.ts'
import styles from './field-presence.module.css'
import { PresentInFieldsContext } from './present-in-fields.ts'

const NO_PEOPLE: readonly Presence[] = []
const noStop = (): void => undefined

/** The other users in a field. With `isFolded`, also in the fields within it. */
export function usePresentAt(place: Place, isFolded = false): readonly Presence[] {
  const present = use(PresentInFieldsContext)
  const subscribe = useCallback(
    (listener: () => void) => present?.subscribe(listener) ?? noStop,
    [present],
  )
  return useSyncExternalStore(subscribe, () => {
    if (present === null) return NO_PEOPLE
    return isFolded ? present.within(place) : present.at(place)
  })
}

/** The colour of the first person. */
export function toneOf([first]: readonly Presence[]): number | undefined {
  return first === undefined ? undefined : personTone(first.id)
}

export interface FieldPresenceProps {
  readonly people: readonly Presence[]
  readonly id?: string
  /** In a line of text instead of on the edge of the field. */
  readonly isInline?: boolean
}

export function FieldPresence({ people, id, isInline = false }: FieldPresenceProps) {
  const { t } = useTexts()
  if (people.length === 0) return null
  const names = people.map(({ name }) => name).join(', ')
  const form = styles[isInline ? 'inline' : 'edge'] ?? ''
  return (
    <span id={id} className={`${styles['mark']} ${form}`} data-person-tone={toneOf(people)}>
      {t('field.present', { names, count: people.length })}
    </span>
  )
}
