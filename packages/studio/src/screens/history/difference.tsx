import type { FormPlan } from '../../entry/form-plan.ts'
import type { AttributeChange } from '../../api/history.ts'
import { Button } from '../../design/button.tsx'
import { MarkedWords } from '../../design/marked-words.tsx'
import { cellText } from '../../fields/cell.tsx'
import { fieldLabel } from '../../texts/field-words.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './history-dialog.module.css'
import { linesOf } from './value-lines.ts'
import { useLinkTitles } from './use-link-titles.ts'

export interface DifferenceProps {
  readonly plan: FormPlan
  readonly changes: readonly AttributeChange[]
  readonly left: string
  readonly right: string
  readonly onRestore: ((attribute: string) => void) | null
}

/** Two versions next to each other, by attribute. Texts mark the added and removed words. */
export function Difference({ plan, changes, left, right, onRestore }: DifferenceProps) {
  const { t, language } = useTexts()
  return (
    <ul className={styles['changes']}>
      {changes.map((change) => {
        const name = fieldLabel(change.attribute, plan.attributes[change.attribute], language)
        const isKnown = change.attribute in plan.attributes
        return (
          <li key={change.attribute} className={styles['change']}>
            <div className={styles['changeHead']}>
              <h3 className={styles['name']}>{name}</h3>
              {!isKnown && <span className={styles['note']}>{t('history.gone')}</span>}
              {isKnown && onRestore !== null && (
                <Button
                  look="quiet"
                  small
                  aria-label={t('history.restoreOne', { name })}
                  onPress={() => onRestore(change.attribute)}
                >
                  {t('history.restoreShort')}
                </Button>
              )}
            </div>
            <div className={styles['sides']}>
              <Side title={left} plan={plan} change={change} side="from" />
              <Side title={right} plan={plan} change={change} side="to" />
            </div>
          </li>
        )
      })}
    </ul>
  )
}

interface SideProps {
  readonly title: string
  readonly plan: FormPlan
  readonly change: AttributeChange
  readonly side: 'from' | 'to'
}

function Side({ title, plan, change, side }: SideProps) {
  const texts = useTexts()
  const { attribute, words } = change
  const declared = plan.attributes[attribute]
  const titles = useLinkTitles(plan, declared, [change.from, change.to])
  const lines = linesOf(change[side], {
    attribute: declared,
    plan,
    titles,
    nothing: texts.t('history.nothing'),
    nameOf: (name, of) => fieldLabel(name, of, texts.language),
    textOf: (of, value) => cellText({ attribute: of, value }, texts),
  })
  return (
    <div className={styles['side']}>
      <h4 className={styles['sideTitle']}>{title}</h4>
      <div className={styles['text']}>
        {words === undefined ? (
          lines.map((line, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines have no ids
            <p key={index} style={{ paddingInlineStart: line.depth * 12 }}>
              {line.text}
            </p>
          ))
        ) : (
          <MarkedWords runs={words} side={side} />
        )}
      </div>
    </div>
  )
}
