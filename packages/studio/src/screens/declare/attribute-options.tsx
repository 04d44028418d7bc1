import { Checkbox } from '../../design/checkbox.tsx'
import { TextInput } from '../../design/text-input.tsx'
import type { TextKey } from '../../texts/english.ts'
import { useTexts } from '../../texts/texts.ts'
import { DefaultField } from './default-field.tsx'
import styles from './declare.module.css'
import { type Draft, readAt, writeAt } from './draft.ts'
import { EnumField } from './enum-field.tsx'
import { type AttributeOption, optionsOf } from './option-table.ts'
import type { OptionsProps } from './options-props.ts'
import { type NumberOption, numberOf, textOfOption } from './option-values.ts'
import { withValueRenames } from './value-renames.ts'
import { ComponentOptions, MediaFields, RelationFields, TargetField } from './reference-fields.tsx'

export interface AttributeOptionsProps extends OptionsProps {
  readonly wrong: readonly NumberOption[]
}

const BOUNDS = [
  ['minLength', 'maxLength'],
  ['min', 'max'],
] as const
const FLAGS = ['required', 'unique', 'private', 'repeatable', 'multiple', 'privateFiles'] as const

export function AttributeOptions(props: AttributeOptionsProps) {
  const { draft, attribute, wrong, onChange } = props
  const { t } = useTexts()
  const { options } = attribute
  const known = optionsOf(textOfOption(options['type']))
  const has = (option: AttributeOption): boolean => known.includes(option)
  const set = (option: AttributeOption, value: unknown): void =>
    onChange({ ...attribute, options: writeAt(options, [option], value) })
  return (
    <>
      {has('relation') && <RelationFields {...props} />}
      {(has('component') || has('components')) && <ComponentOptions {...props} />}
      {has('allowedTypes') && <MediaFields {...props} />}
      {has('targetField') && <TargetField {...props} />}
      {has('enum') && (
        <EnumField
          attribute={attribute}
          onValues={(values) => set('enum', values)}
          onRename={(older, newer) => {
            const chosenNames = { ...attribute.chosenNames, [older]: newer }
            onChange({ ...attribute, chosenNames })
          }}
        />
      )}
      {BOUNDS.map(
        (pair) =>
          has(pair[0]) && (
            <div key={pair[0]} className={styles['pair']}>
              {pair.map((option) => (
                <TextInput
                  key={option}
                  label={t(`declare.${option}`)}
                  value={textOfOption(options[option])}
                  onChange={(text) => set(option, numberOf(options['type'], text))}
                  inputMode="decimal"
                  error={wrong.includes(option) ? t('declare.noNumber') : undefined}
                />
              ))}
            </div>
          ),
      )}
      {has('regex') && (
        <TextInput
          label={t('declare.regex')}
          value={textOfOption(options['regex'])}
          onChange={(text) => set('regex', text === '' ? undefined : text)}
          mono
          input={{ spellCheck: 'false' }}
        />
      )}
      {has('default') && (
        <DefaultField
          options={withValueRenames(attribute)}
          onChange={(value) => set('default', value)}
        />
      )}
      <div className={styles['flags']}>
        {FLAGS.filter(has).map((flag) => (
          <Checkbox
            key={flag}
            isSelected={options[flag] === true}
            onChange={(isSet) => set(flag, isSet || undefined)}
          >
            {t(`declare.${flag}` satisfies TextKey)}
          </Checkbox>
        ))}
        {isLocalizedType(draft) && <LocalizedFlag {...props} />}
      </div>
      {has('unique') && options['unique'] === true && (
        <p className={styles['hint']}>{t('declare.uniqueHint')}</p>
      )}
    </>
  )
}

function isLocalizedType({ kind, rest }: Draft): boolean {
  return kind === 'contentType' && readAt(rest, 'pluginOptions', 'i18n', 'localized') === true
}

const LOCALIZED = ['pluginOptions', 'i18n', 'localized'] as const

/** By default, relations and uids have one value per language. */
function LocalizedFlag({ attribute, onChange }: OptionsProps) {
  const { t } = useTexts()
  const { options } = attribute
  const usual = options['type'] === 'relation' || options['type'] === 'uid'
  return (
    <Checkbox
      isSelected={(readAt(options, ...LOCALIZED) ?? usual) === true}
      onChange={(isSet) => onChange({ ...attribute, options: writeAt(options, LOCALIZED, isSet) })}
    >
      {t('declare.localizedAttribute')}
    </Checkbox>
  )
}
