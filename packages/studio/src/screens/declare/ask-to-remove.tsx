import type { DeclaredFile } from '../../api/declarations.ts'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { useTexts } from '../../texts/texts.ts'
import { referencesTo } from './attribute-references.ts'
import { type Draft, type DraftAttribute, textIn } from './draft.ts'
import { shownName } from './reference-fields.tsx'

export interface AskToRemoveProps {
  readonly draft: Draft
  readonly attribute: DraftAttribute | null
  readonly files: readonly DeclaredFile[]
  readonly onClose: () => void
  readonly onRemove: (attribute: DraftAttribute) => void
}

export function AskToRemove({ draft, attribute, files, onClose, onRemove }: AskToRemoveProps) {
  const { t } = useTexts()
  const { options = {}, otherSide = null, name = '' } = attribute ?? {}
  const target = textIn(options, 'target') ?? ''
  const type = shownName(files.find(({ uid }) => uid === target)?.content ?? {}, target)
  const places = referencesTo(draft.rest, draft.uid, attribute?.was ?? name)
  const isOwner = textIn(options, 'inversedBy') !== undefined
  return (
    <ConfirmDialog
      title={t('declare.removeTitle', { name })}
      isOpen={attribute !== null}
      confirm={t('declare.removeShort')}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        if (attribute !== null) onRemove(attribute)
      }}
    >
      <p>{t('declare.removeHint')}</p>
      {places.length > 0 && <p>{t('declare.removeReferences', { places: places.join(', ') })}</p>}
      {isOwner && otherSide !== null && (
        <p>{t('declare.removeSide', { other: otherSide, type })}</p>
      )}
    </ConfirmDialog>
  )
}
