import type { Attribute } from '../api/attributes.ts'
import { shownFileName } from '../api/file-entry.ts'
import { fileOf, previewOf } from '../api/file-preview.ts'
import { valueName } from '../texts/field-words.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import styles from './cell.module.css'
import { isLocation } from '../entry/location-value.ts'

export interface CellProps {
  readonly attribute: Attribute
  readonly value: unknown
  readonly titleField?: string | null
}

export function Cell({ attribute, value, titleField = null }: CellProps) {
  const texts = useTexts()
  if (attribute.type === 'media') return <MediaCell value={value} />
  const text = cellText({ attribute, value, titleField }, texts)
  const isCode = attribute.type === 'uid'
  return (
    <span className={isCode ? styles['code'] : styles['text']} title={text}>
      {text}
    </span>
  )
}

type Show = (value: unknown, texts: Texts, titleField: string | null) => string

const asText: Show = (value) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
const asNumber: Show = (value, { number }) => number(value as number | string)
const asMoment: Show = (value, { ago }) => ago(String(value))

const SHOWS: Readonly<Partial<Record<Attribute['type'], Show>>> = {
  integer: asNumber,
  float: asNumber,
  decimal: asNumber,
  biginteger: asNumber,
  boolean: (value, { t }) => t(value === true ? 'value.yes' : 'value.no'),
  datetime: asMoment,
  timestamp: asMoment,
  date: (value, { language }) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(
      new Date(`${String(value)}T00:00:00Z`),
    ),
  time: (value) => String(value).slice(0, 5),
  location: (value, { number }) =>
    isLocation(value) ? `${number(value.latitude)}, ${number(value.longitude)}` : '',
  relation: (value, { number }, titleField) => relatedText(value, titleField, number),
}

export function cellText({ attribute, value, titleField = null }: CellProps, texts: Texts): string {
  if (value === null || value === undefined) return ''
  if (attribute.type === 'enumeration')
    return valueName(asText(value, texts, null), attribute, texts.language)
  return (SHOWS[attribute.type] ?? asText)(value, texts, titleField)
}

function relatedText(
  value: unknown,
  titleField: string | null,
  number: (value: number) => string,
): string {
  const entries = (Array.isArray(value) ? value : [value]) as readonly Record<string, unknown>[]
  const names = entries.map((entry) => firstText(entry, titleField ?? 'documentId'))
  return names.length > 3
    ? `${names.slice(0, 3).join(', ')} +${number(names.length - 3)}`
    : names.join(', ')
}

function firstText(entry: Record<string, unknown>, name: string): string {
  const text = entry[name]
  return typeof text === 'string' && text !== '' ? text : '–'
}

function MediaCell({ value }: { readonly value: unknown }) {
  const files = (Array.isArray(value) ? value : [value]).flatMap((one) => fileOf(one) ?? [])
  return (
    <span className={styles['media']}>
      {files.slice(0, 3).map((file) => {
        const source = previewOf(file)
        return source === null ? (
          <span key={file.url}>{shownFileName(file)}</span>
        ) : (
          <img key={file.url} src={source} alt="" loading="lazy" className={styles['picture']} />
        )
      })}
    </span>
  )
}

/** Reserves its space if there is no image. */
export function Thumbnail({ value }: { readonly value: unknown }) {
  const file = fileOf(value)
  const source = file === null ? null : previewOf(file)
  if (source === null) return <span className={styles['noPicture']} />
  return <img src={source} alt="" loading="lazy" className={styles['picture']} />
}
