import { type MouseEvent, useEffect, useRef, useState } from 'react'
import type { ScalarAttribute } from '../../api/attributes.ts'
import { TextInput } from '../../design/text-input.tsx'
import { isDeepEqual } from '../../entry/deep-equal.ts'
import { isLocation, type LocationValue } from '../../entry/location-value.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import { addressAt, useOpenEntry, useSetValue, useValue } from '../open-entry.ts'
import styles from './location-field.module.css'
import { locationAt, parseCoordinates, type TypedLocation } from './parse-coordinates.ts'

/** Invalid coordinates stay in the inputs and are not saved. A click on the map fills both. */
export function LocationField({ attribute, name, place }: FieldProps<ScalarAttribute>) {
  const value = useValue<LocationValue | null>(place)
  const set = useSetValue<LocationValue | null>(place)
  const { form, isReadOnly } = useOpenEntry()
  const texts = useTexts()
  const { t, language } = texts
  const [typed, type] = useState(() => shown(value, texts))
  const last = useRef(value)
  useEffect(() => {
    if (isDeepEqual(last.current, value)) return
    last.current = value
    type(shown(value, texts)) // a value from elsewhere
  }, [value, texts])
  const isFixed = isReadOnly || attribute.writable === false
  const change = (next: TypedLocation): void => {
    type(next)
    const parsed = parseCoordinates(next, language)
    const problem = parsed.kind === 'value' ? null : t(`field.location.${parsed.why}`)
    form.setUnreadable(addressAt(place), problem)
    if (parsed.kind !== 'value') return
    last.current = parsed.value
    if (!isDeepEqual(form.get(addressAt(place)), parsed.value)) set(parsed.value)
  }
  const input = (which: keyof TypedLocation) => (
    <TextInput
      label={t(`field.location.name.${which}`)}
      value={typed[which]}
      isReadOnly={isFixed}
      inputMode="decimal"
      autoComplete="off"
      onChange={(text) => change({ ...typed, [which]: text })}
    />
  )
  return (
    <FieldFrame {...{ attribute, name, place }} isGroup>
      {({ 'aria-labelledby': labelledBy, 'aria-describedby': describedBy }) => (
        <div
          role="group"
          aria-labelledby={labelledBy}
          aria-describedby={describedBy}
          className={styles['location']}
        >
          <div className={styles['inputs']}>
            {input('latitude')}
            {input('longitude')}
          </div>
          <WorldMap
            location={value}
            onPick={isFixed ? null : (picked) => change(shown(picked, texts))}
          />
        </div>
      )}
    </FieldFrame>
  )
}

interface WorldMapProps {
  readonly location: unknown
  readonly onPick: ((location: LocationValue) => void) | null
}

/** Hidden from assistive technology, because the inputs hold the same values. */
function WorldMap({ location, onPick }: WorldMapProps) {
  const pick = (event: MouseEvent<HTMLDivElement>): void => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect()
    onPick?.(locationAt((event.clientX - left) / width, (event.clientY - top) / height))
  }
  return (
    <div
      className={styles['map']}
      aria-hidden="true"
      data-map
      data-fixed={onPick === null || undefined}
      onClick={pick}
    >
      <div className={styles['land']} />
      {isLocation(location) && (
        <span
          className={styles['pin']}
          style={{
            left: `${(location.longitude / 360 + 0.5) * 100}%`,
            top: `${(0.5 - location.latitude / 180) * 100}%`,
          }}
        />
      )}
    </div>
  )
}

function shown(value: unknown, { number }: Texts): TypedLocation {
  if (!isLocation(value)) return { latitude: '', longitude: '' }
  return { latitude: number(value.latitude), longitude: number(value.longitude) }
}
