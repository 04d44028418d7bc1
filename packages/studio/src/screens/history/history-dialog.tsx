import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { localeStatesQuery } from '../../api/entry-facts.ts'
import { changedHistoryQuery } from '../../api/history.ts'
import { currentPageTitle } from '../../design/branding.ts'
import { Button } from '../../design/button.tsx'
import { Choice } from '../../design/choice.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { authorOf } from '../../texts/author-of.ts'
import { useTexts } from '../../texts/texts.ts'
import { type Compared, comparedSittings } from './compared-sittings.ts'
import { ComparedVersions } from './compared-versions.tsx'
import styles from './history-dialog.module.css'
import { type Sitting, sittingsOf } from './sittings.ts'
import { type RestoringProps, useRestoring } from './use-restoring.ts'
import { VersionList } from './version-list.tsx'
import { versionsOf } from './versions.ts'

export function HistoryDialog(props: RestoringProps) {
  const { session, entry, onClose } = props
  const { t } = useTexts()
  const found = useInfiniteQuery(changedHistoryQuery(entry))
  const { type } = session.plan
  const rows = found.data?.pages.flatMap((page) => page.data) ?? []
  const sittings = sittingsOf(versionsOf(rows, type.draftAndPublish))
  const kept = sittings.filter(({ revision }) => revision !== null)
  const [chosen, choose] = useState<string | null>(null)
  const { isBusy, mayRestore, restore } = useRestoring(props)
  const sitting = kept.find(({ key }) => key === chosen) ?? kept[1] ?? kept[0]
  const isNow = sitting === kept[0]
  return (
    <Dialog
      title={t('history.titleOf', { name: currentPageTitle() })}
      isOpen
      onClose={onClose}
      form="large"
      actions={
        mayRestore &&
        sitting !== undefined && (
          <Button
            look="primary"
            isDisabled={isNow}
            isPending={isBusy}
            onPress={() => void restore(sitting, null)}
          >
            {t('history.restore')}
          </Button>
        )
      }
    >
      {found.error !== null && <Notice title={found.error.message} />}
      {found.isPending && <Skeleton />}
      {sitting !== undefined && (
        <div className={styles['columns']}>
          <div className={styles['versions']}>
            <VersionList
              sittings={sittings}
              attributes={session.plan.attributes}
              chosen={sitting.key}
              onChoose={choose}
            />
            {found.hasNextPage && (
              <Button
                look="quiet"
                small
                isPending={found.isFetchingNextPage}
                onPress={() => void found.fetchNextPage()}
              >
                {t('history.older')}
              </Button>
            )}
          </div>
          <Comparison
            {...{ session, entry, sitting, kept }}
            onRestore={mayRestore && !isNow ? (name) => void restore(sitting, [name]) : null}
          />
        </div>
      )}
    </Dialog>
  )
}

interface ComparisonProps extends Pick<RestoringProps, 'session' | 'entry'> {
  readonly sitting: Sitting
  /** All that have a revision, newest first. */
  readonly kept: readonly Sitting[]
  readonly onRestore: ((attribute: string) => void) | null
}

function Comparison({ session, entry, sitting, kept, onRestore }: ComparisonProps) {
  const { t, span } = useTexts()
  const [against, setAgainst] = useState('now')
  const { data: states } = useQuery(localeStatesQuery(entry.uid, entry.documentId))
  const state = states?.find(({ locale }) => locale === entry.locale)
  const all = comparedSittings({ sitting, kept, state })
  const nameOf = (compared: Compared): string => {
    if (compared.kind !== 'row') return t(`history.${compared.kind}`)
    const { by, begin, end } = compared.sitting
    return t('history.row', { who: authorOf(by, t), when: span(begin, end) })
  }
  const other = all.find(({ id }) => id === against) ?? all[0]
  if (other === undefined) return null
  return (
    <div className={styles['difference']}>
      <Choice
        label={t('history.compare')}
        options={all.map((compared) => ({ id: compared.id, name: nameOf(compared) }))}
        value={other.id}
        onChange={setAgainst}
      />
      <ComparedVersions
        {...{ session, entry, onRestore }}
        revision={sitting.revision}
        other={{ ...other, name: nameOf(other) }}
      />
    </div>
  )
}
