import { Checkbox } from '../../design/checkbox.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './declare.module.css'
import { textOfOption } from './option-values.ts'
import { type Draft, readAt, writeAt } from './draft.ts'

const TABLES = ['options', 'blocks'] as const

export interface TypeFieldsProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
}

export function TypeFields({ draft, onChange }: TypeFieldsProps) {
  const { t } = useTexts()
  const { rest } = draft
  const set = (path: readonly string[], value: unknown): void =>
    onChange({ ...draft, rest: writeAt(rest, path, value) })
  const text = (path: readonly string[]) => ({
    value: textOfOption(readAt(rest, ...path)),
    onChange: (value: string) => set(path, value === '' ? undefined : value),
  })
  const flag = (path: readonly string[]) => ({
    isSelected: readAt(rest, ...path) === true,
    onChange: (value: boolean) => set(path, value),
  })
  const hasTables = readAt(rest, ...TABLES) === 'extended'
  const hasBlocks = draft.attributes.some(({ options }) => options['type'] === 'blocks')
  const tables = (hasBlocks || hasTables) && (
    <Checkbox
      isSelected={hasTables}
      onChange={(isSet) => set(TABLES, isSet ? 'extended' : undefined)}
    >
      {t('declare.tables')}
    </Checkbox>
  )
  return (
    <div className={styles['fields']}>
      <TextInput label={t('declare.displayName')} {...text(['info', 'displayName'])} />
      {draft.kind === 'component' && tables}
      {draft.kind === 'contentType' && (
        <>
          <TextInput label={t('declare.description')} {...text(['info', 'description'])} />
          <TextInput
            label={t('declare.preview')}
            mono
            hint="https://…/{documentId}?locale={locale}&status={status}&secret={secret}"
            {...text(['options', 'preview'])}
          />
          <TextInput
            label={t('declare.url')}
            mono
            hint="/articles/{slug}"
            {...text(['options', 'url'])}
          />
          <div className={styles['flags']}>
            <Checkbox {...flag(['options', 'draftAndPublish'])}>
              {t('declare.draftAndPublish')}
            </Checkbox>
            <Checkbox {...flag(['pluginOptions', 'i18n', 'localized'])}>
              {t('declare.localized')}
            </Checkbox>
            {tables}
          </div>
        </>
      )}
    </div>
  )
}
