import type { Attributes } from '../../api/attributes.ts'
import type { Place } from '../field-props.ts'
import { useOpenEntry } from '../open-entry.ts'
import styles from './components.module.css'

export function ComponentFields({
  attributes,
  place,
}: {
  readonly attributes: Attributes
  readonly place: Place
}) {
  const { Field } = useOpenEntry()
  return (
    <div className={styles['fields']}>
      {Object.entries(attributes).map(([name, attribute]) => (
        <Field key={name} attribute={attribute} name={name} place={`${place}/${name}`} />
      ))}
    </div>
  )
}
