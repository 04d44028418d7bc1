import { Editor, type JSONContent } from '@tiptap/core'
import { Gapcursor, UndoRedo } from '@tiptap/extensions'
import type { BlockNode, EditorNode } from './blocks.ts'
import { fromEditor } from './from-editor.ts'
import { ListKeys, toggleList } from './list-commands.ts'
import { MARKS } from './marks.ts'
import { NODES } from './nodes.ts'
import { toEditor } from './to-editor.ts'

export type Blocks = readonly BlockNode[] | null

export interface BlocksEditorOptions {
  readonly host: HTMLElement
  readonly blocks: Blocks
  readonly isReadOnly: boolean
  readonly names: Readonly<Record<string, string>>
  readonly onChange: (blocks: Blocks) => void
  /** Called when the state of the tools may have changed. */
  readonly onMove: () => void
}

export type { Editor }

export const EXTENSIONS = [...NODES, ...MARKS, ListKeys, UndoRedo, Gapcursor]

export function openBlocksEditor(options: BlocksEditorOptions): Editor {
  return new Editor({
    element: options.host,
    extensions: EXTENSIONS,
    content: toEditor(options.blocks) as JSONContent,
    editable: !options.isReadOnly,
    injectCSS: false, // the page's policy forbids it
    enableContentCheck: true,
    editorProps: {
      attributes: { ...options.names, role: 'textbox', 'aria-multiline': 'true' },
      transformPastedHTML: flatItems,
    },
    onUpdate: ({ editor }) => options.onChange(fromEditor(editor.getJSON() as EditorNode)),
    onTransaction: options.onMove,
  })
}

/** Takes blocks that came from elsewhere. */
export function setBlocks(editor: Editor, blocks: Blocks): void {
  editor.commands.setContent(toEditor(blocks) as JSONContent, { emitUpdate: false })
}

export function toggleListIn(editor: Editor, format: 'ordered' | 'unordered'): void {
  const transaction = toggleList(editor.state, format)
  if (transaction !== null) editor.view.dispatch(transaction)
  editor.view.focus()
}

/** Items of pasted lists hold text, and lists within them stand behind them. */
function flatItems(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  for (const list of body.querySelectorAll('li > ul, li > ol')) list.parentElement?.after(list)
  for (const block of body.querySelectorAll('li > p, li > div'))
    block.replaceWith(...block.childNodes)
  return body.innerHTML
}
