import { Icon } from '../../design/icons/icon.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './grip.module.css'
import type { Handles } from './use-reorder.ts'

export interface GripProps {
  readonly handles: Handles
  readonly itemKey: string
  readonly label: string
  readonly position: number
  readonly count: number
}

/** A drag handle. Its name has the position, so that screen readers announce a move. */
export function Grip({ handles, itemKey, label, position, count }: GripProps) {
  const { t } = useTexts()
  return (
    <button
      type="button"
      className={styles['grip']}
      aria-label={t('reorder.grip', { name: label, position, of: count })}
      title={t('reorder.hint')}
      {...handles.gripProps(itemKey)}
    >
      <Icon name="grip" />
    </button>
  )
}
