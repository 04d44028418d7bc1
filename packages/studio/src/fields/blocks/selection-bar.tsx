import { NodeSelection } from '@tiptap/pm/state'
import { Toolbar } from 'react-aria-components'
import { useTexts } from '../../texts/texts.ts'
import { MarkTools } from './mark-tools.tsx'
import type { Editor } from './open-blocks-editor.ts'
import styles from './selection-bar.module.css'

export interface SelectionBarProps {
  readonly editor: Editor
  readonly onLink: (isLinking: boolean) => void
  readonly onClose: () => void
}

/** The tools of selected text. On touch screens the system shows its own bar there. */
export function SelectionBar({ editor, onLink, onClose }: SelectionBarProps) {
  const { t } = useTexts()
  return (
    <div
      onKeyDown={({ key }) => {
        if (key !== 'Escape') return
        // At once: the command would wait for a frame, and lose the next key.
        editor.view.focus()
        onClose()
      }}
    >
      <Toolbar className={styles['bar'] ?? ''} aria-label={t('blocks.selection')}>
        <MarkTools editor={editor} isLinking={false} onLink={onLink} />
      </Toolbar>
    </div>
  )
}

export function hasSelectedText({ state }: Editor): boolean {
  const { selection } = state
  return (
    !(selection instanceof NodeSelection) &&
    !selection.empty &&
    selection.$from.parent.type.name !== 'codeBlock' &&
    state.doc.textBetween(selection.from, selection.to).trim() !== ''
  )
}
