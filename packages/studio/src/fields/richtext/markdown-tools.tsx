import type { ReactNode } from 'react'
import { Toolbar } from 'react-aria-components'
import type { TextKey } from '../../texts/english.ts'
import { useTexts } from '../../texts/texts.ts'
import type { FileValue } from '../../entry/values.ts'
import type { MarkdownTool } from '../code/markdown-commands.ts'
import { ToolButton } from '../editor/tool-button.tsx'
import { ChooseFiles } from '../media/choose-files.tsx'
import toolbar from '../editor/toolbar.module.css'

interface Tool {
  readonly tool: MarkdownTool
  readonly name: TextKey
  readonly keys: string
}

const TOOLS: readonly Tool[] = [
  { tool: 'bold', name: 'blocks.bold', keys: 'mod+B' },
  { tool: 'italic', name: 'blocks.italic', keys: 'mod+I' },
  { tool: 'heading', name: 'markdown.heading', keys: 'mod+alt+2' },
  { tool: 'link', name: 'blocks.link', keys: 'mod+K' },
  { tool: 'unordered', name: 'blocks.unordered', keys: 'mod+shift+8' },
  { tool: 'ordered', name: 'blocks.ordered', keys: 'mod+shift+7' },
  { tool: 'quote', name: 'blocks.quote', keys: 'mod+shift+9' },
  { tool: 'code', name: 'blocks.code', keys: 'mod+E' },
  { tool: 'codeBlock', name: 'blocks.codeBlock', keys: 'mod+alt+C' },
]

export interface MarkdownToolsProps {
  readonly isChoosing: boolean
  /** Tools that were pressed before the editor has loaded. */
  readonly waitingTools: readonly MarkdownTool[]
  readonly onChoose: (isChoosing: boolean) => void
  readonly onTool: (tool: MarkdownTool) => void
  readonly onChosen: (file: FileValue) => void
  readonly onUpload: (files: readonly File[]) => void
  readonly children: ReactNode
}

/** The toolbar: one tab stop, arrow keys move within it. */
export function MarkdownTools(props: MarkdownToolsProps) {
  const { isChoosing, waitingTools, onChoose, onTool, onChosen, onUpload, children } = props
  const { t } = useTexts()
  return (
    <>
      <Toolbar className={toolbar['bar'] ?? ''} aria-label={t('blocks.tools')}>
        {TOOLS.map(({ tool, name, keys }) => (
          <ToolButton
            key={tool}
            icon={tool}
            name={t(name)}
            keys={keys}
            isWaiting={waitingTools.includes(tool)}
            onPress={() => onTool(tool)}
          />
        ))}
        <ToolButton
          icon="image"
          name={t('blocks.image')}
          keys="mod+alt+P"
          onPress={() => onChoose(true)}
        />
        {children}
      </Toolbar>
      {isChoosing && (
        <ChooseFiles
          kinds={['images']}
          isPrivate={false}
          isMultiple={false}
          onClose={() => onChoose(false)}
          onUpload={onUpload}
          onChosen={([file]) => {
            if (file !== undefined) onChosen(file)
          }}
        />
      )}
    </>
  )
}
