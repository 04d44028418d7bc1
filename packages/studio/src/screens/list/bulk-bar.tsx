import { useState } from 'react'
import { ProgressBar, type Selection } from 'react-aria-components'
import { type BulkAction, type BulkTarget, idsOfTarget } from '../../api/bulk.ts'
import type { TypeSummary } from '../../api/content-types.ts'
import type { Entry, EntryState } from '../../api/entries.ts'
import { findUsages, type FoundUsages, MAX_USAGES } from '../../api/entry-facts.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { FloatingBar } from '../../design/floating-bar.tsx'
import { useTexts } from '../../texts/texts.ts'
import { UsageList } from '../entry/usage-list.tsx'
import { AddToRelease } from '../planning/add-to-release.tsx'
import { ExportButton, TranslateButton } from '../translation/list-translations.tsx'
import styles from './bulk-bar.module.css'
import { BulkFailures } from './bulk-failures.tsx'
import { useBulk } from './use-bulk.ts'
import type { List } from './use-list.ts'

export interface BulkBarProps {
  readonly type: TypeSummary
  readonly list: List
  readonly selected: Selection
  readonly isEverything: boolean
  readonly onEverything: () => void
  readonly onClear: () => void
}

export function BulkBar(props: BulkBarProps) {
  const { type, list, selected, isEverything, onEverything, onClear } = props
  const { t, number } = useTexts()
  const bulk = useBulk(type, list.locale)
  const actions = useBulkActions(type, list.locale)
  const page = list.entries.data?.data ?? []
  const ids = idsOf(selected, page)
  const total = list.entries.data?.meta.pagination.total
  const count = isEverything ? (total ?? ids.length) : ids.length
  const target: BulkTarget = isEverything ? { matching: list.selection } : ids
  const run = (action: BulkAction): void => {
    const states = isEverything ? [] : statesOf(list, ids)
    void bulk.run({ action, target, states, onDone: onClear })
  }
  const deletion = useDeletionOfMany({
    uid: type.uid,
    target,
    isUndoable: !isEverything && bulk.undoDeletion !== null,
    onDelete: () => run('delete'),
  })
  const isPageFull = !isEverything && ids.length === page.length
  return (
    <>
      {count > 0 && bulk.progress === null && (
        <FloatingBar label={t('bulk.label')} text={t('bulk.selected', { count })}>
          {isPageFull && total !== undefined && total > ids.length && (
            <Button look="quiet" small onPress={onEverything}>
              {t('bulk.everything', { total: number(total) })}
            </Button>
          )}
          <ActionButtons actions={actions} run={run} onDelete={() => void deletion.start()} />
          <ToRelease {...{ type, list, ids, isEverything }} onAdded={onClear} />
          <ExportButton {...{ type, list, isEverything }} documentIds={ids} />
          <TranslateButton {...{ type, list, isEverything }} documentIds={ids} />
          <Button look="quiet" small onPress={onClear}>
            {t('bulk.clear')}
          </Button>
        </FloatingBar>
      )}
      {bulk.progress !== null && <Progress {...bulk.progress} onStop={bulk.stop} />}
      <BulkFailures list={list} failures={bulk.failures} onClose={bulk.forgetFailures} />
      <AskToDeleteMany
        count={count}
        isForGood={bulk.undoDeletion === null}
        usages={deletion.usages}
        locale={list.locale}
        onClose={deletion.cancel}
        onDelete={deletion.confirm}
      />
    </>
  )
}

function idsOf(selected: Selection, page: readonly Entry[]): readonly string[] {
  return selected === 'all' ? page.map(({ documentId }) => documentId) : [...selected].map(String)
}

function statesOf(list: List, ids: readonly string[]): readonly (EntryState | undefined)[] {
  const known = list.entries.data?.meta.states ?? {}
  return ids.map((id) => known[id])
}

interface ActionButtonsProps {
  readonly actions: readonly Exclude<BulkAction, 'discard'>[]
  readonly run: (action: BulkAction) => void
  readonly onDelete: () => void
}

function ActionButtons({ actions, run, onDelete }: ActionButtonsProps) {
  const { t } = useTexts()
  return actions.map((action) => (
    <Button
      key={action}
      look="quiet"
      small
      onPress={() => (action === 'delete' ? onDelete() : run(action))}
    >
      {t(`bulk.${action}`)}
    </Button>
  ))
}

