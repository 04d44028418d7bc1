import { type ReactNode, useId } from 'react'
import type { Attribute } from '../../entry/declaration.ts'
import { useTexts } from '../../texts/texts.ts'
import { ConflictChoice } from '../conflict/conflict-choice.tsx'
import { labelOf } from '../labels.ts'
import { limitsOf } from '../limits.ts'
import type { Place } from '../field-props.ts'
import { useConflict, useOpenEntry, useProblems } from '../open-entry.ts'
import styles from './field-frame.module.css'

/** What an input says of itself, so that it is named and described by what stands around it. */
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
  /** Beside the label, quiet. */
  readonly note?: ReactNode
  /** Under the field, before its limits. */
  readonly hint?: ReactNode
  /** The label is no `label`: what it names is a group. */
  readonly isGroup?: boolean
  readonly isTitle?: boolean
  readonly children: (names: InputNames) => ReactNode
}

/** A field: its label, its input, its limits, what is wrong with it, and what another made of it meanwhile. */
export function FieldFrame(props: FieldFrameProps) {
  const { attribute, name, place, note, hint, isGroup = false, isTitle = false, children } = props
  const texts = useTexts()
  const id = useId()
  const problems = useProblems(place)
  const conflict = useConflict(place)
  const limits = [hint, ...limitsOf(attribute, texts)].filter((one) => one !== undefined)
  const isRequired = attribute.required === true && !isGroup
  const names = namesOf(id, limits.length > 0, problems !== undefined, isRequired)
  const Label = isGroup ? 'span' : 'label'
  return (
    <div className={`${styles['field']} ${isTitle ? styles['title'] : ''}`} data-field={place}>
      <div className={styles['head']}>
        <Label id={`${id}-label`} className={styles['label']} {...(!isGroup && { htmlFor: id })}>
          {labelOf(name)}
        </Label>
        <Marks attribute={attribute} isWithin={place.includes('/')} />
        {note !== undefined && <span className={styles['note']}>{note}</span>}
      </div>
      {children(names)}
      <Below id={`${id}-hint`} problems={problems} limits={limits} />
      {conflict !== undefined && (
        <ConflictChoice attribute={attribute} place={place} conflict={conflict} />
      )}
    </div>
  )
}

function namesOf(
  id: string,
  isLimited: boolean,
  isWrong: boolean,
  isRequired: boolean,
): InputNames {
  return {
    id,
    'aria-labelledby': `${id}-label`,
    ...((isLimited || isWrong) && { 'aria-describedby': `${id}-hint` }),
    ...(isWrong && { 'aria-invalid': true }),
    ...(isRequired && { 'aria-required': true }),
  }
}

interface BelowProps {
  readonly id: string
  readonly problems: readonly string[] | undefined
  readonly limits: readonly ReactNode[]
}

/** What is wrong, and what a value may be. */
function Below({ id, problems, limits }: BelowProps) {
  if (problems === undefined && limits.length === 0) return null
  return (
    <div id={id} className={styles['below']}>
      {problems?.map((problem) => (
        <p key={problem} className={styles['problem']} data-problem>
          {problem}
        </p>
      ))}
      {limits.length > 0 && <p className={styles['hint']}>{joined(limits)}</p>}
    </div>
  )
}

function joined(parts: readonly ReactNode[]): ReactNode {
  return parts.every((part) => typeof part === 'string')
    ? parts.join(' · ')
    : parts.map((part, index) => <span key={index}>{part} </span>)
}

/** Required, private, and whether all locales share it. */
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
