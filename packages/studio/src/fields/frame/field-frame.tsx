import { type ReactNode, useId } from 'react'
import type { Attribute } from '../../api/attributes.ts'
import { useTexts } from '../../texts/texts.ts'
import { ConflictChoice } from '../conflict/conflict-choice.tsx'
import { studioText, useFieldLabel } from '../../texts/field-words.ts'
import { isEmptyValue } from '../condition.ts'
import { limitsOf } from '../limits.ts'
import type { Place } from '../field-props.ts'
import { useConflict, useFromValue, useOpenEntry, useProblems } from '../open-entry.ts'
import { FieldPresence, toneOf, usePresentAt } from '../presence/field-presence.tsx'
import { CommentButton } from './comment-button.tsx'
import styles from './field-frame.module.css'

export interface InputNames {
  readonly id: string
  readonly 'aria-labelledby': string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: true
  readonly 'aria-required'?: true
}

export interface FieldFrameProps {
  readonly attribute: Attribute
  readonly name: string
  readonly place: Place
  readonly note?: ReactNode
  readonly hint?: string | undefined
  /** The label names a group and is no `label` element. */
  readonly isGroup?: boolean
  readonly isTitle?: boolean
  readonly children: (names: InputNames) => ReactNode
}

export function FieldFrame(props: FieldFrameProps) {
  const { attribute, name, place, note, hint, isGroup = false, isTitle = false, children } = props
  const texts = useTexts()
  const id = useId()
  const label = useFieldLabel(name, attribute)
  const help = studioText(attribute.studio?.description, texts.language)
  const problems = useSentences(place, attribute)
  const people = usePresentAt(place)
  const limits = [hint, ...limitsOf(attribute, texts)].filter((one) => one !== undefined)
  const isRequired = attribute.required === true && !isGroup
  const described = [
    problems !== undefined && `${id}-problems`,
    limits.length > 0 && `${id}-limits`,
    help !== undefined && `${id}-help`,
    people.length > 0 && `${id}-people`,
  ]
  const names = namesOf(id, described, problems !== undefined, isRequired)
  const Label = isGroup ? 'span' : 'label'
  return (
    <div
      className={`${styles['field']} ${isTitle ? styles['title'] : ''}`}
      data-field={place}
      data-person-tone={toneOf(people)}
    >
      <div className={styles['head']}>
        <Label id={`${id}-label`} className={styles['label']} {...(!isGroup && { htmlFor: id })}>
          {label}
        </Label>
        <Marks attribute={attribute} isWithin={place.includes('/')} />
        {limits.length > 0 && (
          <span id={`${id}-limits`} className={styles['marks']}>
            {limits.join(' · ')}
          </span>
        )}
        {note !== undefined && <span className={styles['note']}>{note}</span>}
      </div>
      <CommentButton {...{ place, label }} />
      {help !== undefined && (
        <p id={`${id}-help`} className={styles['help']}>
          {help}
        </p>
      )}
      {children(names)}
      <FieldPresence id={`${id}-people`} people={people} />
      <ProblemList id={`${id}-problems`} problems={problems} />
      <FieldConflict {...{ attribute, place }} />
    </div>
  )
}

function FieldConflict({ attribute, place }: Pick<FieldFrameProps, 'attribute' | 'place'>) {
  const conflict = useConflict(place)
  return conflict === undefined ? null : <ConflictChoice {...{ attribute, place, conflict }} />
}

/**
 * The problems as sentences. For a missing value the server's sentence only names the type, so a
 * better one replaces it.
 */
function useSentences(place: Place, { required }: Attribute): readonly string[] | undefined {
  const { t } = useTexts()
  const problems = useProblems(place)
  const isEmpty = useFromValue(place, isEmptyValue)
  return problems !== undefined && required === true && isEmpty ? [t('field.missing')] : problems
}

function namesOf(
  id: string,
  describing: readonly (string | false)[],
  isWrong: boolean,
  isRequired: boolean,
): InputNames {
  const described = describing.filter((one) => one !== false)
  return {
    id,
    'aria-labelledby': `${id}-label`,
    ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
    ...(isWrong && { 'aria-invalid': true }),
    ...(isRequired && { 'aria-required': true }),
  }
}

interface ProblemsProps {
  readonly id: string
  readonly problems: readonly string[] | undefined
}

function ProblemList({ id, problems }: ProblemsProps) {
  if (problems === undefined) return null
  return (
    <div id={id} role="alert">
      {problems.map((problem) => (
        <p key={problem} className={styles['problem']} data-problem>
          {problem}
        </p>
      ))}
    </div>
  )
}

function Marks({
  attribute,
  isWithin,
}: {
  readonly attribute: Attribute
  readonly isWithin: boolean
}) {
  const { t } = useTexts()
  const { isLocalized } = useOpenEntry()
  const isShared = isLocalized && !isWithin && attribute.localized === false
  const marks = [
    attribute.required === true && t('field.required'),
    attribute.private === true && t('field.private'),
    isShared && t('field.shared'),
    attribute.writable === false && t('field.readOnly'),
  ].filter((mark) => mark !== false)
  return marks.length === 0 ? null : <span className={styles['marks']}>{marks.join(' · ')}</span>
}
