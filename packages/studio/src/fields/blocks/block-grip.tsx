import { Icon } from '../../design/icons/icon.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './block-grip.module.css'
import type { useBlockGrip } from './use-block-grip.ts'

export interface BlockGripProps {
  readonly grip: ReturnType<typeof useBlockGrip>
}

export function BlockGrip({ grip }: BlockGripProps) {
  const { t } = useTexts()
  const { over, target, start, stop } = grip
  return (
    <>
      {over !== null && (
        <div
          draggable
          aria-hidden="true"
          className={styles['grip']}
          style={{ top: over.top }}
          title={t('reorder.hint')}
          data-grip
          onDragStart={start}
          onDragEnd={stop}
        >
          <Icon name="grip" size={14} />
        </div>
      )}
      {target !== null && <div className={styles['line']} style={{ top: target.top }} />}
    </>
  )
}
