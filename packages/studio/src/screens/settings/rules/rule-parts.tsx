import type { Attributes } from '../../../api/attributes.ts'
import { listTitleOf, useTypes } from '../../../api/content-types.ts'
import type { Fault } from '../../../api/request.ts'
import { Checkbox } from '../../../design/checkbox.tsx'
import { Choice, type Option } from '../../../design/choice.tsx'
import { Choices } from '../../../design/choices.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { type FilterChip, FilterChips } from '../../list/filter-chips.tsx'
import { FilterText } from '../../list/filter-text.tsx'
import type { FilterWord } from '../../list/filter-words.ts'
import { useColumnName } from '../../list/use-column-name.ts'
import { useFilterable } from '../../list/use-filterable.tsx'
import { splitAction } from './edited-rules.ts'
import type { PartProps } from './rule-props.ts'
import { isRuleVerb, setsValues, takesFields } from './rule-verbs.ts'
import {
  conditionOf,
  readWhere,
  stampOf,
  takesStamp,
  wordOf,
  wordOfStamp,
  writeWhere,
} from './rule-words.ts'
import styles from './rules.module.css'
import { takesConstant, type Variables } from './variables.ts'

export function ActionPart({ edited: { rule }, actionsOf, faults, put }: PartProps) {
  const { t } = useTexts()
  const types = useTypes()
  const { uid, verb } = splitAction(rule.action)
  return (
    <div>
      <div className={styles['pair']}>
        <Choice
          label={t('permission.type')}
          options={types.map((type) => ({ id: type.uid, name: listTitleOf(type) }))}
          value={uid}
          autoFocus
          onChange={(chosen) => {
            const offered = actionsOf(chosen)
            const same = `${chosen}.${verb}`
            put({ action: offered.includes(same) ? same : (offered[0] ?? same) })
          }}
        />
        <Choice
          label={t('rule.action')}
          options={actionsOf(uid).map((id) => {
            const one = splitAction(id).verb
            return { id, name: isRuleVerb(one) ? t(`permission.${one}`) : one }
          })}
          value={rule.action}
          onChange={(action) => put({ action })}
        />
      </div>
      <Faults faults={faultsOf(faults, 'action')} />
    </div>
  )
}

export function WherePart({ edited: { rule }, attributes, variables, faults, put }: PartProps) {
  const { t } = useTexts()
  const options = useOperable(attributes, variables)
  const { joined, of } = readWhere(rule.where)
  const write = (conditions: readonly unknown[], by = joined): void =>
    put({ where: writeWhere({ joined: by, of: conditions }) })
  return (
    <div role="group" aria-label={t('rule.entries')}>
      <p className={styles['label']}>{t('rule.entries')}</p>
      {of.length > 1 && (
        <div className={styles['joined']}>
          <Choice
            isInline
            label={t('rule.joined')}
            options={(['all', 'any'] as const).map((id) => ({ id, name: t(`rule.joined.${id}`) }))}
            value={joined}
            onChange={(id) => write(of, id === 'any' ? 'any' : 'all')}
          />
        </div>
      )}
      <FilterChips
        label={t('rule.conditions')}
        labels={{
          add: t('rule.addCondition'),
          edit: t('rule.editCondition'),
          remove: t('rule.removeCondition'),
        }}
        chips={of.map((one) => chipOf(wordOf(one, attributes), one, attributes, variables))}
        attributes={attributes}
        options={options}
        locale={null}
        variablesOf={(name) => variables.fitting(name, attributes[name])}
        takesConstant={takesConstant}
        onAdd={(word) => write([...of, conditionOf(word, attributes)])}
        onChange={(at, word) => write(of.with(at, conditionOf(word, attributes)))}
        onRemove={(at) => write(of.toSpliced(at, 1))}
      />
      {of.length === 0 && <p className={styles['hint']}>{t('rule.allEntries')}</p>}
      <Faults faults={faultsOf(faults, 'where')} />
    </div>
  )
}

