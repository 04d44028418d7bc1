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
  readonly onPress: () => void
}

/** A button of an editor's toolbar. The selection of the editor stays. */
export function ToolButton(props: ToolButtonProps) {
  const { icon, name, keys, isPressed, isExpanded, onPress } = props
  const { t } = useTexts()
  return (
    <button
      type="button"
      className={styles['tool']}
      aria-label={name}
      aria-pressed={isPressed}
      aria-expanded={isExpanded}
      title={keys === undefined ? name : `${name} (${keyNames(keys, t)})`}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      <Drawing path={TOOL_ICONS[icon]} size={15} />
    </button>
  )
}