interface DeletionOfMany {
  readonly uid: string
  readonly target: BulkTarget
  readonly isUndoable: boolean
  readonly onDelete: () => void
}

/** Asks for a confirmation if the deletion cannot be undone or breaks links. */
function useDeletionOfMany({ uid, target, isUndoable, onDelete }: DeletionOfMany) {
  const [usages, ask] = useState<FoundUsages | null>(null)
  return {
    /** The links to show in the confirmation; null while it is closed. */
    usages,
    start: async (): Promise<void> => {
      const { signal } = new AbortController()
      const found = await idsOfTarget(uid, target, signal)
        .then((ids) => findUsages(uid, ids, signal))
        .catch(() => null)
      if (isUndoable && found?.usages.length === 0 && !found.hasMore) onDelete()
      else ask(found ?? { usages: [], hasMore: false })
    },
    confirm: (): void => {
      ask(null)
      onDelete()
    },
    cancel: (): void => ask(null),
  }
}

interface ToReleaseProps {
  readonly type: TypeSummary
  readonly list: List
  readonly ids: readonly string[]
  readonly isEverything: boolean
  readonly onAdded: () => void
}

function ToRelease({ type, list, ids, isEverything, onAdded }: ToReleaseProps) {
  const { t } = useTexts()
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  if (isEverything || !type.draftAndPublish || !may('admin::releases.update')) return null
  return (
    <>
      <Button look="quiet" small onPress={() => setOpen(true)}>
        {t('releases.add')}
      </Button>
      <AddToRelease
        entries={ids.map((documentId) => ({ uid: type.uid, documentId, locale: list.locale }))}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onAdded={onAdded}
      />
    </>
  )
}

interface AskToDeleteManyProps {
  readonly count: number
  readonly isForGood: boolean
  /** Null closes the dialog. */
  readonly usages: FoundUsages | null
  readonly locale: string | null
  readonly onClose: () => void
  readonly onDelete: () => void
}

function AskToDeleteMany(props: AskToDeleteManyProps) {
  const { count, isForGood, usages, locale, onClose, onDelete } = props
  const { t } = useTexts()
  return (
    <ConfirmDialog
      title={t('bulk.deleteTitle', { count })}
      isOpen={usages !== null}
      onClose={onClose}
      onConfirm={onDelete}
    >
      {usages !== null && usages.usages.length > 0 && (
        <>
          <p>{t('bulk.delete.linked')}</p>
          <UsageList
            usages={usages.usages.slice(0, MAX_USAGES)}
            locale={locale}
            hasMore={usages.hasMore}
          />
        </>
      )}
      <p>{t(isForGood ? 'bulk.deleteHint.forGood' : 'bulk.deleteHint')}</p>
    </ConfirmDialog>
  )
}

interface ProgressProps {
  readonly done: number
  readonly total: number | null
  readonly onStop: () => void
}

function Progress({ done, total, onStop }: ProgressProps) {
  const { t, number } = useTexts()
  return (
    <FloatingBar label={t('bulk.progress')}>
      <ProgressBar
        aria-label={t('bulk.progress')}
        value={done}
        maxValue={Math.max(1, total ?? 1)}
        isIndeterminate={total === null}
        className={styles['progress'] ?? ''}
      >
        {({ percentage = 0 }) => (
          <>
            <span className={styles['count']}>
              {total === null ? t('bulk.progress') : `${number(done)} / ${number(total)}`}
            </span>
            <progress className={styles['track']} value={percentage} max={100} aria-hidden="true" />
          </>
        )}
      </ProgressBar>
      <Button look="quiet" small onPress={onStop}>
        {t('bulk.stop')}
      </Button>
    </FloatingBar>
  )
}

export function useBulkActions(
  { uid, draftAndPublish, actions }: TypeSummary,
  locale: string | null,
): readonly Exclude<BulkAction, 'discard'>[] {
  const may = useMay()
  const can = (verb: string): boolean =>
    actions.includes(`${uid}.${verb}`) && may(`${uid}.${verb}`, locale ?? undefined)
  return [
    ...(draftAndPublish && can('publish') ? (['publish', 'unpublish'] as const) : []),
    ...(can('delete') ? (['delete'] as const) : []),
  ]
}
