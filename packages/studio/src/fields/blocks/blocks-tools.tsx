import { Toolbar } from 'react-aria-components'
import { useTexts } from '../../texts/texts.ts'
import { ToolButton } from '../editor/tool-button.tsx'
import toolbar from '../editor/toolbar.module.css'
import styles from './blocks-tools.module.css'
import { MarkTools } from './mark-tools.tsx'
import { type BlockMove, moveBlock } from './move-block.ts'
import { dispatchAsOneStep } from './one-step.ts'
import { type Editor, toggleListIn } from './open-blocks-editor.ts'
import type { TableKit } from './table-kit.ts'

const LEVELS = ['1', '2', '3', '4', '5', '6'] as const

export interface BlocksToolsProps {
  readonly editor: Editor
  readonly isLinking: boolean
  readonly onLink: (isLinking: boolean) => void
  readonly onPicture: () => void
  readonly onMoved: (move: BlockMove) => void
  readonly TableTool: TableKit['Tool'] | undefined
  readonly canInsertTables: boolean
}

/**
 * The toolbar: one tab stop, arrow keys move within it. Every tool has a keyboard shortcut, too.
 */
export function BlocksTools(props: BlocksToolsProps) {
  const { editor, isLinking, onLink, onPicture, onMoved, TableTool, canInsertTables } = props
  const { t } = useTexts()
  const move = (by: -1 | 1): void => {
    const made = moveBlock(editor.state, by)
    if (made === null) return
    dispatchAsOneStep(editor.view, made.transaction)
    onMoved(made)
  }
  return (
    <Toolbar className={toolbar['bar'] ?? ''} aria-label={t('blocks.tools')}>
      <BlockKind editor={editor} />
      <MarkTools {...{ editor, isLinking, onLink }} />
      <ListTool editor={editor} format="unordered" keys="mod+shift+8" />
      <ListTool editor={editor} format="ordered" keys="mod+shift+7" />
      <ToolButton icon="image" name={t('blocks.image')} onPress={onPicture} />
      {TableTool !== undefined && <TableTool editor={editor} canInsert={canInsertTables} />}
      <ToolButton icon="up" name={t('component.up')} keys="alt+↑" onPress={() => move(-1)} />
      <ToolButton icon="down" name={t('component.down')} keys="alt+↓" onPress={() => move(1)} />
    </Toolbar>
  )
}

function BlockKind({ editor }: { readonly editor: Editor }) {
  const { t } = useTexts()
  const level = LEVELS.find((one) => editor.isActive('heading', { level: Number(one) }))
  const isInTable = editor.schema.nodes['table'] !== undefined && editor.isActive('table')
  const found = (['blockquote', 'codeBlock', 'list'] as const).find((name) => editor.isActive(name))
  const plain = isInTable ? 'table' : found
  const set = (kind: string): void => {
    const chain = editor.chain().focus()
    if (kind.startsWith('heading'))
      chain.setNode('heading', { level: Number(kind.slice(-1)) }).run()
    else chain.setNode(kind).run()
  }
  return (
    <select
      className={`${toolbar['tool']} ${toolbar['word']} ${styles['kind']}`}
      aria-label={t('blocks.kind')}
      disabled={isInTable}
      value={level === undefined ? (plain ?? 'paragraph') : `heading${level}`}
      onChange={({ target }) => set(target.value)}
    >
      <option value="paragraph">{t('blocks.paragraph')}</option>
      {LEVELS.map((one) => (
        <option key={one} value={`heading${one}`}>
          {t('blocks.heading', { level: one })}
        </option>
      ))}
      <option value="blockquote">{t('blocks.quote')}</option>
      <option value="codeBlock">{t('blocks.codeBlock')}</option>
      {plain === 'list' && <option value="list">{t('blocks.list')}</option>}
      {isInTable && <option value="table">{t('blocks.table')}</option>}
    </select>
  )
}

interface ListToolProps {
  readonly editor: Editor
  readonly format: 'ordered' | 'unordered'
  readonly keys: string
}

function ListTool({ editor, format, keys }: ListToolProps) {
  const { t } = useTexts()
  return (
    <ToolButton
      icon={format}
      name={t(`blocks.${format}`)}
      keys={keys}
      isPressed={editor.isActive('list', { format })}
      onPress={() => toggleListIn(editor, format)}
    />
  )
}
