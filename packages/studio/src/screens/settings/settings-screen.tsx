import { Link, Navigate, useParams } from '@tanstack/react-router'
import { type ComponentType, Suspense, useEffect, useRef } from 'react'
import { useMay } from '../../api/session.ts'
import { Skeleton } from '../../design/late.tsx'
import { lazyPart } from '../../design/load-part.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { useTexts } from '../../texts/texts.ts'
import { AccountSection } from './account-section.tsx'
import { AdministratorRolesSection } from './administrator-roles-section.tsx'
import { AdministratorsSection } from './administrators-section.tsx'
import { ApiRolesSection } from './api-roles-section.tsx'
import { ApiTokensSection } from './api-tokens-section.tsx'
import { LocalesSection } from './locales-section.tsx'
import { type SettingsSectionId, SETTINGS_SECTIONS } from '../settings-sections.ts'
import styles from './settings-screen.module.css'
import { TypesSection } from './types-section.tsx'

const WebhooksSection = lazyPart(
  async () => (await import('../webhooks/webhooks-section.tsx')).WebhooksSection,
)
const UsersSection = lazyPart(async () => (await import('../users/users-section.tsx')).UsersSection)
const AuditSection = lazyPart(async () => (await import('../audit/audit-section.tsx')).AuditSection)

const CONTENT: Readonly<Record<SettingsSectionId, ComponentType>> = {
  account: AccountSection,
  locales: LocalesSection,
  'api-tokens': ApiTokensSection,
  'api-roles': ApiRolesSection,
  users: UsersSection,
  administrators: AdministratorsSection,
  'administrator-roles': AdministratorRolesSection,
  webhooks: WebhooksSection,
  audit: AuditSection,
  types: TypesSection,
}

export function SettingsScreen() {
  const { t } = useTexts()
  const may = useMay()
  const { section: id } = useParams({ strict: false })
  const sections = SETTINGS_SECTIONS.filter(({ action }) => action === null || may(action))
  const section = sections.find((one) => one.id === id)
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    // On a phone the pages are one scrolling row. Scrolls to the current page.
    const current = nav.current?.querySelector('[aria-current=page]')
    current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [id])
  if (SETTINGS_SECTIONS.some((one) => one.id === id) && section === undefined) {
    return (
      <Page title={t('settings.title')}>
        <Notice title={t('error.forbidden')}>{t('error.forbidden.hint')}</Notice>
      </Page>
    )
  }
  if (section === undefined) {
    return <Navigate to="/settings/$section" params={{ section: 'account' }} replace />
  }
  const Content = CONTENT[section.id]
  return (
    <Page title={t('settings.title')}>
      <div className={styles['columns']}>
        <nav ref={nav} aria-label={t('settings.title')} className={styles['nav']}>
          {sections.map((one) => (
            <Link
              key={one.id}
              to="/settings/$section"
              params={{ section: one.id }}
              className={styles['link']}
            >
              {t(one.title)}
            </Link>
          ))}
        </nav>
        <div className={styles['content']}>
          <Suspense key={section.id} fallback={<Skeleton />}>
            <Content />
          </Suspense>
        </div>
      </div>
    </Page>
  )
}
