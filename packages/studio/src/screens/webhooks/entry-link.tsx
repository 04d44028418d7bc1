import { apiNameOf, entryNameOf, useTypes } from '../../api/content-types.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './deliveries-dialog.module.css'

export interface EntryLinkProps {
  readonly uid: string
  readonly documentId: string
  /** Empty for types without locales. */
  readonly locale?: string
}

export const SHOWN_ID_LENGTH = 8

/** The type of an entry, and its shortened id as a link. */
export function EntryLink({ uid, documentId, locale = '' }: EntryLinkProps) {
  const { language } = useTexts()
  const type = useTypes().find((one) => one.uid === uid)
  const text = documentId.slice(0, SHOWN_ID_LENGTH)
  const name = type === undefined ? '' : entryNameOf(type, language)
  const place = locale === '' ? '' : `?locale=${encodeURIComponent(locale)}`
  return (
    <>
      {name}{' '}
      {type === undefined ? (
        <code className={styles['code']}>{text}</code>
      ) : (
        <a
          className={styles['code']}
          href={`/studio/content/${apiNameOf(type)}/${documentId}${place}`}
          target="_blank"
          rel="noreferrer"
        >
          {text}
        </a>
      )}{' '}
      {locale}
    </>
  )
}
