import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { localeCountQuery } from '../../api/content-types.ts'
import { addLocale, makeDefaultLocale, removeLocale, useLocales } from '../../api/locales.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { readText } from '../../design/form-fields.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from '../../design/page-section.module.css'
import { PageSection } from '../../design/page-section.tsx'

export function LocalesSection() {
  const texts = useTexts()
  const { t } = texts
  const may = useMay()
  const locales = useLocales()
  const action = useAction()
  const [isAdding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<string | null>(null)
  const makeDefault = (code: string): void => {
    const before = locales.find(({ isDefault }) => isDefault)?.code
    action.run(() => makeDefaultLocale(code), {
      changes: ['locales'],
      says: t('settings.madeDefault', { name: texts.locale(code) }),
      ...(before !== undefined && { undo: () => () => makeDefaultLocale(before) }),
    })
  }
  const add = <Button onPress={() => setAdding(true)}>{t('settings.addLocale')}</Button>
  return (
    <PageSection title={t('settings.locales')} hint={t('settings.localesHint')} action={add}>
      <Rows label={t('settings.locales')}>
        {locales.map(({ code, isDefault }) => (
          <Row
            key={code}
            title={
              <>
                {texts.locale(code)}
                {isDefault && <span className={styles['tag']}>{t('settings.default')}</span>}
              </>
            }
            note={code}
          >
            {!isDefault && may('admin::locales.update') && (
              <Button look="quiet" small onPress={() => makeDefault(code)}>
                {t('settings.makeDefault')}
              </Button>
            )}
            {!isDefault && may('admin::locales.delete') && (
              <Button look="quiet" small onPress={() => setLeaving(code)}>
                {t('action.delete')}
              </Button>
            )}
          </Row>
        ))}
      </Rows>
      <AddLocale isOpen={isAdding} onClose={() => setAdding(false)} />
      {leaving !== null && (
        <DeleteLocale
          code={leaving}
          onClose={() => setLeaving(null)}
          onDelete={() =>
            action.run(() => removeLocale(leaving), { changes: ['locales', 'content', 'counts'] })
          }
        />
      )}
    </PageSection>
  )
}

interface DeleteLocaleProps {
  readonly code: string
  readonly onClose: () => void
  readonly onDelete: () => void
}

/**
 * Shows the number of entries that are deleted with the locale. If there are any, the user must
 * type that number.
 */
function DeleteLocale({ code, onClose, onDelete }: DeleteLocaleProps) {
  const { t, locale: nameOf } = useTexts()
  const { data: count } = useQuery(localeCountQuery(code))
  const [typed, type] = useState('')
  const isConfirmed = count === 0 || (count !== undefined && typed.trim() === String(count))
  return (
    <Dialog
      title={t('settings.deleteTitle', { name: nameOf(code) })}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{t('action.cancel')}</Button>
          <Button
            look="danger"
            isDisabled={!isConfirmed}
            onPress={() => {
              onClose()
              onDelete()
            }}
          >
            {t('action.delete')}
          </Button>
        </>
      }
    >
      {count === undefined && <Skeleton />}
      {count !== undefined && <p>{t('settings.deleteLocaleHint', { count })}</p>}
      {count !== undefined && count > 0 && (
        <TextInput
          label={t('settings.deleteLocaleCount', { count: String(count) })}
          value={typed}
          onChange={type}
          autoFocus
        />
      )}
    </Dialog>
  )
}

function AddLocale({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
}) {
  const texts = useTexts()
  const { t } = texts
  const action = useAction(['code', 'name'])
  const [code, setCode] = useState('')
  return (
    <FormDialog
      title={t('settings.addLocale')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('action.add')}
      isBusy={action.isBusy}
      problem={action.problem}
      onSubmit={(form) => {
        const given = readText(form, 'code')
        action.run(() => addLocale({ code: given, name: texts.locale(given) }), {
          changes: ['locales'],
          onDone: onClose,
        })
      }}
    >
      <TextInput
        label={t('settings.localeCode')}
        name="code"
        mono
        autoFocus
        hint={code.length < 2 ? t('settings.localeCodeHint') : texts.locale(code)}
        error={action.faultOf('code')}
        onChange={(given) => {
          setCode(given)
          action.reset()
        }}
      />
    </FormDialog>
  )
}
