import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import {
  addToRelease,
  entryReleasesQuery,
  type HoldingRelease,
  type ReleaseItem,
  removeFromRelease,
} from '../../api/releases.ts'
import { useMay } from '../../api/session.ts'
import { sayError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { useAction } from '../../design/use-action.ts'
import { useKeptFocus } from '../../design/use-kept-focus.ts'
import { SideSection } from '../../design/side-section.tsx'
import { useTexts } from '../../texts/texts.ts'
import { AddToRelease } from './add-to-release.tsx'
import styles from './planning.module.css'

export interface ReleaseSectionProps {
  readonly uid: string
  readonly documentId: string
  readonly locale: string | null
}

/** The releases of an entry in this locale. Empty without the permission to read releases. */
export function ReleaseSection(props: ReleaseSectionProps) {
  const may = useMay()
  return may('admin::releases.read') ? <Releases {...props} /> : null
}

function Releases({ uid, documentId, locale }: ReleaseSectionProps) {
  const { t } = useTexts()
  const mayChange = useMay()('admin::releases.update')
  const { data = [] } = useQuery(entryReleasesQuery(uid, documentId))
  const [isAdding, setAdding] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  useKeptFocus(box, ':scope > div > button')
  const held = data.flatMap((release) =>
    release.items
      .filter((item) => locale === null || item.locale === locale)
      .map((item) => ({ release, item })),
  )
  if (held.length === 0 && !mayChange) return null
  return (
    <SideSection title={t('nav.releases')}>
      <div ref={box}>
        {held.length > 0 && (
          <ul className={styles['schedules']}>
            {held.map(({ release, item }) => (
              <Held key={item.id} {...{ release, item, mayChange }} />
            ))}
          </ul>
        )}
        {mayChange && (
          <div className={styles['add']}>
            <Button look="quiet" small onPress={() => setAdding(true)}>
              {t('releases.addThis')}
            </Button>
          </div>
        )}
      </div>
      <AddToRelease
        entries={[{ uid, documentId, locale }]}
        isOpen={isAdding}
        onClose={() => setAdding(false)}
      />
    </SideSection>
  )
}

const TO_DO = { publish: 'releases.itemPublish', unpublish: 'releases.itemUnpublish' } as const

interface HeldProps {
  readonly release: HoldingRelease
  readonly item: ReleaseItem
  readonly mayChange: boolean
}

function Held({ release, item, mayChange }: HeldProps) {
  const texts = useTexts()
  const { t, moment } = texts
  const action = useAction()
  const { id, name, state, schedule } = release
  const { uid, documentId, locale = null, action: verb } = item
  return (
    <li className={styles['schedule']}>
      <span className={styles['held']}>
        <Link to="/releases/$release" params={{ release: id }} className={styles['link']}>
          {name}
        </Link>
        <span className={styles['quiet']}>
          {schedule === null
            ? t(TO_DO[verb])
            : t(`schedule.${verb}At`, { moment: moment(schedule.at) })}
        </span>
        {schedule !== null && schedule.failure !== null && (
          <span className={styles['failure']}>
            {t('schedule.failed', { message: sayError(schedule.failure, texts) })}
          </span>
        )}
      </span>
      {mayChange && state === 'open' && (
        <Button
          look="quiet"
          square
          small
          aria-label={t('releases.leave', { name })}
          isPending={action.isBusy}
          onPress={() =>
            action.run(() => removeFromRelease(id, item.id), {
              changes: ['releases'],
              says: t('releases.left', { name }),
              undo: () => () => addToRelease(id, [{ uid, documentId, locale, action: verb }]),
            })
          }
        >
          <Icon name="close" size={14} />
        </Button>
      )}
    </li>
  )
}
