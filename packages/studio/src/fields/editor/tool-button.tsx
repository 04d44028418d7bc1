import { Drawing } from '../../design/icons/icon.tsx'
import { TOOL_ICONS, type ToolIconName } from '../../design/icons/tool-icons.ts'
import { keyNames } from '../../design/kbd.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './toolbar.module.css'

export interface ToolButtonProps {
  readonly icon: ToolIconName
  readonly name: string
  /** As in `keyNames`; shown in the tooltip. */
  readonly keys?: string
  readonly isPressed?: boolean
  readonly isExpanded?: boolean
  /** Was pressed and is not applied yet. Ignores further presses. */
  readonly isWaiting?: boolean
  readonly onPress: () => void
}

/** A button of an editor's toolbar. The selection of the editor stays. */
export function ToolButton(props: ToolButtonProps) {
  const { icon, name, keys, isPressed, isExpanded, isWaiting = false, onPress } = props
  const { t } = useTexts()
  return (
    <button
      type="button"
      className={styles['tool']}
      aria-label={name}
      aria-pressed={isPressed}
      aria-expanded={isExpanded}
      aria-disabled={isWaiting || undefined}
      data-waiting={isWaiting || undefined}
      title={keys === undefined ? name : `${name} (${keyNames(keys, t)})`}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => {
        if (!isWaiting) onPress()
      }}
    >
      <Drawing path={TOOL_ICONS[icon]} size={15} />
    </button>
  )
}
