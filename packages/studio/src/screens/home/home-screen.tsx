import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { apiNameOf, entryNameOf, type TypeSummary, useTypes } from '../../api/content-types.ts'
import { type Recent, type RecentEntry, recentQuery } from '../../api/recent.ts'
import { useMay, useSession } from '../../api/session.ts'
import { FailedRead } from '../../design/failed-read.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { StateMark } from '../../design/state-mark.tsx'
import { TypeIcon } from '../../design/icons/type-icon.tsx'
import { useTexts } from '../../texts/texts.ts'
import { FirstSteps } from './first-steps.tsx'
import styles from './home-screen.module.css'
import { Inbox } from './inbox.tsx'
import { Failed, Scheduled, useToCome } from './to-come.tsx'
import { Waiting } from './waiting.tsx'

export function HomeScreen() {
  const { t } = useTexts()
  const { administrator } = useSession()
  const { data, isPending, error, refetch } = useQuery(recentQuery)
  const { scheduled, failures } = useToCome(data?.webhooks ?? [])
  const creatable = useCreatable()
  const isEmpty = scheduled.length + failures.length === 0 && hasNone(data)
  return (
    <Page title={t('home.hello', { name: administrator.name })} narrow>
      <Beginnings types={creatable} />
      {isPending && <Skeleton />}
      {error !== null && <FailedRead error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <FirstSteps steps={data.steps} creatable={creatable[0]} latest={data.mine[0]} />
      )}
      {data?.steps.length === 0 && isEmpty && (
        <Notice title={t('home.empty')} action={<Beginning type={creatable[0]} />}>
          {t('home.emptyHint')}
        </Notice>
      )}
      {data !== undefined && (
        <div className={styles['columns']}>
          <Waiting reviews={data.reviews} />
          <Inbox items={data.inbox} />
          <Failed failures={failures} />
          <Entries title={t('home.mine')} entries={data.mine} />
          <Entries title={t('home.differing')} entries={besides(data.differing, data.mine)} />
          <Scheduled schedules={scheduled} />
        </div>
      )}
    </Page>
  )
}

function hasNone(data: Recent | undefined): boolean {
  const lists = data === undefined ? [] : [data.mine, data.differing, data.inbox, data.reviews]
  return lists.every((entries) => entries.length === 0)
}

function besides(
  entries: readonly RecentEntry[],
  others: readonly RecentEntry[],
): readonly RecentEntry[] {
  const keyOf = ({ uid, documentId, locale }: RecentEntry) => `${uid} ${documentId} ${locale ?? ''}`
  const shown = new Set(others.slice(0, MAX_SHOWN_ENTRIES).map(keyOf))
  return entries.filter((entry) => !shown.has(keyOf(entry)))
}

const MAX_CREATE_LINKS = 6

/** Types with drafts first: they are what editors create most. */
function useCreatable(): readonly TypeSummary[] {
  const may = useMay()
  return useTypes()
    .filter(({ uid, kind }) => kind === 'collectionType' && may(`${uid}.create`))
    .toSorted((a, b) => Number(b.draftAndPublish) - Number(a.draftAndPublish))
}

function Beginnings({ types }: { readonly types: readonly TypeSummary[] }) {
  const { t } = useTexts()
  if (types.length === 0) return null
  return (
    <ul className={styles['beginnings']} aria-label={t('palette.create')}>
      {types.slice(0, MAX_CREATE_LINKS).map((type) => (
        <li key={type.uid}>
          <Beginning type={type} />
        </li>
      ))}
    </ul>
  )
}

function Beginning({ type }: { readonly type: TypeSummary | undefined }) {
  const { t, language } = useTexts()
  if (type === undefined) return null
  return (
    <Link
      to="/content/$type/$documentId"
      params={{ type: apiNameOf(type), documentId: 'new' }}
      className={styles['beginning']}
    >
      <Icon name="plus" size={14} />
      {t('palette.new', { name: entryNameOf(type, language) })}
    </Link>
  )
}

interface EntriesProps {
  readonly title: string
  readonly entries: readonly RecentEntry[]
}

const MAX_SHOWN_ENTRIES = 10

function Entries({ title, entries }: EntriesProps) {
  const types = new Map(useTypes().map((type) => [type.uid, type]))
  const known = entries.flatMap((entry) => {
    const type = types.get(entry.uid)
    return type === undefined ? [] : [{ entry, type }]
  })
  if (known.length === 0) return null
  return (
    <section aria-label={title} className={styles['section']}>
      <h2 className={styles['title']}>{title}</h2>
      <ul>
        {known.slice(0, MAX_SHOWN_ENTRIES).map(({ entry, type }) => (
          <li key={`${entry.documentId} ${entry.locale ?? ''}`}>
            <EntryLink entry={entry} type={type} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function EntryLink({ entry, type }: { readonly entry: RecentEntry; readonly type: TypeSummary }) {
  const texts = useTexts()
  const { documentId, locale, title, state, at, by, picture } = entry
  const me = useSession().administrator.name
  const note = [
    entryNameOf(type, texts.language),
    locale === null ? null : texts.locale(locale),
    texts.ago(at),
    by === me ? null : by,
  ]
  const isSingle = type.kind === 'singleType'
  const search = locale === null ? {} : { locale }
  const content = (
    <>
      {picture === null ? (
        <span className={styles['picture']}>
          <TypeIcon type={type} />
        </span>
      ) : (
        <img src={picture} alt="" loading="lazy" className={styles['picture']} />
      )}
      <span className={styles['text']}>
        <span className={styles['name']}>{title === '' ? texts.t('trash.untitled') : title}</span>
        <span className={styles['note']}>{note.filter((part) => part !== null).join(' · ')}</span>
      </span>
      {type.draftAndPublish && <StateMark state={state} />}
    </>
  )
  return isSingle ? (
    <Link
      to="/content/$type"
      params={{ type: apiNameOf(type) }}
      search={search}
      className={styles['entry']}
    >
      {content}
    </Link>
  ) : (
    <Link
      to="/content/$type/$documentId"
      params={{ type: apiNameOf(type), documentId }}
      search={search}
      className={styles['entry']}
    >
      {content}
    </Link>
  )
}
