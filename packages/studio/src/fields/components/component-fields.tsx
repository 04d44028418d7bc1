import type { Attributes } from '../../api/attributes.ts'
import { FieldList } from '../field-list.tsx'
import type { Place } from '../field-props.ts'
import styles from './components.module.css'

export function ComponentFields({
  attributes,
  place,
}: {
  readonly attributes: Attributes
  readonly place: Place
}) {
  return (
    <div className={styles['fields']}>
      <FieldList attributes={attributes} within={place} />
    </div>
  )
}
