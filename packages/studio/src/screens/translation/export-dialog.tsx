import { useState } from 'react'
import { exportTexts, MAX_EXPORTED, type TranslationFormat } from '../../api/translations.ts'
import { Choice } from '../../design/choice.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { useTexts } from '../../texts/texts.ts'

export interface ExportDialogProps {
  readonly uid: string
  readonly documentIds: readonly string[]
  /** The locale of the source. */
  readonly from: string
  readonly locales: readonly string[]
  readonly onClose: () => void
}

export function ExportDialog({ uid, documentIds, from, locales, onClose }: ExportDialogProps) {
  const { t, locale: nameOf } = useTexts()
  const others = locales.filter((code) => code !== from)
  const [to, setTo] = useState(others[0] ?? '')
  const [format, setFormat] = useState<TranslationFormat>('xliff')
  const [isBusy, setBusy] = useState(false)
  const [problem, tell] = useState<string | null>(null)
  const isTooMany = documentIds.length > MAX_EXPORTED
  const run = async (): Promise<void> => {
    if (isTooMany) return tell(t('translation.tooMany', { count: MAX_EXPORTED }))
    setBusy(true)
    tell(null)
    try {
      await exportTexts(uid, { documentIds, from, to, format })
      onClose()
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  return (
    <FormDialog
      title={t('translation.exportTitle', { count: documentIds.length })}
      isOpen
      onClose={onClose}
      submit={t('translation.download')}
      isBusy={isBusy}
      problem={problem}
      onSubmit={() => void run()}
    >
      <p>{t('translation.exportHint', { from: nameOf(from) })}</p>
      <Choice
        label={t('translation.to')}
        options={others.map((code) => ({ id: code, name: nameOf(code) }))}
        value={to}
        onChange={setTo}
        autoFocus
      />
      <Choice
        label={t('translation.format')}
        options={[
          { id: 'xliff', name: t('translation.format.xliff') },
          { id: 'json', name: t('translation.format.json') },
        ]}
        value={format}
        onChange={(id) => setFormat(id === 'json' ? 'json' : 'xliff')}
      />
    </FormDialog>
  )
}
