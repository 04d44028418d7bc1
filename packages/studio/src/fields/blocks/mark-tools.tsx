import type { TextKey } from '../../texts/english.ts'
import { useTexts } from '../../texts/texts.ts'
import { ToolButton } from '../editor/tool-button.tsx'
import type { TEXT_MARKS } from './blocks.ts'
import type { Editor } from './open-blocks-editor.ts'

interface MarkTool {
  readonly mark: (typeof TEXT_MARKS)[number]
  readonly name: TextKey
  readonly keys: string
}

const MARK_TOOLS: readonly MarkTool[] = [
  { mark: 'bold', name: 'blocks.bold', keys: 'mod+B' },
  { mark: 'italic', name: 'blocks.italic', keys: 'mod+I' },
  { mark: 'underline', name: 'blocks.underline', keys: 'mod+U' },
  { mark: 'strikethrough', name: 'blocks.strikethrough', keys: 'mod+shift+X' },
  { mark: 'code', name: 'blocks.code', keys: 'mod+E' },
]

export interface MarkToolsProps {
  readonly editor: Editor
  readonly isLinking: boolean
  readonly onLink: (isLinking: boolean) => void
}

/** The buttons for marks and links. */
export function MarkTools({ editor, isLinking, onLink }: MarkToolsProps) {
  const { t } = useTexts()
  return (
    <>
      {MARK_TOOLS.map(({ mark, name, keys }) => (
        <ToolButton
          key={mark}
          icon={mark}
          name={t(name)}
          keys={keys}
          isPressed={editor.isActive(mark)}
          onPress={() => editor.chain().focus().toggleMark(mark).run()}
        />
      ))}
      <ToolButton
        icon="link"
        name={t('blocks.link')}
        keys="mod+K"
        isPressed={editor.isActive('link')}
        isExpanded={isLinking}
        onPress={() => onLink(!isLinking)}
      />
    </>
  )
}
