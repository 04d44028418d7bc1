import { useState } from 'react'
import type { Rule } from '../../../api/management.ts'
import type { Action } from '../../../design/use-action.ts'
import { useTexts } from '../../../texts/texts.ts'
import { type EditedRule, editRules, isComplete } from './edited-rules.ts'
import type { RulesSectionProps } from './rule-props.ts'

export interface EditedRules {
  readonly actions: ReadonlySet<string>
  readonly section: Pick<RulesSectionProps, 'rules' | 'faultsOf' | 'onChange'>
  /** A rule whose JSON is not valid prevents saving. */
  readonly problem: string | null
  /** The rules to save; null with such a rule. */
  readonly send: () => readonly Rule[] | null
}

export function useEditedRules(given: readonly Rule[] | undefined, action: Action): EditedRules {
  const { t } = useTexts()
  const [rules, setRules] = useState<readonly EditedRule[]>(() => editRules(given))
  const [sent, setSent] = useState<readonly number[]>([])
  const [isRefused, refuse] = useState(false)
  const faults = action.faultsWithin('rules')
  return {
    actions: new Set(rules.map(({ rule }) => rule.action)),
    problem: isRefused && !isComplete(rules) ? t('rule.unfinished') : null,
    section: {
      rules,
      // The server counts the rules as they were sent.
      faultsOf: (key) =>
        faults
          .filter(({ path: [at] }) => sent[Number(at)] === key)
          .map(({ path, message }) => ({ path: path.slice(1), message })),
      onChange: setRules,
    },
    send: () => {
      refuse(!isComplete(rules))
      if (!isComplete(rules)) return null
      setSent(rules.map(({ key }) => key))
      return rules.map(({ rule }) => rule)
    },
  }
}
