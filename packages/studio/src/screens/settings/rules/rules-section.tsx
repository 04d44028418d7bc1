import { useRef, useState } from 'react'
import { useTypes } from '../../../api/content-types.ts'
import type { Rule } from '../../../api/management.ts'
import { Button } from '../../../design/button.tsx'
import { Rows } from '../../../design/list-rows.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { addRule } from './edited-rules.ts'
import type { RulesSectionProps } from './rule-props.ts'
import { RuleRow } from './rule-row.tsx'
import { RULE_VERBS } from './rule-verbs.ts'
import styles from './rules.module.css'

export function RulesSection(props: RulesSectionProps) {
  const { rules, actions, granted, isReadOnly = false, faultsOf, onChange } = props
  const { t } = useTexts()
  const types = useTypes()
  const add = useRef<HTMLButtonElement>(null)
  const [opened, open] = useState<ReadonlySet<number>>(new Set())
  const names = new Set(actions.map(({ name }) => name))
  const actionsOf = (uid: string): readonly string[] =>
    RULE_VERBS.map((verb) => `${uid}.${verb}`).filter((name) => names.has(name))
  const all = types.flatMap(({ uid }) => actionsOf(uid))
  const first = all.find((name) => !granted.has(name)) ?? all[0]
  const append = (rule: Rule): void => {
    const added = addRule(rules, rule)
    onChange(added)
    open(new Set([...opened, added.at(-1)?.key ?? 0]))
  }
  if (isReadOnly && rules.length === 0) return null
  return (
    <section className={styles['section']}>
      <h3 className={styles['heading']}>{t('rule.title')}</h3>
      <p className={styles['hint']}>{t('rule.hint')}</p>
      {rules.length > 0 && (
        <Rows label={t('rule.title')}>
          {rules.map((edited, at) => (
            <RuleRow
              key={edited.key}
              {...props}
              edited={edited}
              actionsOf={actionsOf}
              isOpen={opened.has(edited.key)}
              faults={faultsOf(edited.key)}
              onOpen={(isOpen) => {
                const others = [...opened].filter((key) => key !== edited.key)
                open(new Set(isOpen ? [...others, edited.key] : others))
              }}
              onEdit={(changed) => onChange(rules.with(at, changed))}
              onRemove={() => {
                onChange(rules.toSpliced(at, 1))
                add.current?.focus()
              }}
            />
          ))}
        </Rows>
      )}
      {!isReadOnly && first !== undefined && (
        <Button ref={add} small onPress={() => append({ action: first })}>
          {t('rule.add')}
        </Button>
      )}
    </section>
  )
}
