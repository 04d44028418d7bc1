import { Link } from '@tanstack/react-router'
import { apiNameOf, useTypes } from '../../api/content-types.ts'
import type { InboxItem } from '../../api/recent.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './home-screen.module.css'

const MAX_SHOWN = 5

/** Open comments for the user. */
export function Inbox({ items }: { readonly items: readonly InboxItem[] }) {
  const { t } = useTexts()
  if (items.length === 0) return null
  return (
    <section aria-label={t('home.inbox')} className={styles['section']}>
      <h2 className={styles['title']}>{t('home.inbox')}</h2>
      <ul>
        {items.slice(0, MAX_SHOWN).map((item) => (
          <li key={item.id}>
            <InboxLink item={item} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function InboxLink({ item }: { readonly item: InboxItem }) {
  const { t, ago } = useTexts()
  const { title, text, by, at, mentioned } = item
  const note = [
    mentioned ? t('home.inbox.mentioned', { name: by }) : by,
    ago(at),
    title === '' ? t('trash.untitled') : title,
  ]
  return <HomeLink place={item} name={text} note={note} />
}

export interface HomeLinkProps {
  readonly place: Pick<InboxItem, 'uid' | 'documentId' | 'locale'>
  readonly name: string
  readonly note: readonly string[]
}

/** Empty for types that the user cannot read. */
export function HomeLink({ place, name, note }: HomeLinkProps) {
  const { uid, documentId, locale } = place
  const type = useTypes().find((one) => one.uid === uid)
  if (type === undefined) return null
  return (
    <Link
      to={type.kind === 'singleType' ? '/content/$type' : '/content/$type/$documentId'}
      params={{ type: apiNameOf(type), documentId }}
      search={locale === null ? {} : { locale }}
      className={styles['entry']}
    >
      <span className={styles['text']}>
        <span className={styles['name']}>{name}</span>
        <span className={styles['note']}>{note.join(' · ')}</span>
      </span>
    </Link>
  )
}
