import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createRelease, releasePagesQuery, type ReleaseSummary } from '../../api/releases.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { FailedRead } from '../../design/failed-read.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { readText } from '../../design/form-fields.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './planning.module.css'

export function ReleasesScreen() {
  const { t } = useTexts()
  const may = useMay()
  const found = useInfiniteQuery(releasePagesQuery)
  const { isPending, error } = found
  const data = found.data?.pages.flatMap((page) => page.data)
  const [isAdding, setAdding] = useState(false)
  const add = may('admin::releases.create') && (
    <Button look="primary" onPress={() => setAdding(true)}>
      {t('releases.new')}
    </Button>
  )
  return (
    <Page title={t('nav.releases')} actions={data?.length !== 0 && add} narrow>
      {isPending && <Skeleton />}
      {error !== null && <FailedRead error={error} onRetry={() => void found.refetch()} />}
      {data !== undefined && data.length === 0 && (
        <Notice title={t('releases.empty')} action={add}>
          {t('releases.emptyHint')}
        </Notice>
      )}
      {data !== undefined && data.length > 0 && (
        <Rows label={t('releases.list')}>
          {data.map((release) => (
            <ReleaseRow key={release.id} release={release} />
          ))}
        </Rows>
      )}
      {found.hasNextPage && (
        <Button
          look="quiet"
          isPending={found.isFetchingNextPage}
          onPress={() => void found.fetchNextPage()}
        >
          {t('releases.older')}
        </Button>
      )}
      <NewRelease isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  )
}

function ReleaseRow({ release }: { readonly release: ReleaseSummary }) {
  const texts = useTexts()
  const { id, name, count } = release
  return (
    <Row
      title={
        <Link to="/releases/$release" params={{ release: id }} className={styles['link']}>
          {name}
        </Link>
      }
      note={[releaseStateText(texts, release), texts.t('releases.count', { count })].join(' · ')}
    />
  )
}

export function releaseStateText(
  { t, moment }: ReturnType<typeof useTexts>,
  { state, schedule, publishedAt }: ReleaseSummary,
): string {
  const at = state === 'published' ? publishedAt : (schedule?.at ?? null)
  const word = t(`releases.state.${state}`)
  return at === null ? word : `${word} ${moment(at)}`
}

function NewRelease({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
}) {
  const { t } = useTexts()
  const navigate = useNavigate()
  const action = useAction(['data.name'])
  return (
    <FormDialog
      title={t('releases.new')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('action.add')}
      isBusy={action.isBusy}
      problem={action.problem}
      onSubmit={(form) =>
        action.run(() => createRelease(readText(form, 'name')), {
          changes: ['releases'],
          onDone: ({ id }) => {
            onClose()
            void navigate({ to: '/releases/$release', params: { release: id } })
          },
        })
      }
    >
      <TextInput
        label={t('releases.name')}
        name="name"
        autoFocus
        error={action.faultOf('data.name')}
        onChange={action.reset}
      />
    </FormDialog>
  )
}
