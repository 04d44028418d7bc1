import { Link } from '@tanstack/react-router'
import type { AuditItem } from '../../api/audit.ts'
import { apiNameOf, entryNameOf, type TypeSummary, useTypes } from '../../api/content-types.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import styles from './audit-section.module.css'

/** What is changed beside content. */
export const OTHER_TYPES = [
  'admin::session',
  'admin::failed-sign-in',
  'admin::password-link',
  'admin::user',
  'admin::role',
  'admin::api-token',
  'admin::webhook',
  'plugin::users-permissions.role',
  'plugin::users-permissions.user',
  'plugin::upload.file',
  'plugin::i18n.locale',
] as const

const SHOWN = 4

/** What a commit has changed, a line for each thing. */
export function What({ items }: { readonly items: readonly AuditItem[] }) {
  const { t } = useTexts()
  const types = useTypes()
  const things = onceEach(items)
  return (
    <ul>
      {things.slice(0, SHOWN).map((item) => (
        <li key={keyOf(item)} className={styles['thing']}>
          <Thing item={item} type={types.find(({ uid }) => uid === item.type)} />
        </li>
      ))}
      {things.length > SHOWN && <li>{t('audit.more', { count: things.length - SHOWN })}</li>}
    </ul>
  )
}

interface ThingProps {
  readonly item: AuditItem
  readonly type: TypeSummary | undefined
}

function Thing({ item, type }: ThingProps) {
  const texts = useTexts()
  const { documentId, locale } = item
  if (type === undefined) {
    return (
      <>
        {sayOther(item, texts)} <code className={styles['code']}>{documentId.slice(0, 12)}</code>
      </>
    )
  }
  const text = sayEntry(item, type, texts)
  return (
    <>
      {item.op === 'delete' && item.status === 'draft' ? (
        text
      ) : (
        <Link
          to="/content/$type/$documentId"
          params={{ type: apiNameOf(type), documentId }}
          search={locale === undefined ? {} : { locale }}
          className={styles['link']}
        >
          {text}
        </Link>
      )}
      {locale !== undefined && <span className={styles['note']}> {texts.locale(locale)}</span>}
    </>
  )
}

function sayEntry({ op, status }: AuditItem, type: TypeSummary, { t, language }: Texts): string {
  const name = entryNameOf(type, language)
  const shown = name.charAt(0).toUpperCase() + name.slice(1)
  return t(type.draftAndPublish ? `audit.${op}.${status}` : `audit.${op}`, { name: shown })
}

function sayOther({ type, op }: AuditItem, { t }: Texts): string {
  if (type === 'admin::session') return t(`audit.session.${op}`)
  if (type === 'admin::failed-sign-in') return t('audit.failed')
  const known = OTHER_TYPES.find((one) => one === type)
  return t(`audit.${op}`, { name: known === undefined ? type : t(`audit.type.${known}`) })
}

/** A publication writes the draft and what is published: it is one thing. */
function onceEach(items: readonly AuditItem[]): readonly AuditItem[] {
  const things = new Map<string, AuditItem>()
  for (const item of items) {
    const key = keyOf(item)
    const isTelling = (item.op === 'put') === (item.status === 'published')
    if (isTelling || !things.has(key)) things.set(key, item)
  }
  return [...things.values()]
}

function keyOf({ type, documentId, locale = '' }: AuditItem): string {
  return `${type} ${documentId} ${locale}`
}
