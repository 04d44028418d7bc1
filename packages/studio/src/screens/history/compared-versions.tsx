import { useQuery } from '@tanstack/react-query'
import type { EntrySession } from '../../entry/entry-session.ts'
import type { ActedOn } from '../../api/entry-facts.ts'
import { differenceQuery } from '../../api/history.ts'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { Compared } from './compared-sittings.ts'
import { Difference } from './difference.tsx'

interface ComparedVersionsProps {
  readonly session: EntrySession
  readonly entry: ActedOn
  readonly revision: string | null
  readonly other: Compared & { readonly name: string }
  readonly onRestore: ((attribute: string) => void) | null
}

/** The older version is on the left. */
export function ComparedVersions(props: ComparedVersionsProps) {
  const { session, entry, revision, other, onRestore } = props
  const { t } = useTexts()
  const versions = other.isOlder ? [other.revision, revision] : [revision, other.revision]
  const [from, to] = versions.map((one) => one ?? '')
  const isPair = other.revision !== null && from !== to
  const found = useQuery({ ...differenceQuery(entry, from ?? '', to ?? ''), enabled: isPair })
  if (other.revision === null) return <Notice title={t('history.first')} />
  if (found.error !== null) return <Notice title={found.error.message} />
  if (isPair && found.data === undefined) return <Skeleton />
  const changes = isPair ? (found.data ?? []) : []
  if (changes.length === 0) {
    return <Notice title={t('history.same')}>{t('history.sameHint')}</Notice>
  }
  const own = t('history.then')
  const [left, right] = other.isOlder ? [other.name, own] : [own, other.name]
  return <Difference {...{ changes, left, right, onRestore }} plan={session.plan} />
}
