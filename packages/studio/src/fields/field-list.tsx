import { type ReactNode, useCallback, useId, useMemo, useSyncExternalStore } from 'react'
import type { Attribute, Attributes } from '../api/attributes.ts'
import { studioText } from '../texts/field-words.ts'
import { useTexts } from '../texts/texts.ts'
import { useBeside } from './beside/beside.ts'
import { BesideField } from './beside/beside-field.tsx'
import { isMet, namesIn } from './condition.ts'
import styles from './field-list.module.css'
import { SiblingsContext, useOpenEntry } from './open-entry.ts'

export interface FieldListProps {
  readonly attributes: Attributes
  /** The place of the component that contains the fields. Undefined for the entry itself. */
  readonly within?: string
  /** An attribute that is shown elsewhere. */
  readonly except?: string | null
}

type Entry = readonly [name: string, attribute: Attribute]

/** The fields of an entry or component. Fields of one group are together, at the place of its first. */
export function FieldList({ attributes, within, except = null }: FieldListProps) {
  const { language } = useTexts()
  const groups = useMemo(() => {
    const found = new Map<string, Entry[]>()
    for (const entry of Object.entries(attributes)) {
      const [name, { studio }] = entry
      if (name === except) continue
      const group = studioText(studio?.group, language)
      const key = group === undefined ? `name ${name}` : `group ${group}`
      found.set(key, [...(found.get(key) ?? []), entry])
    }
    return [...found.entries()]
  }, [attributes, except, language])
  const field = ([name, attribute]: Entry): ReactNode => (
    <ListedField
      key={name}
      name={name}
      attribute={attribute}
      place={within === undefined ? name : `${within}/${name}`}
    />
  )
  return (
    <SiblingsContext value={attributes}>
      <div className={within === undefined ? styles['fields'] : styles['inner']}>
        {groups.map(([key, entries]) =>
          key.startsWith('group ') ? (
            <FieldGroup key={key} name={key.slice('group '.length)}>
              {entries.map(field)}
            </FieldGroup>
          ) : (
            entries.map(field)
          ),
        )}
      </div>
    </SiblingsContext>
  )
}

function FieldGroup({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const id = useId()
  return (
    <div role="group" aria-labelledby={id} className={styles['group']}>
      <span id={id} className={styles['groupName']}>
        {name}
      </span>
      {children}
    </div>
  )
}

interface ListedFieldProps {
  readonly name: string
  readonly attribute: Attribute
  readonly place: string
}

function ListedField({ name, attribute, place }: ListedFieldProps) {
  const { Field } = useOpenEntry()
  const isVisible = useVisibility(attribute, place)
  const isAlone = useBeside() === null
  if (!isVisible) return null
  return (
    <div
      className={attribute.studio?.width === 'half' && isAlone ? styles['half'] : styles['full']}
    >
      {place === name ? (
        <BesideField {...{ name, attribute }}>
          <Field {...{ name, attribute, place }} />
        </BesideField>
      ) : (
        <Field {...{ name, attribute, place }} />
      )}
    </div>
  )
}

/** A field with problems or a conflict is visible even if its condition is not met. */
function useVisibility({ studio }: Attribute, place: string): boolean {
  const { form } = useOpenEntry()
  const condition = studio?.visibleWhen
  const address = useMemo(() => place.split('/'), [place])
  const subscribe = useCallback(
    (listener: () => void) => {
      if (condition === undefined) return () => undefined
      const [root = ''] = address
      const roots = address.length > 1 ? [root] : [...new Set([root, ...namesIn(condition)])]
      const stops = roots.map((name) => form.subscribe(name, listener))
      return () => stops.forEach((stop) => stop())
    },
    [form, condition, address],
  )
  return useSyncExternalStore(
    subscribe,
    () =>
      condition === undefined ||
      isMet(condition, (name) => form.get([...address.slice(0, -1), name])) ||
      form.problemsAt(address) !== undefined ||
      form.isWrongWithin(place) ||
      form.conflictAt(address) !== undefined,
  )
}