export function FieldsPart({ edited: { rule }, attributes, declared, faults, put }: PartProps) {
  const { t } = useTexts()
  const nameOf = useColumnName(attributes)
  const { fields } = rule
  if (fields === undefined && !takesFields(splitAction(rule.action).verb)) return null
  const options = [...new Set([...Object.keys(declared), ...(fields ?? [])])]
  return (
    <div>
      <Checkbox
        isSelected={fields !== undefined}
        onChange={(isLimited) => put({ fields: isLimited ? [] : undefined })}
      >
        {t('rule.someFields')}
      </Checkbox>
      {fields !== undefined && (
        <div className={styles['fields']}>
          <Choices
            label={t('rule.fields')}
            options={options.map((id) => ({ id, name: nameOf(id) }))}
            chosen={fields}
            onChange={(chosen) => put({ fields: chosen })}
            error={textOf(faultsOf(faults, 'fields'))}
          />
        </div>
      )}
    </div>
  )
}

export function SetPart({ edited: { rule }, declared, variables, faults, put }: PartProps) {
  const { t } = useTexts()
  const { set = {} } = rule
  const settable = Object.entries(declared).filter(([, attribute]) => takesStamp(attribute))
  const options = useOperable(Object.fromEntries(settable), variables)
  if (Object.keys(set).length === 0 && !setsValues(splitAction(rule.action).verb)) return null
  const write = (entries: readonly (readonly [string, unknown])[]): void =>
    put({ set: entries.length === 0 ? undefined : Object.fromEntries(entries) })
  const entryOf = (word: FilterWord) => [word.at, stampOf(word, declared)] as const
  return (
    <div role="group" aria-label={t('rule.set')}>
      <p className={styles['label']}>{t('rule.set')}</p>
      <FilterChips
        label={t('rule.values')}
        labels={{
          add: t('rule.addValue'),
          edit: t('rule.editValue'),
          remove: t('rule.removeValue'),
        }}
        chips={Object.entries(set).map(([at, value]) =>
          chipOf(wordOfStamp(at, value, declared), { [at]: value }, declared, variables),
        )}
        attributes={declared}
        options={options}
        locale={null}
        operators={STAMP_OPERATORS}
        variablesOf={(name) => variables.fitting(name, declared[name])}
        takesConstant={takesConstant}
        onAdd={(word) => write([...Object.entries(set), entryOf(word)])}
        onChange={(at, word) => write(Object.entries(set).with(at, [...entryOf(word)]))}
        onRemove={(at) => write(Object.entries(set).toSpliced(at, 1))}
      />
      <Faults faults={faultsOf(faults, 'set')} />
    </div>
  )
}

const STAMP_OPERATORS = ['is', 'isEmpty'] as const

function chipOf(
  word: FilterWord | null,
  json: unknown,
  attributes: Attributes,
  variables: Variables,
): FilterChip {
  if (word === null) return { word, text: JSON.stringify(json) }
  const text = <FilterText attributes={attributes} word={word} nameOfVariable={variables.nameOf} />
  return { word, text }
}

/** Attributes that have an operand. */
function useOperable(attributes: Attributes, variables: Variables): readonly Option[] {
  return useFilterable(attributes).filter(({ id }) => {
    const attribute = attributes[id]
    if (attribute === undefined) return false
    return takesConstant(attribute) || variables.fitting(id, attribute).length > 0
  })
}

function faultsOf(faults: readonly Fault[], part: string): readonly Fault[] {
  return faults.filter(({ path: [first] }) => first === part)
}

export function Faults({ faults }: { readonly faults: readonly Fault[] }) {
  return (
    <p role="alert" className={styles['fault']}>
      {textOf(faults)}
    </p>
  )
}

function textOf(faults: readonly Fault[]): string {
  return [...new Set(faults.map(({ message }) => message))].join(' ')
}
