import { Link } from '@tanstack/react-router'
import { apiNameOf, listTitleOf, type TypeSummary, useCounts } from '../api/content-types.ts'
import { useMay } from '../api/session.ts'
import { branding, studioName } from '../design/branding.ts'
import { Icon } from '../design/icons/icon.tsx'
import type { IconName } from '../design/icons/icons.ts'
import { Kbd } from '../design/kbd.tsx'
import { Mark } from '../design/mark.tsx'
import type { TextKey } from '../texts/english.ts'
import { useTexts } from '../texts/texts.ts'
import { AccountMenu } from './account-menu.tsx'
import styles from './navigation.module.css'
import { TypeIcon } from '../design/icons/type-icon.tsx'
import { useReadableTypes } from '../api/readable-types.ts'

export interface NavigationProps {
  readonly onPalette: () => void
  readonly onHelp: () => void
}

export function Navigation({ onPalette, onHelp }: NavigationProps) {
  const { t } = useTexts()
  const may = useMay()
  const types = useReadableTypes()
  const collections = types.filter(({ kind }) => kind === 'collectionType')
  const singles = types.filter(({ kind }) => kind === 'singleType')
  return (
    <nav aria-label={t('nav.label')} className={styles['nav']}>
      <div className={styles['brand']}>
        <Mark size={20} />
        <span className={styles['name']}>{studioName}</span>
      </div>
      <button type="button" className={styles['search']} onClick={onPalette}>
        <Icon name="search" size={14} />
        <span className={styles['name']}>{t('palette.placeholder')}</span>
        <Kbd keys="mod+K" />
      </button>
      <div className={styles['links']}>
        <Link to="/" className={styles['link']} activeOptions={{ exact: true }}>
          <Labelled icon="home">{t('nav.home')}</Labelled>
        </Link>
        {may('plugin::upload.content-api.find') && (
          <Link to="/media" className={styles['link']}>
            <Labelled icon="media">{t('nav.media')}</Labelled>
          </Link>
        )}
        <Link to="/calendar" className={styles['link']}>
          <Labelled icon="calendar">{t('nav.calendar')}</Labelled>
        </Link>
        {may('admin::releases.read') && (
          <Link to="/releases" className={styles['link']}>
            <Labelled icon="releases">{t('nav.releases')}</Labelled>
          </Link>
        )}
        <Link to="/trash" className={styles['link']}>
          <Labelled icon="trash">{t('nav.trash')}</Labelled>
        </Link>
        <TypeLinks title="nav.collections" types={collections} />
        <TypeLinks title="nav.singles" types={singles} />
        <section aria-label={t('nav.administration')}>
          <h2 className={styles['title']}>{t('nav.administration')}</h2>
          <Link to="/settings" className={styles['link']}>
            <Labelled icon="settings">{t('settings.title')}</Labelled>
          </Link>
        </section>
        <ProjectLinks />
      </div>
      <AccountMenu onHelp={onHelp} />
    </nav>
  )
}

function Labelled({ icon, children }: { readonly icon: IconName; readonly children: string }) {
  return (
    <>
      <Icon name={icon} />
      <span className={styles['name']}>{children}</span>
    </>
  )
}

/** The links that the project sets. Links to other servers open a new tab. */
function ProjectLinks() {
  const { t } = useTexts()
  if (branding.links.length === 0) return null
  return (
    <section aria-label={t('nav.links')}>
      <h2 className={styles['title']}>{t('nav.links')}</h2>
      <ul>
        {branding.links.map(({ label, url }) => (
          <li key={`${label} ${url}`}>
            <a
              href={url}
              className={styles['link']}
              rel="noreferrer"
              {...(!url.startsWith('/') && { target: '_blank' })}
            >
              <Labelled icon="external">{label}</Labelled>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function TypeLinks({
  title,
  types,
}: {
  readonly title: TextKey
  readonly types: readonly TypeSummary[]
}) {
  const { t, number } = useTexts()
  const counts = useCounts()
  if (types.length === 0) return null
  return (
    <section aria-label={t(title)}>
      <h2 className={styles['title']}>{t(title)}</h2>
      <ul>
        {types.map((type) => {
          const count = type.kind === 'singleType' ? undefined : counts[type.uid]
          return (
            <li key={type.uid}>
              <Link
                to="/content/$type"
                params={{ type: apiNameOf(type) }}
                className={styles['link']}
              >
                <TypeIcon type={type} />
                <span className={styles['name']}>{listTitleOf(type)}</span>
                {count !== undefined && <span className={styles['count']}>{number(count)}</span>}
              </Link>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
