import { Label, TextArea, TextField } from 'react-aria-components'
import { Choice } from '../../design/choice.tsx'
import fieldStyles from '../../design/text-input.module.css'
import { useTexts } from '../../texts/texts.ts'
import styles from './declare.module.css'
import type { DraftAttribute } from './draft.ts'
import { enumValues, renamesOf } from './value-renames.ts'

export interface EnumFieldProps {
  readonly attribute: DraftAttribute
  readonly onValues: (values: readonly string[]) => void
  /** @param newer null for a removed value */
  readonly onRename: (older: string, newer: string | null) => void
}

/** A value that is gone is a removed or a renamed one. */
export function EnumField({ attribute, onValues, onRename }: EnumFieldProps) {
  const { t } = useTexts()
  const { options, values } = attribute
  const lines = options['enum']
  const renames = renamesOf(attribute)
  const added = enumValues(lines).filter((value) => !values.includes(value))
  const taken = new Set(Object.values(renames))
  return (
    <>
      <TextField
        className={fieldStyles['field'] ?? ''}
        value={Array.isArray(lines) ? lines.join('\n') : ''}
        onChange={(text) => onValues(text.split('\n'))}
      >
        <Label className={fieldStyles['label'] ?? ''}>{t('declare.enum')}</Label>
        <TextArea className={styles['lines'] ?? ''} rows={4} />
      </TextField>
      {Object.entries(renames).map(([older, newer]) => (
        <div key={older}>
          <Choice
            label={t('declare.goneValue', { value: older })}
            options={[
              ...added
                .filter((value) => value === newer || !taken.has(value))
                .map((value) => ({
                  id: `to ${value}`,
                  name: t('declare.valueRenamed', { value }),
                })),
              { id: REMOVED, name: t('declare.valueRemoved') },
            ]}
            value={newer === null ? REMOVED : `to ${newer}`}
            onChange={(id) => onRename(older, id === REMOVED ? null : id.slice('to '.length))}
          />
          <p role="status" className={styles['hint']}>
            {newer === null
              ? t('declare.valueRemovedHint', { value: older })
              : t('declare.valueRenamedHint', { older, newer })}
          </p>
        </div>
      ))}
    </>
  )
}

const REMOVED = 'removed'
