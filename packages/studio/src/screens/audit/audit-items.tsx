import { Link } from '@tanstack/react-router'
import type { AuditItem } from '../../api/audit.ts'
import { apiNameOf, entryNameOf, type TypeSummary, useTypes } from '../../api/content-types.ts'
import type { SettingsSectionId } from '../settings-sections.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import styles from './audit-section.module.css'

export const AUDITED_TYPES = [
  'admin::session',
  'admin::failed-sign-in',
  'admin::password-link',
  'admin::recovery-code',
  'admin::user',
  'admin::role',
  'admin::api-token',
  'admin::webhook',
  'admin::extension',
  'admin::schedule',
  'admin::release',
  'admin::comment',
  'admin::review',
  'admin::trash',
  'admin::declaration',
  'plugin::users-permissions.role',
  'plugin::users-permissions.user',
  'plugin::users-permissions.session',
  'plugin::users-permissions.failed-sign-in',
  'plugin::upload.file',
  'plugin::upload.folder',
  'plugin::i18n.locale',
] as const

const MAX_SHOWN_ITEMS = 4

/** The documentId of a sign-in with an unknown e-mail address or name. */
const UNKNOWN_ID = 'unknown'

/** Suffix of the type of a row that counts sign-ins beyond the audit limit. Its id is the count. */
const LEFT_OUT_SUFFIX = '.left-out-sign-ins'

export function AuditItems({ items }: { readonly items: readonly AuditItem[] }) {
  const { t } = useTexts()
  const types = useTypes()
  const things = withoutDuplicates(items)
  return (
    <ul>
      {things.slice(0, MAX_SHOWN_ITEMS).map((item) => (
        <li key={keyOf(item)} className={styles['thing']}>
          <Thing item={item} type={types.find(({ uid }) => uid === item.type)} />
        </li>
      ))}
      {things.length > MAX_SHOWN_ITEMS && (
        <li>{t('audit.more', { count: things.length - MAX_SHOWN_ITEMS })}</li>
      )}
    </ul>
  )
}

interface ThingProps {
  readonly item: AuditItem
  readonly type: TypeSummary | undefined
}

function Thing({ item, type }: ThingProps) {
  const texts = useTexts()
  const { locale } = item
  return (
    <>
      {type === undefined ? sayOther(item, texts) : sayEntry(item, type, texts)}{' '}
      <Name item={item} type={type} />
      {locale !== undefined && <span className={styles['note']}> {texts.locale(locale)}</span>}
    </>
  )
}

function Name({ item, type }: ThingProps) {
  const { documentId, locale, name } = item
  const id = hasId(item) && <code className={styles['code']}>{documentId}</code>
  if (type === undefined || isGone(item, type)) {
    return (
      <>
        {name !== null && <OtherLink item={item} name={name} />} {id}
      </>
    )
  }
  return (
    <>
      <Link
        to={type.kind === 'singleType' ? '/content/$type' : '/content/$type/$documentId'}
        params={{ type: apiNameOf(type), documentId }}
        search={locale === undefined ? {} : { locale }}
        className={styles['link']}
      >
        {name ?? id}
      </Link>{' '}
      {name !== null && id}
    </>
  )
}

const SECTIONS_OF_TYPES: Readonly<Record<string, SettingsSectionId>> = {
  'admin::user': 'administrators',
  'admin::role': 'administrator-roles',
  'admin::api-token': 'api-tokens',
  'admin::webhook': 'webhooks',
  'plugin::users-permissions.role': 'api-roles',
  'plugin::users-permissions.user': 'users',
}

function OtherLink({ item, name }: { readonly item: AuditItem; readonly name: string }) {
  const { type, op, documentId: release } = item
  const section = SECTIONS_OF_TYPES[type]
  const className = styles['link'] ?? ''
  if (op === 'put' && type === 'plugin::upload.file') {
    return (
      <Link to="/media" search={{ q: name }} className={className}>
        {name}
      </Link>
    )
  }
  if (op === 'put' && type === 'admin::release') {
    return (
      <Link to="/releases/$release" params={{ release }} className={className}>
        {name}
      </Link>
    )
  }
  if (op === 'delete' || section === undefined)
    return <span className={styles['name']}>{name}</span>
  return (
    <Link to="/settings/$section" params={{ section }} className={className}>
      {name}
    </Link>
  )
}

/** Whether the change deleted the entry. False for an unpublish: the draft remains. */
function isGone({ op, status }: AuditItem, { draftAndPublish }: TypeSummary): boolean {
  return op === 'delete' && (status === 'draft' || !draftAndPublish)
}

function hasId({ type, documentId }: AuditItem): boolean {
  return documentId !== UNKNOWN_ID && !type.endsWith(LEFT_OUT_SUFFIX)
}

function sayEntry(
  { op, status, isNew }: AuditItem,
  type: TypeSummary,
  { t, language }: Texts,
): string {
  const name = entryNameOf(type, language)
  const shown = name.charAt(0).toUpperCase() + name.slice(1)
  if (isNew === true && status !== 'published') return t('audit.created', { name: shown })
  return t(type.draftAndPublish ? `audit.${op}.${status}` : `audit.${op}`, { name: shown })
}

function sayOther({ type, op, documentId, isNew }: AuditItem, { t }: Texts): string {
  if (type.endsWith(LEFT_OUT_SUFFIX)) {
    return t('audit.leftOut', { count: Number(documentId) })
  }
  if (type.endsWith('failed-sign-in')) {
    return t(documentId === UNKNOWN_ID ? 'audit.failedUnknown' : 'audit.failed')
  }
  if (/[:.]session$/.test(type)) return t(`audit.session.${op}`)
  if (type === 'admin::recovery-code') return t('audit.recoveryCode')
  if (type === 'admin::schedule') return t(`audit.schedule.${op}`)
  if (type === 'admin::review') return t('audit.review.put')
  if (type === 'admin::comment') return t(`audit.comment.${op}`)
  if (type === 'admin::trash') return t('audit.ended')
  const known = AUDITED_TYPES.find((one) => one === type)
  const said = isNew === true ? 'audit.created' : (`audit.${op}` as const)
  return t(said, { name: known === undefined ? type : t(`audit.type.${known}`) })
}

/** A publication writes the draft and the published version. It is listed once. */
function withoutDuplicates(items: readonly AuditItem[]): readonly AuditItem[] {
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
