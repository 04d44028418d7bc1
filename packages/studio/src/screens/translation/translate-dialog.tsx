import { useEffect, useState } from 'react'
import { type ComparedEntry, MAX_EXPORTED, suggestTranslation } from '../../api/translations.ts'
import { Button } from '../../design/button.tsx'
import { Checkbox } from '../../design/checkbox.tsx'
import { Choice } from '../../design/choice.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { TranslatedList } from './translated-list.ts'
import { ComparedEntries } from './compared-entries.tsx'
import { ImportActions, isImported } from './import-actions.tsx'
import styles from './import-dialog.module.css'
import { useImport } from './use-import.ts'

export interface TranslateDialogProps {
  readonly list: TranslatedList
  /** The name of the service. */
  readonly translator: string
  readonly documentIds: readonly string[]
  /** Languages with texts. */
  readonly sources: readonly string[]
  readonly from: string
  readonly to: string
  readonly onClose: () => void
}

/** Translates entries by a service, and imports the chosen texts. */
export function TranslateDialog({ list, translator, documentIds, ...props }: TranslateDialogProps) {
  const { sources, onClose } = props
  const { t } = useTexts()
  const { uid } = list.declaration
  const work = useImport(uid)
  const [asked, ask] = useState({ from: props.from, to: props.to, existing: false })
  const [done, count] = useState(0)
  const [stop] = useState(() => new AbortController())
  useEffect(() => () => stop.abort(), [stop])
  const { file, isBusy, problem } = work
  const total = documentIds.length
  const translate = (): Promise<void> =>
    work.compare(async (report) => {
      if (total > MAX_EXPORTED) throw new Error(t('translation.tooMany', { count: MAX_EXPORTED }))
      const entries: ComparedEntry[] = []
      try {
        for (const documentId of documentIds) {
          count(entries.length + 1)
          entries.push(await suggestTranslation(uid, { documentId, ...asked }, stop.signal))
        }
      } catch (error) {
        if (entries.length === 0) throw error
        report(error instanceof Error ? error.message : String(error))
      }
      return entries
    })
  const start = (
    <Button look="primary" isPending={isBusy} onPress={() => void translate()}>
      {t('translation.start')}
    </Button>
  )
  const again = t('translation.back')
  return (
    <Dialog
      title={t('translation.translate', { name: translator })}
      isOpen
      onClose={onClose}
      form="large"
      actions={file === null ? start : <ImportActions {...{ work, again, onClose }} />}
    >
      <p role="alert" className={styles['problem']}>
        {problem}
      </p>
      {file === null ? (
        <>
          {!isBusy && <AskedLanguages {...{ list, sources, asked, translator }} onAsk={ask} />}
          <p role="status" className={styles['hint']}>
            {isBusy ? t('translation.progress', { done, total }) : ''}
          </p>
        </>
      ) : (
        <ComparedEntries
          list={list}
          file={file}
          isDone={isImported(work)}
          noTexts={t('translation.allTranslated')}
          onTake={work.take}
        />
      )}
    </Dialog>
  )
}

interface Asked {
  readonly from: string
  readonly to: string
  readonly existing: boolean
}

interface AskedLanguagesProps extends Pick<
  TranslateDialogProps,
  'list' | 'sources' | 'translator'
> {
  readonly asked: Asked
  readonly onAsk: (asked: Asked) => void
}

function AskedLanguages({ list, sources, asked, translator, onAsk }: AskedLanguagesProps) {
  const { t, locale: nameOf } = useTexts()
  const { from, to, existing } = asked
  const codes = list.locales.map(({ code }) => code)
  const named = (some: readonly string[]) => some.map((id) => ({ id, name: nameOf(id) }))
  const begin = (code: string): void => {
    const other = codes.find((one) => one !== code) ?? ''
    onAsk({ ...asked, from: code, to: to === code ? other : to })
  }
  return (
    <div className={styles['asked']}>
      <p className={styles['hint']}>{t('translation.service', { name: translator })}</p>
      {sources.length > 1 && (
        <Choice
          label={t('translation.from')}
          options={named(sources)}
          value={from}
          onChange={begin}
        />
      )}
      <Choice
        label={t('translation.to')}
        options={named(codes.filter((code) => code !== from))}
        value={to}
        onChange={(code) => onAsk({ ...asked, to: code })}
        autoFocus
      />
      <Checkbox
        isSelected={existing}
        onChange={(isAsked) => onAsk({ ...asked, existing: isAsked })}
      >
        {t('translation.existing')}
      </Checkbox>
    </div>
  )
}
