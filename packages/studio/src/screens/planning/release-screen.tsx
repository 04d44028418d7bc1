import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import {
  checkRelease,
  deleteRelease,
  type ItemFault,
  publishRelease,
  type Release,
  releaseQuery,
} from '../../api/releases.ts'
import { cancelSchedule } from '../../api/schedules.ts'
import { useMay } from '../../api/session.ts'
import { sayError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { FailedRead } from '../../design/failed-read.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { notifyFailure } from '../../design/toasts.tsx'
import { type Action, useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { AskToDelete } from '../../design/ask-to-delete.tsx'
import { AddEntries } from './add-entries.tsx'
import styles from './planning.module.css'
import { ReleaseItems } from './release-items.tsx'
import { releaseStateText } from './releases-screen.tsx'
import { ScheduleDialog } from './schedule-dialog.tsx'

export function ReleaseScreen() {
  const { release: id } = useParams({ from: '/shell/releases/$release' })
  const { data, error, refetch } = useQuery(releaseQuery(id))
  if (error !== null) return <FailedRead error={error} onRetry={() => void refetch()} />
  return data === undefined ? <Skeleton /> : <OneRelease key={id} release={data} />
}

function OneRelease({ release }: { readonly release: Release }) {
  const texts = useTexts()
  const { t } = texts
  const [faults, setFaults] = useState<readonly ItemFault[] | null>(null)
  const { name, items, state, schedule } = release
  const failure = schedule?.failure ?? null
  return (
    <Page
      title={name}
      note={releaseStateText(texts, release)}
      narrow
      actions={<ReleaseActions release={release} onFaults={setFaults} />}
    >
      {failure !== null && (
        <p role="alert" className={`${styles['result']} ${styles['failure']}`}>
          {t('schedule.failed', { message: sayError(failure, texts) })}
        </p>
      )}
      <div role="status">
        {faults !== null && (
          <p
            className={`${styles['result']} ${faults.length > 0 ? styles['failure'] : styles['good']}`}
          >
            {faults.length === 0
              ? t('releases.faultless')
              : t('releases.faults', { count: faults.length })}
          </p>
        )}
      </div>
      {items.length === 0 ? (
        <Notice title={t('releases.noItems')}>{t('releases.noItemsHint')}</Notice>
      ) : (
        <ReleaseItems release={release} faults={faults ?? []} isOpen={state === 'open'} />
      )}
    </Page>
  )
}

interface ReleaseActionsProps {
  readonly release: Release
  readonly onFaults: (faults: readonly ItemFault[] | null) => void
}

function ReleaseActions({ release, onFaults }: ReleaseActionsProps) {
  const { t } = useTexts()
  const may = useMay()
  const action = useAction()
  const { id, items, state, schedule } = release
  const at = schedule?.at ?? null
  const isAhead = at !== null && Date.parse(at) > Date.now()
  const mayPublish = may('admin::releases.publish') && items.length > 0 && state === 'open'
  const publish = async (): Promise<void> => {
    const faults = await checkRelease(id)
    onFaults(faults)
    if (faults.length > 0) throw new Error(t('releases.faults', { count: faults.length }))
    await publishRelease(id, null)
    onFaults(null)
  }
  return (
    <>
      {state === 'open' && may('admin::releases.update') && <AddEntries release={release} />}
      {state !== 'published' && items.length > 0 && (
        <Button
          isPending={action.isBusy}
          onPress={() => void checkRelease(id).then(onFaults, notifyFailure)}
        >
          {t('releases.check')}
        </Button>
      )}
      {mayPublish && <ScheduleButton id={id} />}
      {state === 'scheduled' && may('admin::releases.publish') && (
        <Button
          onPress={() =>
            action.run(() => cancelSchedule(id), {
              changes: ['releases', 'schedules'],
              says: t('schedule.cancelled'),
              ...(isAhead && { undo: () => () => publishRelease(id, at) }),
            })
          }
        >
          {t('releases.unschedule')}
        </Button>
      )}
      {mayPublish && (
        <Button
          look="primary"
          isPending={action.isBusy}
          onPress={() =>
            action.run(publish, {
              changes: ['releases', 'content', 'counts'],
              says: t('releases.published'),
            })
          }
        >
          {t('releases.publish')}
        </Button>
      )}
      {may('admin::releases.delete') && <DeleteButton release={release} action={action} />}
    </>
  )
}

function ScheduleButton({ id }: { readonly id: string }) {
  const { t } = useTexts()
  const action = useAction(['data.at'])
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onPress={() => setOpen(true)}>{t('releases.schedule')}</Button>
      <ScheduleDialog
        isOpen={isOpen}
        onClose={() => {
          setOpen(false)
          action.reset()
        }}
        actions={[]}
        action={action}
        onChoose={({ at }) =>
          action.run(() => publishRelease(id, at), {
            changes: ['releases', 'schedules'],
            says: t('schedule.added'),
            onDone: () => setOpen(false),
          })
        }
      />
    </>
  )
}

function DeleteButton({ release, action }: { readonly release: Release; readonly action: Action }) {
  const { t } = useTexts()
  const navigate = useNavigate()
  const [isAsking, ask] = useState(false)
  return (
    <>
      <Button look="quiet" onPress={() => ask(true)}>
        {t('releases.delete')}
      </Button>
      <AskToDelete
        name={isAsking ? release.name : null}
        hint={t('releases.deleteHint')}
        onClose={() => ask(false)}
        onDelete={() =>
          action.run(() => deleteRelease(release.id), {
            onDone: () => void navigate({ to: '/releases' }),
          })
        }
      />
    </>
  )
}
