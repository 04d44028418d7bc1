import { use, useEffect, useRef, useState } from 'react'
import { askForUid, type UidOwner } from '../../api/uid-proposals.ts'
import { Button } from '../../design/button.tsx'
import type { ScalarAttribute } from '../../api/attributes.ts'
import type { FormStore } from '../../entry/form-store.ts'
import { notifyFailure } from '../../design/toasts.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import styles from '../inputs/inputs.module.css'
import { fieldLabel, usePlaceholder } from '../../texts/field-words.ts'
import {
  addressAt,
  type OpenEntry,
  SiblingsContext,
  useOpenEntry,
  useSetValue,
  useValue,
} from '../open-entry.ts'
import { useKeptSelection } from '../text/use-kept-selection.ts'
import { generateSlug } from './generate-slug.ts'
import { isUid, slugOf } from './slug-of.ts'

const CHECK_DELAY_MS = 350

type Finding = 'unknown' | 'asking' | 'free' | 'taken' | 'wrong'

/**
 * The part of a URL that names the entry. It follows its target attribute until the user edits it,
 * and shows whether it is available.
 */
export function UidField({ attribute, name, place }: FieldProps<ScalarAttribute>) {
  const value = useValue<string | null>(place)
  const set = useSetValue<string | null>(place)
  const open = useOpenEntry()
  const { t, language } = useTexts()
  const siblings = use(SiblingsContext)
  const placeholder = usePlaceholder(attribute)
  const { targetField } = attribute
  const target = siblingOf(place, targetField ?? name)
  useFollowedTitle(place, target, targetField !== undefined && attribute.writable !== false)
  const isWithin = place.includes('/')
  const { finding, other, owner } = useProposals(open, name, isWithin ? null : value)
  const generate = async (field: string): Promise<void> => {
    const text = textAt(open.form, target)
    // Slugs within components are not unique.
    if (isWithin) return set(slugOf(text) === '' ? null : slugOf(text))
    await generateSlug(owner(), field, text).then(set, notifyFailure)
  }
  const input = useKeptSelection(value ?? '')
  const isFixed = open.isReadOnly || attribute.writable === false
  const from =
    targetField === undefined
      ? undefined
      : t('field.uid.from', { name: fieldLabel(targetField, siblings[targetField], language) })
  return (
    <FieldFrame {...{ attribute, name, place }} note={from}>
      {(names) => (
        <div className={styles['line']}>
          <input
            {...names}
            {...placeholder}
            ref={input}
            type="text"
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            className={`${styles['input']} ${styles['mono']}`}
            value={value ?? ''}
            readOnly={isFixed}
            onChange={({ target }) => set(target.value === '' ? null : target.value)}
          />
          <span role="status" className={`${styles['said']} ${toneOf(finding)}`}>
            {['free', 'taken', 'wrong'].includes(finding) && t(`field.uid.${finding as 'free'}`)}
          </span>
          {!isFixed && other !== null && (
            <Button look="quiet" small onPress={() => set(other)}>
              {t('field.uid.use', { name: other })}
            </Button>
          )}
          {!isFixed && targetField !== undefined && (
            <Button look="quiet" small onPress={() => void generate(targetField)}>
              {t('field.uid.generate')}
            </Button>
          )}
        </div>
      )}
    </FieldFrame>
  )
}

function toneOf(finding: Finding): string {
  if (finding === 'free') return styles['good'] ?? ''
  return finding === 'taken' || finding === 'wrong' ? (styles['bad'] ?? '') : ''
}

function siblingOf(place: string, name: string): string {
  return [...place.split('/').slice(0, -1), name].join('/')
}

function textAt(form: FormStore, place: string): string {
  const value = form.get(addressAt(place))
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/**
 * Follows the target attribute in an entry that was created in this form, until its first
 * publication. After that, other sites may link to the URL.
 */
function useFollowedTitle(place: string, target: string, isFollowing: boolean): void {
  const { form, isReadOnly, followsTitle } = useOpenEntry()
  const [isBegunHere] = useState(() => followsTitle(place))
  const last = useRef<string | null>(null)
  useEffect(() => {
    if (!isFollowing || isReadOnly || !isBegunHere) return
    const read = (at: string): string => textAt(form, at)
    last.current = read(target)
    return form.onEdit(() => {
      const before = last.current ?? ''
      const now = read(target)
      if (now === before) return
      last.current = now
      const uid = read(place)
      if (!followsTitle(place) || (uid !== '' && uid !== slugOf(before))) return
      form.set(addressAt(place), slugOf(now) === '' ? null : slugOf(now))
    })
  }, [form, place, target, isFollowing, isReadOnly, isBegunHere, followsTitle])
}

function useProposals({ uid, documentId, locale }: OpenEntry, field: string, value: string | null) {
  const [finding, find] = useState<Finding>('unknown')
  const [other, setOther] = useState<string | null>(null)
  const first = useRef(value)
  const owner = (): UidOwner => ({ uid, field, documentId: documentId(), locale })
  useEffect(() => {
    setOther(null)
    if (value === null || value === first.current) return find('unknown')
    first.current = null
    if (!isUid(value)) return find('wrong')
    find('asking')
    const abort = new AbortController()
    const timer = setTimeout(() => {
      askForUid(owner(), { value }, abort.signal).then(
        ({ free, proposal }) => {
          find(free ? 'free' : 'taken')
          setOther(free ? null : proposal)
        },
        () => abort.signal.aborted || find('unknown'),
      )
    }, CHECK_DELAY_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
    // oxlint-disable-next-line react/exhaustive-deps -- what is asked about is the value alone
  }, [value])
  return { finding, other, owner }
}
