import { useState } from 'react'
import type { Rule } from '../../../api/management.ts'
import { Button } from '../../../design/button.tsx'
import { CodeArea } from '../../../fields/code/code-area.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { type EditedRule, parseRule, textOfRule, withMembers } from './edited-rules.ts'
import { ActionPart, Faults, FieldsPart, SetPart, WherePart } from './rule-parts.tsx'
import type { RuleFormProps } from './rule-props.ts'
import styles from './rules.module.css'

export function RuleForm(props: RuleFormProps) {
  const { edited, faults, isKnown, onEdit } = props
  const { t } = useTexts()
  const [wantsJson, setJson] = useState(false)
  const isJson = wantsJson || edited.text !== undefined || !isKnown
  const { key, rule } = edited
  const put = (members: Partial<Record<keyof Rule, unknown>>): void =>
    onEdit({ key, rule: withMembers(rule, members) })
  const parts = isJson ? [] : ['action', 'where', 'fields', 'set']
  const others = faults.filter(({ path: [part = ''] }) => !parts.includes(part))
  return (
    <div className={styles['form']}>
      {isJson ? (
        <RuleJson edited={edited} onEdit={onEdit} />
      ) : (
        <>
          <ActionPart {...props} put={put} />
          <WherePart {...props} put={put} />
          <FieldsPart {...props} put={put} />
          <SetPart {...props} put={put} />
        </>
      )}
      <Faults faults={others} />
      {isKnown && (
        <div>
          <Button
            look="quiet"
            small
            isDisabled={edited.text !== undefined}
            onPress={() => setJson(!isJson)}
          >
            {t(isJson ? 'rule.asForm' : 'rule.asJson')}
          </Button>
        </div>
      )}
    </div>
  )
}

interface RuleJsonProps {
  readonly edited: EditedRule
  readonly onEdit: (edited: EditedRule) => void
}

function RuleJson({ edited: { key, rule, text }, onEdit }: RuleJsonProps) {
  const { t } = useTexts()
  const [shown, show] = useState(text ?? textOfRule(rule))
  return (
    <div>
      <CodeArea
        language="json"
        text={shown}
        label={t('rule.json')}
        isInvalid={text !== undefined}
        isReadOnly={false}
        onChange={(typed) => {
          show(typed)
          const parsed = parseRule(typed)
          onEdit(parsed === null ? { key, rule, text: typed } : { key, rule: parsed })
        }}
      />
      <p role="alert" className={styles['fault']}>
        {text !== undefined && t('rule.jsonWrong')}
      </p>
    </div>
  )
}
