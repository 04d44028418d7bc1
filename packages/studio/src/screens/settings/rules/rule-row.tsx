import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import type { Attributes } from '../../../api/attributes.ts'
import { declarationQuery, listTitleOf, useTypes } from '../../../api/content-types.ts'
import { Button } from '../../../design/button.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { FilterText } from '../../list/filter-text.tsx'
import { OWN_ATTRIBUTES } from '../../list/filter-words.ts'
import { useColumnName } from '../../list/use-column-name.ts'
import { type EditedRule, splitAction } from './edited-rules.ts'
import { RuleForm } from './rule-form.tsx'
import type { RuleRowProps } from './rule-props.ts'
import { isRuleVerb } from './rule-verbs.ts'
import { readWhere, wordOf, wordOfStamp } from './rule-words.ts'
import styles from './rules.module.css'
import { AUTHORS, useVariables, type Variables } from './variables.ts'

export function RuleRow(props: RuleRowProps) {
  const { edited, holders, granted, isReadOnly = false, faults, isOpen, onOpen, onRemove } = props
  const { t } = useTexts()
  const { action } = edited.rule
  const { uid, verb } = splitAction(action)
  const type = useTypes().find((one) => one.uid === uid)
  const { data: declaration } = useQuery({ ...declarationQuery(uid), enabled: type !== undefined })
  const variables = useVariables(holders)
  const attributes = { ...declaration?.attributes, ...OWN_ATTRIBUTES, ...AUTHORS }
  const isShown = type !== undefined && isRuleVerb(verb)
  const title = isShown ? `${listTitleOf(type)}: ${t(`permission.${verb}`)}` : action
  const isExpanded = !isReadOnly && (isOpen || faults.length > 0)
  return (
    <li className={styles['rule']}>
      <div className={styles['head']}>
        <div className={styles['words']}>
          <div className={styles['title']}>
            {title}
            {granted.has(action) && <span className={styles['unused']}>{t('rule.noEffect')}</span>}
          </div>
          {(declaration !== undefined || !isShown) && (
            <p className={styles['summary']}>
              <RuleSummary edited={edited} attributes={attributes} variables={variables} />
            </p>
          )}
        </div>
        {!isReadOnly && (
          <div className={styles['actions']}>
            <Button
              look="quiet"
              small
              aria-expanded={isExpanded}
              aria-label={`${t('settings.edit')}: ${title}`}
              onPress={() => onOpen(!isOpen)}
            >
              {t('settings.edit')}
            </Button>
            <Button
              look="quiet"
              small
              aria-label={t('action.remove', { name: title })}
              onPress={onRemove}
            >
              {t('rule.remove')}
            </Button>
          </div>
        )}
      </div>
      {isExpanded && (
        <RuleForm
          {...props}
          declared={declaration?.attributes ?? {}}
          attributes={attributes}
          isKnown={declaration !== undefined}
          variables={variables}
        />
      )}
    </li>
  )
}

interface RuleSummaryProps {
  readonly edited: EditedRule
  readonly attributes: Attributes
  readonly variables: Variables
}

/** Which entries, which fields, which values, in words. */
function RuleSummary({ edited: { rule }, attributes, variables }: RuleSummaryProps) {
  const { t } = useTexts()
  const nameOf = useColumnName(attributes)
  const { where, fields, set = {} } = rule
  const { joined, of } = readWhere(where)
  const conditions = of.map((one) => ({ word: wordOf(one, attributes), json: one }))
  const stamps = Object.entries(set).map(([at, value]) => ({
    word: wordOfStamp(at, value, attributes),
    json: { [at]: value },
  }))
  const shown = ({ word, json }: (typeof conditions)[number]): ReactNode =>
    word === null ? (
      <code>{JSON.stringify(json)}</code>
    ) : (
      <FilterText attributes={attributes} word={word} nameOfVariable={variables.nameOf} />
    )
  return (
    <>
      {of.length === 0 && t('rule.allEntries')}
      {conditions.map((one, at) => (
        <Fragment key={at}>
          {at > 0 && ` ${t(joined === 'all' ? 'rule.and' : 'rule.or')} `}
          {shown(one)}
        </Fragment>
      ))}
      {fields !== undefined &&
        ` · ${t('rule.onlyFields', { names: fields.map(nameOf).join(', ') })}`}
      {stamps.length > 0 && ` · ${t('rule.sets')} `}
      {stamps.map((one, at) => (
        <Fragment key={at}>
          {at > 0 && ', '}
          {shown(one)}
        </Fragment>
      ))}
    </>
  )
}
