import { useQueryClient } from '@tanstack/react-query'
import { Button as AriaButton } from 'react-aria-components'
import { useCallback, useSyncExternalStore } from 'react'
import type { Attributes } from '../../api/attributes.ts'
import { fileQuery } from '../../api/files.ts'
import { inLocale } from '../../api/file-entry.ts'
import { type Address, serializeAddress } from '../../entry/address.ts'
import type { EntrySession } from '../../entry/entry-session.ts'
import {
  type ComponentValue,
  componentUid,
  type FileValue,
  type FormValues,
  isPartlyRead,
  listOf,
  type Reading,
} from '../../entry/values.ts'
import { addressAt } from '../../fields/open-entry.ts'
import { focusPlace } from '../../fields/focus.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from '../../design/side-section.module.css'

/** A warning before a publication. A press goes to the first of the pictures. */
export function PicturesWithoutText({ session }: { readonly session: EntrySession }) {
  const { t } = useTexts()
  const places = usePlaces(session)
  const [first] = places
  if (first === undefined) return null
  return (
    <p className={styles['row']}>
      <AriaButton className={styles['action'] ?? ''} onPress={() => focusPlace(addressAt(first))}>
        {t('media.withoutText', { count: places.length })}
      </AriaButton>
    </p>
  )
}

/** The places of the media fields, once for each picture. */
function usePlaces({ form, plan }: EntrySession): readonly string[] {
  const client = useQueryClient()
  const subscribe = useCallback(
    (listener: () => void) => {
      const stops = Object.entries(plan.attributes)
        .filter(([, { type }]) => MAY_HOLD_FILES.has(type))
        .map(([name]) => form.subscribe(name, listener))
      stops.push(client.getQueryCache().subscribe(listener))
      return () => stops.forEach((stop) => stop())
    },
    [client, form, plan],
  )
  // A text stays the same value as long as no place changes.
  const text = useSyncExternalStore(subscribe, () =>
    mutePictures(plan.attributes, form.values(), plan.reading)
      .filter(({ file }) => {
        const changed = client.getQueryData(fileQuery(file.id).queryKey)
        return isMute(changed === undefined ? file : inLocale(changed, plan.locale))
      })
      .map(({ address }) => serializeAddress(address))
      .join('\n'),
  )
  return text === '' ? [] : text.split('\n')
}

const MAY_HOLD_FILES: ReadonlySet<string> = new Set(['media', 'component', 'dynamiczone'])

interface FoundFile {
  readonly address: Address
  readonly file: FileValue
}

function mutePictures(
  attributes: Attributes,
  values: FormValues,
  reading: Reading,
  at: Address = [],
): readonly FoundFile[] {
  return Object.entries(attributes).flatMap(([name, attribute]): readonly FoundFile[] => {
    const held = values[name]
    const address = [...at, name]
    if (held === undefined || held === null || isPartlyRead(held)) return []
    if (attribute.type === 'media') {
      return (listOf(held) as readonly FileValue[])
        .filter(isMute)
        .map((file) => ({ address, file }))
    }
    if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') return []
    return (listOf(held) as readonly ComponentValue[]).flatMap((one) => {
      const within = reading.components.get(componentUid(attribute, one))?.attributes ?? {}
      const inside = Array.isArray(held) ? [...address, one.$key] : address
      return mutePictures(within, one, reading, inside)
    })
  })
}

function isMute({ mime, alternativeText }: Pick<FileValue, 'mime' | 'alternativeText'>): boolean {
  return mime.startsWith('image/') && (alternativeText ?? '').trim() === ''
}
