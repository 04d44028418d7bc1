import { Suspense, useState } from 'react'
import { listTitleOf, type TypeSummary } from '../../api/content-types.ts'
import { useMay, useSession } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { lazyPart } from '../../design/load-part.tsx'
import { Dropdown, DropdownItem } from '../../design/menu.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { TranslatedList } from './translated-list.ts'

const ExportDialog = lazyPart(async () => (await import('./export-dialog.tsx')).ExportDialog)
const ImportDialog = lazyPart(async () => (await import('./import-dialog.tsx')).ImportDialog)
const TranslateDialog = lazyPart(
  async () => (await import('./translate-dialog.tsx')).TranslateDialog,
)

interface ListTranslationsProps {
  readonly type: TypeSummary
  readonly list: TranslatedList
}

export interface ExportButtonProps extends ListTranslationsProps {
  readonly documentIds: readonly string[]
  /** Whether the selection has further pages. A file has no place for them. */
  readonly isEverything: boolean
}

function hasLanguages({ locale, locales }: TranslatedList): boolean {
  return locale !== null && locales.length > 1
}

export function ExportButton({ type, list, documentIds, isEverything }: ExportButtonProps) {
  const { t } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const { locale, locales } = list
  if (locale === null || isEverything || !hasLanguages(list)) return null
  return (
    <>
      <Button look="quiet" small onPress={() => setOpen(true)}>
        {t('translation.export')}
      </Button>
      {isOpen && (
        <Suspense>
          <ExportDialog
            uid={type.uid}
            documentIds={documentIds}
            from={locale}
            locales={locales.map(({ code }) => code)}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}

/** Shown if the server has a service that translates. */
export function TranslateButton({ type, list, documentIds, isEverything }: ExportButtonProps) {
  const { t } = useTexts()
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  const { translator } = useSession()
  const { locale, locales } = list
  if (translator === null || locale === null || isEverything || !hasLanguages(list)) return null
  if (!may(`${type.uid}.update`)) return null
  return (
    <>
      <Button look="quiet" small onPress={() => setOpen(true)}>
        {t('translation.translate', { name: translator })}
      </Button>
      {isOpen && (
        <Suspense>
          <TranslateDialog
            {...{ list, translator, documentIds }}
            sources={[locale]}
            from={locale}
            to={locales.find(({ code }) => code !== locale)?.code ?? ''}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}

/** Further actions of the list. */
export function ImportMenu({ type, list }: ListTranslationsProps) {
  const { t } = useTexts()
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  const update = `${type.uid}.update`
  if (!hasLanguages(list) || !type.actions.includes(update) || !may(update)) return null
  return (
    <>
      <Dropdown
        trigger={
          <Button square aria-label={t('translation.more', { name: listTitleOf(type) })}>
            <Icon name="more" />
          </Button>
        }
        onAction={() => setOpen(true)}
      >
        <DropdownItem id="import">{t('translation.import')}</DropdownItem>
      </Dropdown>
      {isOpen && (
        <Suspense>
          <ImportDialog list={list} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
