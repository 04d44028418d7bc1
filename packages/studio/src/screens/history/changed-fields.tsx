import { Suspense, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { lazyPart } from '../../design/load-part.tsx'
import { LoadBoundary } from '../../design/not-loaded.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ComparedChanges } from './changes-dialog.tsx'

const ChangesDialog = lazyPart(async () => (await import('./changes-dialog.tsx')).ChangesDialog)

/** The number of fields that a publication changes. Opens the difference. */
export function ChangedFields({ session, changes }: ComparedChanges) {
  const { t } = useTexts()
  const [isOpen, open] = useState(false)
  const show = async (): Promise<void> => {
    await session.saver.saveNow()
    open(true)
  }
  return (
    <>
      <Button look="quiet" onPress={() => void show()}>
        {t('entry.changedFields', { count: changes.attributes.length })}
      </Button>
      {isOpen && (
        <LoadBoundary>
          <Suspense fallback={null}>
            <ChangesDialog {...{ session, changes }} onClose={() => open(false)} />
          </Suspense>
        </LoadBoundary>
      )}
    </>
  )
}
