import { Button } from '../../design/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ImportWork } from './use-import.ts'

export interface ImportActionsProps {
  readonly work: ImportWork
  /** The label of the button for a new start. */
  readonly again: string
  readonly onClose: () => void
}

export function isImported({ file, isBusy }: ImportWork): boolean {
  return (file?.results.size ?? 0) > 0 && !isBusy
}

/** The buttons below compared entries. */
export function ImportActions({ work, again, onClose }: ImportActionsProps) {
  const { t } = useTexts()
  const { file, isBusy } = work
  const count = [...(file?.taken.values() ?? [])].reduce((sum, ids) => sum + ids.size, 0)
  return (
    <>
      <Button look="quiet" onPress={work.clear} isDisabled={isBusy}>
        {again}
      </Button>
      {isImported(work) ? (
        <Button look="primary" onPress={onClose}>
          {t('action.close')}
        </Button>
      ) : (
        <Button
          look="primary"
          isDisabled={count === 0}
          isPending={isBusy}
          onPress={() => void work.store()}
        >
          {count === 0 ? t('translation.noneChosen') : t('translation.submit', { count })}
        </Button>
      )}
    </>
  )
}
